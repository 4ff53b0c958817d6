package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// TestSQLiteHeldNameUnderAnotherWriter: whoever has the write lock, and for how
// long, a held name is told as such and not as an outage, in which a caller may
// choose to go on without a lease.
func TestSQLiteHeldNameUnderAnotherWriter(t *testing.T) {
	for _, journal := range []string{"WAL", "DELETE"} {
		t.Run(journal, func(t *testing.T) {
			db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "a.db")+"?_pragma=journal_mode("+journal+")")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			heldNameUnderAnotherWriter(t, db)
		})
	}
}

func heldNameUnderAnotherWriter(t *testing.T, db *sql.DB) {
	s := mustOpen(t, db, sqlstore.SQLite, nil)
	first := request("held")
	term, err := s.Acquire(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	ended := mustAcquire(t, s, "ended")
	if err := s.Release(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	other, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	mustExec(t, other, "BEGIN IMMEDIATE")
	defer mustExec(t, other, "ROLLBACK")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()

	_, err = s.Acquire(ctx, request("held"))
	wantHeld(t, err, term)
	if same, err := s.Acquire(ctx, first); err != nil || same.Token != term.Token {
		t.Errorf("the same attempt: %+v, %v; want its grant", same, err)
	}
	_, err = s.Acquire(ctx, driver.Request{Name: "ended", Attempt: ended.Attempt, Holder: "a test", TTL: time.Minute})
	wantError(t, err, driver.ErrEnded, "")
	if rec, err := s.Inspect(ctx, "held"); err != nil || rec.State != driver.Held {
		t.Errorf("inspect: %+v, %v", rec, err)
	}
	if all, err := s.List(ctx, "", "", 10); err != nil || len(all) != 2 {
		t.Errorf("list: %v, %v; want both names", all, err)
	}
}

// TestSQLiteHeldNameInABatchThatCannotWrite asks for held and for free names at
// once, so that they share batches which can't have the write lock.
func TestSQLiteHeldNameInABatchThatCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := mustOpen(t, openSQLite(t, path), sqlstore.SQLite, nil)
	var terms []driver.Term
	for i := range 16 {
		terms = append(terms, mustAcquire(t, s, fmt.Sprint("held ", i)))
	}
	other, err := openSQLite(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	mustExec(t, other, "BEGIN IMMEDIATE")
	var all sync.WaitGroup
	for i, term := range terms {
		all.Go(func() {
			err := refusal(t, s, request(fmt.Sprint("free ", i)), time.Second)
			wantError(t, err, driver.ErrUnavailable, "")
		})
		all.Go(func() { wantHeld(t, refusal(t, s, request(term.Name), time.Second), term) })
	}
	all.Wait()
}

// refusal asks with the patience given, and again with the same attempt where that
// ended in doubt.
func refusal(t *testing.T, s driver.Store, r driver.Request, patience time.Duration) error {
	for {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := s.Acquire(ctx, r)
		cancel()
		if !errors.Is(err, driver.ErrUnknown) || t.Context().Err() != nil {
			return err
		}
	}
}

func wantHeld(t *testing.T, err error, term driver.Term) {
	t.Helper()
	var h *driver.HeldError
	if !errors.As(err, &h) || h.Token != term.Token || h.Holder != "a test" || h.Remaining <= 0 {
		t.Errorf("got %v; want that %s is held with token %s", err, term.Name, term.Token)
	}
}

// TestPostgresLapsedTermUnderATransaction: the last holder's guarded transaction
// keeps the record of its term beyond the end of it.
func TestPostgresLapsedTermUnderATransaction(t *testing.T) {
	address := realserver.SharedPostgres(t)
	s := mustOpen(t, openPostgres(t, address), sqlstore.Postgres, &sqlstore.Options{Workers: 1})
	r := request("lapsed")
	r.TTL = 10 * time.Millisecond
	term, err := s.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	released := mustAcquire(t, s, "released")
	if err := s.Release(t.Context(), released); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the lease has lapsed", func() bool {
		rec, err := s.Inspect(t.Context(), "lapsed")
		return err == nil && rec.State == driver.Expired
	})
	tx, err := openPostgres(t, address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	mustExec(t, tx, "SELECT 1 FROM ringfence.lease FOR SHARE")

	const patience = 500 * time.Millisecond
	wantHeld(t, refusal(t, s, request("lapsed"), patience), term)
	wantError(t, refusal(t, s, request("released"), patience), driver.ErrUnavailable, "")
	wantError(t, refusal(t, s, r, patience), driver.ErrUnavailable, "") // its own term
	var all sync.WaitGroup
	for range 4 { // also in batches
		all.Go(func() { wantHeld(t, refusal(t, s, request("lapsed"), patience), term) })
		all.Go(func() { wantError(t, refusal(t, s, request("released"), patience), driver.ErrUnavailable, "") })
	}
	all.Wait()
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if next := mustAcquire(t, s, "lapsed"); next.Token <= term.Token {
		t.Errorf("token %s after %s", next.Token, term.Token)
	}
}
