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
			var waiting int
			for now, deadline := asOf, time.Now().Add(time.Minute); waiting == 0 || now.Sub(asOf) <= maxAge; {
				var err error
				if now, err = sqlguard.Now(ctx, g, c.dialect); err == nil {
					err = g.QueryRow(c.waiting).Scan(&waiting)
				}
				if err != nil || time.Now().After(deadline) {
					t.Fatalf("no write waits: %v", err)
				}
			}
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
			if v := <-answer; v.Cause != fence.Outdated {
				t.Errorf("inputs of more than %s ago: %v; want outdated", maxAge, v)
			}
		})
	}
}
