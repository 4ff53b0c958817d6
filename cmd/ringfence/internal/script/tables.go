package script

import (
	"context"
	"database/sql"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// tables are the guarded tables that a script may write to: they get the same write.
type tables struct {
	dialect tableguard.Dialect
	absent  bool // there are none, and nothing that could carry a write to them
}

// findTables looks for them on the connection of the script, before its transaction.
// SQLite carries a write in a row that can't be committed, which takes foreign keys.
func findTables(ctx context.Context, conn *sql.Conn, d sqlguard.Dialect) (t tables, err error) {
	switch d {
	case sqlguard.Postgres:
		t.dialect = tableguard.Postgres
	case sqlguard.MySQL:
		t.dialect = tableguard.MySQL
	case sqlguard.SQLite:
		t.dialect = tableguard.SQLite
		const look = "SELECT count(*) = 0 FROM sqlite_schema WHERE type = 'table' AND name = 'ringfence_session'"
		err = conn.QueryRowContext(ctx, look).Scan(&t.absent)
		if err == nil && !t.absent {
			_, err = conn.ExecContext(ctx, "PRAGMA foreign_keys = ON")
		}
	}
	return t, err
}

// within runs fn while tx carries the write of w to the tables.
func (t tables) within(ctx context.Context, tx *sql.Tx, w Work, fn func() error) error {
	if t.absent {
		return fn()
	}
	if err := t.dialect.Carry(ctx, tx, w.Write); err != nil {
		return err
	}
	if t.dialect == tableguard.Postgres && w.Signature != "" {
		if _, err := tx.ExecContext(ctx, "SELECT set_config('ringfence.signature', $1, true)", w.Signature); err != nil {
			return err
		}
	}
	if err := fn(); err != nil {
		return t.answered(w.Write.Fence, err)
	}
	return t.dialect.LayDown(ctx, tx)
}

// answeredError is the verdict of a guarded table, which ends the script.
type answeredError struct{ verdict fence.Verdict }

func (e *answeredError) Error() string { return e.verdict.String() }

// answered is err, or the verdict that it tells of.
func (t tables) answered(f fence.Fence, err error) error {
	if v, ok := t.dialect.Answer(f, err); ok {
		return &answeredError{v}
	}
	return err
}
