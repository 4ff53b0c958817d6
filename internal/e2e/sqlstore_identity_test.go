package e2e

import (
	"fmt"
	"sync"
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

// TestPostgresRestartIsNoOtherServer: a statement knows the server by the moment of
// its start, and the client finds out that a new moment is the same server.
func TestPostgresRestartIsNoOtherServer(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, nil)
	db := openPostgres(t, pg.URL("postgres"))
	s := mustOpen(t, db, sqlstore.Postgres, &sqlstore.Options{RefuseNewIdentity: true})
	for round := range 3 {
		if err := s.Release(t.Context(), mustAcquire(t, s, "used before")); err != nil {
			t.Error(err)
		}
		mustAcquire(t, s, fmt.Sprint("fresh ", round))
		pg.Restart()
	}
	var all sync.WaitGroup
	for i := range 16 { // also in batches
		all.Go(func() {
			if _, err := s.Acquire(t.Context(), request(fmt.Sprint("together ", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if id, err := s.Identity(t.Context()); err != nil || id.Previous != "" || id.Floor != 0 {
		t.Errorf("identity %+v, %v; want no change", id, err)
	}
}
