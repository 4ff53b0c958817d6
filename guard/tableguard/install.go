package tableguard

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
)

var (
	//go:embed postgres/describe.sql
	describe string
	//go:embed postgres/guarded.sql
	guarded string
)

// oneAtATime makes installations wait for each other: CREATE SCHEMA IF NOT EXISTS
// and its kind fail when they meet.
const oneAtATime = `SELECT pg_advisory_xact_lock(hashtext('ringfence guard install'))`

// Install guards a table, in place of what guarded it before, in one transaction. It
// needs the rights of the table's owner, and CREATE on the database or a schema
// ringfence that this role owns.
func Install(ctx context.Context, db *sql.DB, t Table) error {
	return change(ctx, db, t, func(r relation) (string, error) {
		script, err := t.script(r)
		return setup + script, err
	})
}

// Remove takes the guard away from the table of that name. Marks and counts stay.
func Remove(ctx context.Context, db *sql.DB, name string) error {
	t := Table{Name: name, Lease: "any"}
	return change(ctx, db, t, func(r relation) (string, error) { return unguard(r), nil })
}

// Script is what [Install] executes, for people to read or to run themselves. It
// looks at the table and changes nothing.
func Script(ctx context.Context, db *sql.DB, t Table) (string, error) {
	var text string
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	r, err := t.find(ctx, tx)
	if err == nil {
		text, err = t.script(r)
	}
	if err != nil {
		return "", err
	}
	return "BEGIN;\n" + setup + text + "COMMIT;\n", nil
}

func change(ctx context.Context, db *sql.DB, t Table, script func(relation) (string, error)) error {
	if err := t.Check(); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, oneAtATime); err != nil {
		return err
	}
	r, err := t.find(ctx, tx)
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

// find looks the table up and refuses what can't be guarded.
func (t Table) find(ctx context.Context, tx *sql.Tx) (relation, error) {
	if err := t.Check(); err != nil {
		return relation{}, err
	}
	p, err := t.lease()
	if err != nil {
		return relation{}, err
	}
	schema, name, qualified := strings.Cut(t.Name, ".")
	if !qualified {
		schema, name = "", t.Name
	}
	var r relation
	var why, missing, partitions string
	var leases bool
	row := tx.QueryRowContext(ctx, describe, schema, name, strings.Join(p.columns(), "\n"))
	err = row.Scan(&r.name, &r.partitioned, &why, &missing, &partitions, &leases)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return r, t.refuse("there is no such table; case counts, and the schema stands before a dot")
	case err != nil:
		return r, err
	case why != "":
		return r, t.refuse(why)
	case missing != "":
		return r, t.refuse("the lease names columns that it has not: " + missing)
	case t.rule() == Owned && !leases:
		return r, t.refuse("the rule owned needs the leases in this database, and there is no table ringfence.lease")
	}
	if partitions != "" {
		r.partitions = strings.Split(partitions, "\n")
	}
	return r, nil
}

func (t Table) refuse(why string) error {
	return fmt.Errorf("%w table %s: %s", fence.ErrInvalid, fence.Quote(t.Name), why)
}

// Status is a guarded table as the database has it.
type Status struct {
	Table
	// Off says that the trigger was disabled, so that nothing is refused.
	Off bool
}

// List returns the guarded tables.
func List(ctx context.Context, db *sql.DB) ([]Status, error) {
	rows, err := db.QueryContext(ctx, guarded)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Status
	for rows.Next() {
		var s Status
		var args, enabled string
		var whole bool
		if err := rows.Scan(&s.Name, &args, &enabled, &whole); err != nil {
			return nil, err
		}
		s.Off = enabled != "A"
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
