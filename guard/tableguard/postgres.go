package tableguard

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// postgres guards tables of PostgreSQL.
type postgres struct{ db *sql.DB }

// oneAtATime makes installations wait for each other: CREATE SCHEMA IF NOT EXISTS
// and its kind fail when they meet.
const oneAtATime = `SELECT pg_advisory_xact_lock(hashtext('ringfence guard install'))`

func (p postgres) install(ctx context.Context, t Table) error {
	return p.change(ctx, t.find, func(r relation) (string, error) {
		script, err := t.script(r)
		return setup(r.name) + script, err
	})
}

// setup makes what all guarded tables share. Whoever owns the table named is trusted with
// it too: what runs before a write of that table is theirs to say anyway.
func setup(table string) string {
	return "SET LOCAL ringfence.guarding = " + literals([]string{table}) + ";\n" + Postgres.sql("setup")
}

func (p postgres) remove(ctx context.Context, name string) error {
	return p.change(ctx, Table{Name: name}.look, func(r relation) (string, error) { return unguard(r) + unsigned(r), nil })
}

func (p postgres) script(ctx context.Context, t Table) (string, error) {
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	r, err := t.find(ctx, tx)
	if err != nil {
		return "", err
	}
	text, err := t.script(r)
	if err != nil {
		return "", err
	}
	return "BEGIN;\n" + setup(r.name) + text + "COMMIT;\n", nil
}

// change executes what script makes of the table that find finds.
func (p postgres) change(ctx context.Context, find func(context.Context, *sql.Tx) (relation, error), script func(relation) (string, error)) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, oneAtATime); err != nil {
		return err
	}
	r, err := find(ctx, tx)
	if err != nil {
		return err
	}
	text, err := script(r)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return fmt.Errorf("table %s: %w", r.name, err)
	}
	return tx.Commit()
}

// find is look, and refuses what can't be guarded.
func (t Table) find(ctx context.Context, tx *sql.Tx) (relation, error) {
	if _, err := t.lease(); err != nil {
		return relation{}, err
	}
	r, err := t.look(ctx, tx)
	switch {
	case err != nil:
		return r, err
	case r.unfit != "":
		return r, t.refuse(r.unfit)
	case r.missing != "":
		return r, t.refuse("the lease names columns that it has not: " + r.missing)
	case t.rule() == Owned && !r.leases:
		return r, t.refuse("the rule owned needs the leases in this database, and there is no table ringfence.lease")
	}
	return r, nil
}

// look finds the table of that name. A guard is taken away from one that could not be
// guarded any more.
func (t Table) look(ctx context.Context, tx *sql.Tx) (relation, error) {
	var r relation
	p, _ := t.lease() // without one there are no columns to look for
	schema, name, qualified := strings.Cut(t.Name, ".")
	if !qualified {
		schema, name = "", t.Name
	}
	var partitions string
	row := tx.QueryRowContext(ctx, Postgres.sql("describe"), schema, name, strings.Join(p.columns(), "\n"))
	err := row.Scan(&r.name, &r.byOthers, &r.unfit, &r.missing, &partitions, &r.leases)
	if errors.Is(err, sql.ErrNoRows) {
		err = t.refuse("there is no such table; case counts, and the schema stands before a dot")
	}
	if partitions != "" {
		r.partitions = strings.Split(partitions, "\n")
	}
	return r, err
}

func (p postgres) list(ctx context.Context) ([]Status, error) {
	rows, err := p.db.QueryContext(ctx, Postgres.sql("guarded"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Status
	for rows.Next() {
		var s Status
		var args string
		var whole bool
		if err := rows.Scan(&s.Name, &args, &s.Off, &whole); err != nil {
			return nil, err
		}
		s.Rule, s.Lease, err = arguments(args, whole)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", s.Name, err)
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// arguments reads those of a trigger, as [Table.script] wrote them.
// That of a whole statement has one more than the parts of the name.
func arguments(text string, whole bool) (Rule, string, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return "", "", err
	}
	all := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	if whole {
		all = all[:2]
	}
	brace := strings.NewReplacer("{", "{{", "}", "}}")
	var lease strings.Builder
	for i, part := range all[1:] {
		if i%2 == 1 {
			part = "{" + part + "}"
		} else {
			part = brace.Replace(part)
		}
		lease.WriteString(part)
	}
	return Rule(all[0]), lease.String(), nil
}
