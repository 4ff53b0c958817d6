package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
)

// Setup creates the tables that hold marks, where they are missing: the schema
// ringfence in PostgreSQL, tables whose names begin with ringfence_ in
// SQLite and MySQL. It may be called by many processes at once and at every start. Where
// the tables are there, it needs no right to create them; a role that only
// guards needs SELECT, INSERT and UPDATE on mark and mark_term, and SELECT on mark_reset.
func Setup(ctx context.Context, db *sql.DB, d Dialect) error {
	if err := d.check(); err != nil {
		return err
	}
	const tries, pause = 20, 50 * time.Millisecond
	for n := 1; ; n++ {
		err := setUp(ctx, db, d)
		if err == nil || n == tries || !collided(err) {
			return told("the tables of package sqlguard", err)
		}
		select {
		case <-ctx.Done():
			return told("the tables of package sqlguard", context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

func setUp(ctx context.Context, db *sql.DB, d Dialect) error {
	var present bool
	if err := db.QueryRowContext(ctx, d.sql("present")).Scan(&present); err != nil || present {
		return err
	}
	parts := []string{d.sql("setup")}
	if d == MySQL { // whose driver takes one statement at a time
		parts = strings.SplitAfter(strings.TrimSuffix(strings.TrimSpace(parts[0]), ";"), ";\n")
	}
	for _, part := range parts {
		if _, err := db.ExecContext(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// collided reports whether somebody else was creating the same things, which
// IF NOT EXISTS does not keep PostgreSQL from failing at.
func collided(err error) bool {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		// unique_violation in a catalogue; duplicate schema, table, object; concurrent update
		return slices.Contains([]string{"23505", "42P06", "42P07", "42710", "XX000"}, state.SQLState())
	}
	return sqlfault.Classify(err) == sqlfault.Transient
}

// told is the failure of a step that concerns no single write.
func told(what string, err error) error {
	if err == nil {
		return nil
	}
	kind := guard.ErrUnavailable
	if sqlfault.Classify(err) == sqlfault.Missing {
		kind = guard.ErrUnfit
	}
	return fmt.Errorf("%s: %w: %w", what, kind, err)
}
