package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/internal/sqlrows"
)

// Reset moves a resource to a new incarnation, and returns the one that it ended. It
// waits for a write that is under way. Until a new term has established itself every
// write is refused as NotEstablished; [InTx] establishes by itself. A resource without
// a mark is refused: there is nothing to move, and any term may begin.
//
// The last writes of earlier terms stay for [guard.Landed]. Fence columns stand in
// tables of your own, and are yours to set.
func Reset(ctx context.Context, db *sql.DB, d Dialect, resource string, r guard.Reset) (guard.Incarnation, error) {
	ended := guard.Incarnation{Resource: resource, Reset: r}
	for _, err := range []error{d.check(), guard.CheckResource(resource), r.Check()} {
		if err != nil {
			return ended, err
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return ended, told("reset a mark", err)
	}
	defer tx.Rollback()
	s := marks{d, resource}
	m, now, err := s.lock(ctx, tx)
	switch {
	case err != nil:
		return ended, told("reset a mark", err)
	case !m.Established():
		return ended, invalid("resource %s: it has no mark, so the next term that establishes itself begins", fence.Quote(resource))
	case r.Above >= futureLimit(now):
		return ended, invalid("token %s to reset above: it lies more than a day ahead of the database's clock", r.Above)
	}
	if ended, err = s.reset(ctx, tx, r); err == nil {
		err = tx.Commit()
	}
	return ended, told("reset the mark of "+fence.Quote(resource), err)
}

// reset ends the incarnation whose mark is locked.
func (s marks) reset(ctx context.Context, tx *sql.Tx, r guard.Reset) (guard.Incarnation, error) {
	for _, step := range []struct {
		statement string
		args      []any
	}{{"reset", []any{s.resource, int64(r.Above), r.Reason, r.By}}, {"reset_delete", []any{s.resource}}} {
		statement, args := s.dialect.statement(step.statement, step.args...)
		if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
			return guard.Incarnation{}, err
		}
	}
	all, err := s.resets(ctx, tx)
	if err != nil {
		return guard.Incarnation{}, err
	}
	return all[0], nil
}

// Resets lists the incarnations of a resource that Reset has ended, latest first.
func Resets(ctx context.Context, db *sql.DB, d Dialect, resource string) ([]guard.Incarnation, error) {
	for _, err := range []error{d.check(), guard.CheckResource(resource)} {
		if err != nil {
			return nil, err
		}
	}
	all, err := marks{d, resource}.resets(ctx, db)
	return all, told("read the resets of "+fence.Quote(resource), err)
}

func (s marks) resets(ctx context.Context, q sqlrows.Querier) ([]guard.Incarnation, error) {
	statement, args := s.dialect.statement("resets", s.resource)
	return sqlrows.Each(ctx, q, statement, args, func(rows *sql.Rows) (guard.Incarnation, error) {
		i := guard.Incarnation{Resource: s.resource}
		var ms int64
		err := rows.Scan(&i.Lease, &i.Number, &i.Token, &i.Seq, &i.Above, &i.Reason, &i.By, &i.Role, &ms)
		i.At = time.UnixMilli(ms)
		return i, err
	})
}

// Above lists the marks above a token, highest first. Given the last token that the
// authority has issued, these were raised by a number that it did not.
func Above(ctx context.Context, db *sql.DB, d Dialect, to fence.Token) ([]guard.HighMark, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	statement, args := d.statement("above", int64(to))
	all, err := sqlrows.Each(ctx, db, statement, args, func(rows *sql.Rows) (m guard.HighMark, err error) {
		var ms int64
		err = rows.Scan(&m.Resource, &m.Lease, &m.Token, &ms)
		m.At = time.UnixMilli(ms)
		return m, err
	})
	return all, told("read the marks", err)
}

// bar is the highest token that the last reset keeps from beginning a term at the
// resource.
func (s marks) bar(ctx context.Context, tx *sql.Tx) (token fence.Token, err error) {
	statement, args := s.dialect.statement("bar", s.resource)
	err = tx.QueryRowContext(ctx, statement, args...).Scan(&token)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return token, err
}
