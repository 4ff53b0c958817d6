package tableguard

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// ErrUnprotected: none of the guarded tables is protected by the lease.
var ErrUnprotected = fmt.Errorf("%w: no table is protected", guard.ErrUnfit)

// Establish begins the term of f at every guarded table that its lease protects, in one
// transaction, and returns their names: nothing older can land there any more. That is
// for a term whose writes are made by programs that don't establish themselves. The
// role needs the right to delete from these tables, in MySQL that to execute
// ringfence_establish. Where there is none, or the guard of one is off, nothing is
// changed and the error matches guard.ErrUnfit; in the first case ErrUnprotected too.
func (d *DB) Establish(ctx context.Context, f fence.Fence) ([]string, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	tables, err := d.protected(ctx, f.Name)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	return names, d.establish(ctx, f, tables)
}

func (d *DB) establish(ctx context.Context, f fence.Fence, tables []Table) error {
	s, err := d.system()
	if err != nil {
		return err
	}
	about, w, level := d.about(f), guard.Write{Fence: f}, sql.LevelReadCommitted
	if d.dialect == SQLite { // which has one level, the highest
		level = sql.LevelDefault
	}
	t, err := d.begin(ctx, w, level)
	if err != nil {
		return about.Inside(err)
	}
	defer t.end(ctx)
	if err = s.establish(ctx, t.Tx, f, tables); err == nil {
		err = t.layDown(ctx)
	}
	if v, ok := d.dialect.Answer(f, err); ok {
		t.observe(ctx, f, &v)
		d.counter.Count(v)
		return v.Err()
	}
	if err != nil {
		return about.Inside(err)
	}
	if err := t.commit(ctx); err != nil {
		return about.Committed(ctx, err)
	}
	return nil
}

// protected lists the guarded tables whose lease, or one of whose leases, is name.
func (d *DB) protected(ctx context.Context, name string) (tables []Table, err error) {
	all, err := d.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		p, err := s.lease()
		switch {
		case err != nil:
			return nil, err
		case !p.matches(name):
		case s.Off:
			return nil, fmt.Errorf("%w: the guard of table %s is off, and does not refuse all that it should; install it again, which says what is in the way", guard.ErrUnfit, s.Name)
		default:
			tables = append(tables, s.Table)
		}
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("%w by the lease %s, of %d that are guarded; guard one with ringfence guard install",
			ErrUnprotected, fence.Quote(name), len(all))
	}
	return tables, nil
}

// matches reports whether name may be that of a lease of p, whatever the columns hold.
func (p pattern) matches(name string) bool {
	var form strings.Builder
	for i, part := range p {
		if i%2 == 1 {
			form.WriteString(".*")
		} else {
			form.WriteString(regexp.QuoteMeta(part))
		}
	}
	return regexp.MustCompile(`(?s)^` + form.String() + `$`).MatchString(name)
}

func (p postgres) establish(ctx context.Context, tx *sql.Tx, _ fence.Fence, tables []Table) error {
	if _, err := tx.ExecContext(ctx, "SET LOCAL ringfence.establish = on"); err != nil {
		return err
	}
	for _, t := range tables {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.Name+" WHERE false"); err != nil {
			return err
		}
	}
	return nil
}

// establish calls the routine of each rule once: there is one mark for all tables.
func (m mysql) establish(ctx context.Context, tx *sql.Tx, f fence.Fence, tables []Table) error {
	done := make(map[string]bool)
	for _, t := range tables {
		call := "CALL ringfence_establish()"
		if t.rule() == Owned {
			call = fmt.Sprintf("CALL ringfence_own(%s, 'establish')", hexed(f.Name))
		}
		if done[call] {
			continue
		}
		if _, err := tx.ExecContext(ctx, call); err != nil {
			return err
		}
		done[call] = true
	}
	return nil
}
