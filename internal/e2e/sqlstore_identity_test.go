package e2e

import (
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// TestPostgresLossesInQuickSuccession loses everything and answers under another
// identity again and again, as fast as the store can notice: no number comes
// back, since a grant lies in a later tick than the one in which the loss before it
// was noticed.
func TestPostgresLossesInQuickSuccession(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, realserver.SharedPostgres(t))
	s := mustOpen(t, db, sqlstore.Postgres, nil)
	last := fence.Token(0)
	for range 200 {
		mustExec(t, db, "DELETE FROM ringfence.lease; UPDATE ringfence.store SET identity = 'the one before', floor = 0")
		if term := mustAcquire(t, s, "job"); term.Token <= last {
			t.Fatalf("after a loss the store granted %s, after %s", term.Token, last)
		} else {
			last = term.Token
		}
	}
}
