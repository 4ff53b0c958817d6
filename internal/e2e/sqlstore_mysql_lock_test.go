package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// TestMySQLLockedRowStopsNobodyElse: a guarded transaction keeps two records as they
// are; nobody waits for it but those who ask for the same names.
func TestMySQLLockedRowStopsNobodyElse(t *testing.T) {
	t.Parallel()
	t.Run("MariaDB", func(t *testing.T) { t.Parallel(); lockedRowStopsNobodyElse(t, realserver.SharedMariaDB(t)) })
	t.Run("as MySQL", func(t *testing.T) {
		t.Parallel()
		lockedRowStopsNobodyElse(t, newMySQL(t, "version=8.0.36").URL("leases"))
	})
}

func lockedRowStopsNobodyElse(t *testing.T, address string) {
	s := mustOpen(t, openMySQL(t, address), sqlstore.MySQL, &sqlstore.Options{Workers: 1})
	l := lockRows(t, s, openMySQL(t, address), "SELECT 1 FROM ringfence_lease WHERE name IN ('n0', 'lapsed') LOCK IN SHARE MODE")
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second) // less than the server waits for a lock
	defer cancel()
	alone := mustOpen(t, openMySQL(t, address), sqlstore.MySQL, nil)
	for range 3 { // one call at a time, of which none reads a row of others
		takeAndRelease(t, alone, "alone")
		if _, err := alone.Renew(ctx, l.terms[1], time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	l.stopNobodyElse(ctx, t)
	wantHeld(t, refusal(t, s, request("lapsed"), 500*time.Millisecond), l.over)
	l.goOn(t)
}

// TestMySQLPlacesThatCountForNothing: a client grants a name although there is a place in its line,
// where that has lapsed or is the caller's own, also one that it got through another client.
func TestMySQLPlacesThatCountForNothing(t *testing.T) {
	t.Parallel()
	db := openMySQL(t, realserver.SharedMariaDB(t))
	s, other := mustOpen(t, db, sqlstore.MySQL, nil), mustOpen(t, db, sqlstore.MySQL, nil)
	for _, name := range []string{"own", "lapsed"} {
		if err := s.Release(t.Context(), mustAcquire(t, s, name)); err != nil {
			t.Fatal(err)
		}
	}
	own, lapsed := request("own"), request("lapsed")
	for r, keep := range map[driver.Request]time.Duration{own: time.Minute, lapsed: driver.MinKeep} {
		if _, err := other.Wait(t.Context(), r, keep); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Acquire(t.Context(), request("own")); !errors.Is(err, driver.ErrHeld) {
		t.Errorf("while another waits: %v", err)
	}
	if _, err := s.Acquire(t.Context(), own); err != nil {
		t.Errorf("the first in line: %v", err)
	}
	mustExec(t, db, "UPDATE ringfence_line SET lapses_at = 1 WHERE name = 'lapsed'")
	mustAcquire(t, s, "lapsed")
	if n := query(t, db, "SELECT COUNT(*) FROM ringfence_line WHERE name = 'lapsed'"); n != "0" {
		t.Errorf("%s places that lapsed long ago are still looked at", n)
	}
}

// TestMySQLGrantSeesTheFloor: whoever raises the floor has every later grant above it, whatever the
// session of a grant is set to.
func TestMySQLGrantSeesTheFloor(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	s := mustOpen(t, openMySQL(t, address, "tx_isolation='read-committed'"), sqlstore.MySQL, nil)
	if err := s.Release(t.Context(), mustAcquire(t, s, "n")); err != nil {
		t.Fatal(err)
	}
	tx, err := openMySQL(t, address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	const floor = fence.MaxToken / 2
	mustExec(t, tx, fmt.Sprint("UPDATE ringfence_store SET floor = ", int64(floor)))
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r := request("n")
	if term, err := s.Acquire(short, r); err == nil {
		t.Errorf("granted with token %s while the floor is being raised", term.Token)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if term, err := s.Acquire(t.Context(), r); err != nil || term.Token <= floor {
		t.Errorf("token %s, %v; want one above the floor %d", term.Token, err, int64(floor))
	}
}

func TestMySQLRaiseWaitsForGrantsUnderWay(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	s := mustOpen(t, openMySQL(t, address), sqlstore.MySQL, nil)
	term := mustAcquire(t, s, "n")
	other := openMySQL(t, address)
	tx, err := other.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	// A grant that is not committed yet: it shares the record of the store with others.
	mustExec(t, tx, "INSERT INTO ringfence_lease SELECT 'slow', l.token, l.attempt, l.holder, l.state, l.granted_at, l.expires_at, l.ended_by, l.batch FROM ringfence_lease l JOIN (SELECT floor FROM ringfence_store LOCK IN SHARE MODE) s")
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := s.Raise(short, term.Token+1); err == nil {
		t.Error("the floor is in force while a grant that may not have seen it is under way")
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Raise(t.Context(), term.Token+1); err != nil {
		t.Error(err)
	}
}
