package e2e

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// TestSQLGuardJudgesAgeOnceItHasTheLock: inputs that grow too old while a write waits for
// the mark are outdated.
func TestSQLGuardJudgesAgeOnceItHasTheLock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		driver, address string
		dialect         sqlguard.Dialect
		waiting         string
	}{
		{"pgx", realserver.SharedPostgres(t), sqlguard.Postgres, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"},
		{"mysql", realserver.SharedMariaDB(t), sqlguard.MySQL, "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE '%FOR UPDATE'"},
	} {
		t.Run(c.driver, func(t *testing.T) {
			t.Parallel()
			ctx, g := t.Context(), openGuarded(t, c.dialect, c.driver, c.address)
			const maxAge = 500 * time.Millisecond
			limited, err1 := sqlguard.New(c.dialect, "report", guard.Latest, &sqlguard.Options{MaxAge: maxAge})
			tx, err2 := g.BeginTx(ctx, nil)
			asOf, err3 := sqlguard.Now(ctx, g, c.dialect)
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			_, err1 = limited.Establish(ctx, g, job(7))
			_, err2 = limited.EstablishTx(ctx, tx, job(7)) // which locks the mark
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			answer := make(chan fence.Verdict, 1)
			go func() {
				v, _ := limited.InTx(ctx, g, guard.Write{Fence: job(7), AsOf: asOf}, func(*sql.Tx) error { return nil })
				answer <- v
			}()
			waitOlder(t, g, c.waiting, asOf.Add(maxAge))
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
			if v := <-answer; v.Cause != fence.Outdated {
				t.Errorf("inputs of more than %s ago: %v; want outdated", maxAge, v)
			}
		})
	}
}

// TestSQLGuardColumnJudgesAgeOnceItHasTheRow: so are those that grow too old while a write
// waits for a row that stays as it was.
func TestSQLGuardColumnJudgesAgeOnceItHasTheRow(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		waiting := "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
		switch g.dialect {
		case sqlguard.SQLite:
			t.Skip("a write waits for the file, before its statement begins")
		case sqlguard.MySQL:
			waiting = "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE '-- Change%'"
		}
		ctx, day, column := t.Context(), g.day(t, 0), g.column("job", guard.Latest)
		column.MaxAge = 500 * time.Millisecond
		tx, err1 := g.BeginTx(ctx, nil)
		asOf, err2 := sqlguard.Now(ctx, g, g.dialect)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if v, err := g.column("job", guard.Latest).Update(ctx, tx, job(7), day, g.sql("body = $1"), "taken back"); err != nil {
			t.Fatal(v, err)
		}
		answer := make(chan fence.Verdict, 1)
		go func() {
			v, _ := column.UpdateAsOf(ctx, g.DB, job(7), asOf, day, g.sql("body = $1"), "too old")
			answer <- v
		}()
		waitOlder(t, g, waiting, asOf.Add(column.MaxAge))
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		if v := <-answer; v.Cause != fence.Outdated {
			t.Errorf("inputs of more than %s ago: %v; want outdated", column.MaxAge, v)
		}
		g.holds(t, day, "")
		if asOf, err1 = sqlguard.Now(ctx, g, g.dialect); err1 != nil {
			t.Fatal(err1)
		}
		column.MaxAge = time.Hour
		if v, err := column.UpdateAsOf(ctx, g.DB, job(7), asOf, day, g.sql("body = $1"), "young"); !v.OK() {
			t.Errorf("inputs of now: %v, %v", v, err)
		}
	})
}

// waitOlder returns when a statement waits, and the database's clock has passed end.
func waitOlder(t *testing.T, g guarded, waiting string, end time.Time) {
	t.Helper()
	var n int
	for now, deadline := end, time.Now().Add(time.Minute); n == 0 || !now.After(end); {
		var err error
		if now, err = sqlguard.Now(t.Context(), g, g.dialect); err == nil {
			err = g.QueryRow(waiting).Scan(&n)
		}
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("no write waits: %v", err)
		}
	}
}
