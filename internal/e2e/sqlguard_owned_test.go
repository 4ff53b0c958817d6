package e2e

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// leases is a real lease store in the same database as the data.
func (g guarded) leases(t *testing.T) *sqlstore.Store {
	t.Helper()
	kind := map[sqlguard.Dialect]sqlstore.Dialect{
		sqlguard.SQLite: sqlstore.SQLite, sqlguard.Postgres: sqlstore.Postgres, sqlguard.MySQL: sqlstore.MySQL,
	}[g.dialect]
	s, err := sqlstore.Open(t.Context(), g.DB, kind, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func acquire(t *testing.T, s driver.Store, attempt string, ttl time.Duration) driver.Term {
	t.Helper()
	for {
		term, err := s.Acquire(t.Context(), driver.Request{Name: "job", Attempt: attempt, Holder: "test", TTL: ttl})
		if err == nil {
			return term
		}
		if !errors.Is(err, driver.ErrHeld) || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// owned asks in a transaction of its own.
func (g guarded) owned(t *testing.T, o sqlguard.Owned, f fence.Fence) fence.Verdict {
	t.Helper()
	tx, err := g.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	v, err := o.Admit(t.Context(), tx, f)
	if v.OK() != (err == nil) || !v.OK() && !errors.Is(err, fence.ErrRefused) {
		t.Errorf("%v with error %v", v, err)
	}
	return v
}

func TestSQLGuardOwned(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		s := g.leases(t)
		plain := sqlguard.Owned{Dialect: g.dialect, Counter: new(guard.Counter)}
		strict := sqlguard.Owned{Dialect: g.dialect, Strict: true}
		expect := func(when string, o sqlguard.Owned, f fence.Fence, want fence.Cause) {
			t.Helper()
			if v := g.owned(t, o, f); v.Cause != want || v.OK() != (want == fence.NoCause) {
				t.Errorf("%s, strict %t: %v; want %s", when, o.Strict, v, want)
			}
		}
		expect("no lease", plain, job(7), fence.NotEstablished)
		first := acquire(t, s, "first", 300*time.Millisecond)
		expect("held", plain, first.Fence, fence.NoCause)
		expect("held", strict, first.Fence, fence.NoCause)
		expect("a number that the table has not reached", plain, job(first.Token+1), fence.NotEstablished)
		expect("no number", plain, job(0), fence.Invalid)
		g.awaitState(t, s, driver.Expired)
		expect("expired", plain, first.Fence, fence.NoCause)
		expect("expired", strict, first.Fence, fence.Lapsed)
		second := acquire(t, s, "second", time.Minute)
		expect("superseded", plain, first.Fence, fence.Superseded)
		expect("superseded", strict, first.Fence, fence.Superseded)
		if err := s.Release(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		expect("released", plain, second.Fence, fence.Lapsed)
		if n := plain.Counter.Refusals()[fence.Lapsed]; n != 1 {
			t.Errorf("%d lapsed counted; want 1", n)
		}
	})
}

func (g guarded) awaitState(t *testing.T, s driver.Store, want driver.State) {
	t.Helper()
	for {
		rec, err := s.Inspect(t.Context(), "job")
		if err != nil {
			t.Fatal(err)
		}
		if rec.State == want {
			return
		}
	}
}

// TestSQLGuardOwnedHoldsOffATakeover: from the check to the commit nobody can
// take the lease over, even one that has expired.
func TestSQLGuardOwnedHoldsOffATakeover(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		s := g.leases(t)
		first := acquire(t, s, "first", 300*time.Millisecond)
		g.awaitState(t, s, driver.Expired)
		tx, err := g.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, err := (sqlguard.Owned{Dialect: g.dialect}).Admit(t.Context(), tx, first.Fence); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if term, err := s.Acquire(ctx, driver.Request{Name: "job", Attempt: "second", Holder: "test", TTL: time.Minute}); err == nil {
			t.Errorf("token %s was granted while a transaction relied on %s", term.Token, first.Token)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		second := acquire(t, s, "second", time.Minute)
		if second.Token <= first.Token {
			t.Errorf("token %s after %s", second.Token, first.Token)
		}
	})
}

func TestSQLGuardOwnedWithoutATable(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		tx, err := g.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, err := (sqlguard.Owned{Dialect: g.dialect}).Admit(t.Context(), tx, job(7)); !errors.Is(err, guard.ErrUnfit) {
			t.Errorf("got %v; want guard.ErrUnfit", err)
		}
	})
}

// TestSQLGuardStrictUsesTheTimeOfTheStatement: a transaction that began before
// the lease ran out does not keep the time of its beginning.
func TestSQLGuardStrictUsesTheTimeOfTheStatement(t *testing.T) {
	t.Parallel()
	g := guardedPostgres(t) // a transaction of SQLite has no time of its own
	s := g.leases(t)
	term := acquire(t, s, "first", 300*time.Millisecond)
	tx, err := g.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	g.awaitState(t, s, driver.Expired)
	v, err := sqlguard.Owned{Dialect: g.dialect, Strict: true}.Admit(t.Context(), tx, term.Fence)
	if causeOf(err) != fence.Lapsed {
		t.Errorf("%v (error %v); want lapsed", v, err)
	}
}
