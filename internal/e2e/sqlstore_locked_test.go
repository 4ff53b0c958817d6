package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// lockedRows is a store of which a guarded transaction, one that runs for long, keeps two
// rows as they are: that of the first term, and that of a lease which has lapsed.
type lockedRows struct {
	store   *sqlstore.Store
	terms   []driver.Term
	over    driver.Term // the one that has lapsed
	tx      *sql.Tx
	blocked chan error // what became of a step on each of the two rows
}

// lockRows has lock keep the rows of n0 and lapsed in a transaction of db.
func lockRows(t *testing.T, s *sqlstore.Store, db *sql.DB, lock string) *lockedRows {
	t.Helper()
	l := &lockedRows{store: s, blocked: make(chan error, 2)}
	for i := range 8 {
		l.terms = append(l.terms, mustAcquire(t, s, fmt.Sprint("n", i)))
	}
	lapsed := request("lapsed")
	lapsed.TTL = 10 * time.Millisecond
	var err error
	if l.over, err = s.Acquire(t.Context(), lapsed); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the lease has lapsed", func() bool {
		rec, err := s.Inspect(t.Context(), "lapsed")
		return err == nil && rec.State == driver.Expired
	})
	if l.tx, err = db.BeginTx(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.tx.Rollback() })
	mustExec(t, l.tx, lock)
	return l
}

// stopNobodyElse has a step of each locked row wait, and others taken meanwhile, also in
// one batch with them.
func (l *lockedRows) stopNobodyElse(ctx context.Context, t *testing.T) {
	t.Helper()
	go func() { _, err := l.store.Acquire(ctx, request("lapsed")); l.blocked <- err }()
	go func() { _, err := l.store.Renew(ctx, l.terms[0], time.Minute); l.blocked <- err }()
	for round := range 10 {
		var all sync.WaitGroup
		for _, term := range l.terms[1:] {
			all.Go(func() {
				if _, err := l.store.Renew(ctx, term, time.Minute); err != nil {
					t.Errorf("round %d, %s: %v", round, term.Name, err)
				}
			})
		}
		all.Go(func() { _ = mustAcquire(t, l.store, fmt.Sprint("new ", round)) })
		all.Wait()
	}
}

// goOn ends the transaction. Until then neither row was changed, and soon both are.
func (l *lockedRows) goOn(t *testing.T) {
	t.Helper()
	select {
	case err := <-l.blocked:
		t.Errorf("a locked row was changed: %v", err)
	default:
	}
	if err := l.tx.Commit(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case err := <-l.blocked:
			if err != nil {
				t.Errorf("after the lock went: %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("nothing within 30 s after the lock went")
		}
	}
}
