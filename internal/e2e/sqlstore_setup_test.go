package e2e

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

// TestTablesOfAnEarlierRelease: the line of waiters came later than the leases. Opening the
// store adds what is missing and leaves every lease as it is.
func TestTablesOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		t.Parallel()
		db := connect()
		term := mustAcquire(t, mustOpen(t, db, d, nil), "report")
		line := "ringfence_line"
		if d == sqlstore.Postgres {
			line = "ringfence.line"
			mustExec(t, db, "ALTER TABLE ringfence.waiter DROP COLUMN attempt")
		}
		mustExec(t, db, "DROP TABLE "+line)
		_, err := sqlstore.Open(t.Context(), db, d, &sqlstore.Options{NoSetup: true})
		if !errors.Is(err, driver.ErrUnfit) || !strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), "sqlstore.Schema") {
			t.Errorf("without the table of waiters, and none to be made: %v; want what to do", err)
		}
		storetest.WantFinding(t, lookedAt(t, db, d, nil), "tables", driver.Fit, "missing")
		s := mustOpen(t, db, d, nil)
		if _, err := s.Renew(t.Context(), term, time.Minute); err != nil {
			t.Errorf("the lease of before: %v", err)
		}
		if p, err := s.Wait(t.Context(), request("report"), time.Minute); err != nil || p.Ahead != 0 {
			t.Errorf("a first waiter: %+v, %v", p, err)
		}
	})
}
