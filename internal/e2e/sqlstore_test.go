package e2e

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// onEach runs a test on an empty SQLite file, and on an empty PostgreSQL and an empty
// MySQL database.
func onEach(t *testing.T, f func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB)) {
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "leases.db")
		f(t, sqlstore.SQLite, func() *sql.DB { return openSQLite(t, path) })
	})
	t.Run("postgres", func(t *testing.T) {
		url := realserver.SharedPostgres(t)
		f(t, sqlstore.Postgres, func() *sql.DB { return openPostgres(t, url) })
	})
	t.Run("mysql", func(t *testing.T) {
		address := realserver.SharedMariaDB(t)
		f(t, sqlstore.MySQL, func() *sql.DB {
			return openMySQL(t, address, "multiStatements=true", "max_recursive_iterations=100000")
		})
	})
}

func mustOpen(t *testing.T, db *sql.DB, d sqlstore.Dialect, o *sqlstore.Options) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), db, d, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func request(name string) driver.Request {
	return driver.Request{Name: name, Attempt: rand.Text(), Holder: "a test", TTL: time.Minute}
}

func mustAcquire(t *testing.T, s driver.Store, name string) driver.Term {
	t.Helper()
	term, err := s.Acquire(t.Context(), request(name))
	if err != nil {
		t.Fatal(err)
	}
	return term
}

type execer interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

func mustExec(t *testing.T, db execer, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func query(t *testing.T, db *sql.DB, statement string) (text string) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), statement).Scan(&text); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return text
}

func wantError(t *testing.T, err, want error, says string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v; want %v that says %q", err, want, says)
	}
}

// table spells a table in the words of each dialect.
func table(d sqlstore.Dialect, name string) string {
	if d == sqlstore.Postgres {
		return "ringfence." + name
	}
	return "ringfence_" + name
}

func TestManyRacersOneWinner(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		var stores []*sqlstore.Store
		for range 4 {
			stores = append(stores, mustOpen(t, connect(), d, nil))
		}
		for round := range 5 {
			name := fmt.Sprint("raced ", round%2) // fresh, and used before
			var mu sync.Mutex
			var won []driver.Term
			var all sync.WaitGroup
			for i := range 64 {
				all.Go(func() {
					term, err := stores[i%len(stores)].Acquire(t.Context(), request(name))
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						won = append(won, term)
					} else if h := (*driver.HeldError)(nil); !errors.As(err, &h) || h.Token == 0 || h.Holder == "" {
						t.Errorf("a loser: %v; want a full HeldError", err)
					}
				})
			}
			all.Wait()
			if len(won) != 1 {
				t.Fatalf("%d winners: %v", len(won), won)
			}
			if err := stores[0].Release(t.Context(), won[0]); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestIdentityChange(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		db := connect()
		s, strict := mustOpen(t, db, d, nil), mustOpen(t, connect(), d, &sqlstore.Options{RefuseNewIdentity: true})
		before, held := mustAcquire(t, s, "n"), mustAcquire(t, s, "held")
		if err := s.Release(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		for _, change := range []string{
			"UPDATE " + table(d, "store") + " SET identity = 'another'",
			"DELETE FROM " + table(d, "store"),
		} {
			mustExec(t, db, change)
			if id, err := s.Identity(t.Context()); err != nil || id.Current == "" {
				t.Errorf("identity before anybody noticed: %+v, %v", id, err)
			}
			_, err := strict.Acquire(t.Context(), request("n"))
			wantError(t, err, driver.ErrUnfit, "ringfence recover")

			after := mustAcquire(t, s, "n")
			tick := fence.TickOf(time.Now())
			if after.Token <= before.Token || after.Token < (tick+30_000).First() {
				t.Errorf("token %s after %s; want a minute beyond the clock", after.Token, before.Token)
			}
			id, err := s.Identity(t.Context())
			if err != nil || id.Current == "" || id.Previous == "" || id.ChangedAt.IsZero() || id.Floor >= after.Token {
				t.Errorf("identity %+v, %v; want the change noted", id, err)
			}
			if _, err := strict.Raise(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			mustAcquire(t, strict, "accepted "+change)
			if err := s.Release(t.Context(), after); err != nil {
				t.Fatal(err)
			}
			before = after
		}
		if _, err := s.Renew(t.Context(), held, time.Minute); err != nil {
			t.Errorf("renew a term from before the change: %v", err)
		}
	})
}

func TestSchemaOfAnotherReleaseOrProduct(t *testing.T) {
	for _, c := range []struct{ name, change, says string }{
		{"newer", "UPDATE %[1]s SET schema_version = 2", "newer release"},
		{"older", "UPDATE %[1]s SET schema_version = 0", "version 0"},
		{"foreign", "ALTER TABLE %[2]s RENAME COLUMN attempt TO owner", "another product"},
		{"half", "DROP TABLE %[1]s", "only one is there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
				db := connect()
				_ = mustOpen(t, db, d, nil).Close()
				mustExec(t, db, fmt.Sprintf(c.change, table(d, "store"), table(d, "lease")))
				_, err := sqlstore.Open(t.Context(), db, d, nil)
				wantError(t, err, driver.ErrUnfit, c.says)
			})
		})
	}
}

func TestSchemaMadeByHand(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		db := connect()
		_, err := sqlstore.Open(t.Context(), db, d, &sqlstore.Options{NoSetup: true})
		wantError(t, err, driver.ErrUnfit, "sqlstore.Schema")
		for range 2 {
			mustExec(t, db, sqlstore.Schema(d))
		}
		s := mustOpen(t, db, d, &sqlstore.Options{NoSetup: true, RefuseNewIdentity: true, Label: "mine"})
		mustAcquire(t, s, "n")
		if s.Properties().Store != "mine" {
			t.Errorf("the label is %q", s.Properties().Store)
		}
	})
}

func TestManyClientsSetUpAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		var all sync.WaitGroup
		for range 8 {
			db := connect()
			all.Go(func() {
				s, err := sqlstore.Open(t.Context(), db, d, nil)
				if err != nil {
					t.Error(err)
					return
				}
				_ = s.Close()
			})
		}
		all.Wait()
	})
}

func TestNoTokenIsLeft(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		s := mustOpen(t, connect(), d, nil)
		if _, err := s.Raise(t.Context(), fence.MaxToken-1); err != nil {
			t.Fatal(err)
		}
		last := mustAcquire(t, s, "n")
		if last.Token != fence.MaxToken {
			t.Errorf("token %s; want the highest", last.Token)
		}
		if err := s.Release(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		_, err := s.Acquire(t.Context(), request("n"))
		wantError(t, err, driver.ErrUnfit, "no token is left")
		if rec, err := s.Inspect(t.Context(), "n"); err != nil || rec.Token != last.Token || rec.State != driver.Released {
			t.Errorf("%+v, %v; want the record as it was", rec, err)
		}
		if _, err := s.Raise(t.Context(), fence.MaxToken); err != nil {
			t.Fatal(err)
		}
		_, err = s.Acquire(t.Context(), request("fresh"))
		wantError(t, err, driver.ErrUnfit, "no token is left")
	})
}

func TestPruneLeavesNothingBehindAndNumbersRise(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		db := connect()
		s := mustOpen(t, db, d, nil)
		live := mustAcquire(t, s, "live")
		names, row, rest := 10_000, "'name ' || n, n", "0, 0" // the race detector makes SQLite in Go slow
		switch d {
		case sqlstore.Postgres:
			names, rest = 100_000, "'2020-01-01', '2020-01-01'"
		case sqlstore.MySQL:
			row, rest = "CONCAT('name ', n), n", "0, 0, '', 0"
		}
		columns := "name, token, attempt, holder, state, granted_at, expires_at"
		if d == sqlstore.MySQL {
			columns += ", ended_by, batch"
		}
		mustExec(t, db, fmt.Sprintf(`INSERT INTO %s (%s)
			WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)
			SELECT %s, 'a', 'h', 'released', %s FROM numbers`, table(d, "lease"), columns, names, row, rest))
		last := mustAcquire(t, s, "last") // the highest number that goes
		if err := s.Release(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "its tick is over", func() bool { return fence.TickOf(time.Now()) > last.Token.Tick() })
		gone := 0
		for n, err := -1, error(nil); n != 0; gone += n {
			if n, err = s.Prune(t.Context(), 0, 30_000); err != nil {
				t.Fatal(err)
			}
		}
		if left := query(t, db, "SELECT count(*) FROM "+table(d, "lease")); gone != names+1 || left != "1" {
			t.Errorf("%d of %d names went, %s are left; want all but the live one", gone, names+1, left)
		}
		// The floor stands in for a clock that was set back.
		if id, err := s.Identity(t.Context()); err != nil || id.Floor != last.Token {
			t.Errorf("the floor is %s, %v; want %s, the highest number that went", id.Floor, err, last.Token)
		}
		if again := mustAcquire(t, s, "last"); again.Token <= last.Token {
			t.Errorf("token %s came back after %s", again.Token, last.Token)
		}
		if _, err := s.Renew(t.Context(), live, time.Minute); err != nil {
			t.Errorf("renew the live one: %v", err)
		}
	})
}

func TestNumbersRiseAheadOfTheClock(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		s := mustOpen(t, connect(), d, nil)
		floor, err := s.Raise(t.Context(), (fence.TickOf(time.Now()) + 60_000).First())
		if err != nil {
			t.Fatal(err)
		}
		for i := range fence.Token(5) {
			term := mustAcquire(t, s, "n")
			if term.Token != floor+1+i {
				t.Errorf("grant %d has token %s above the floor %s", i+1, term.Token, floor)
			}
			if err := s.Release(t.Context(), term); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestPruneKeepsNumbersThatRanAheadOfTheClock(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		s := mustOpen(t, connect(), d, nil)
		if _, err := s.Raise(t.Context(), (fence.TickOf(time.Now()) + 60_000).First()); err != nil {
			t.Fatal(err)
		}
		if err := s.Release(t.Context(), mustAcquire(t, s, "n")); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Prune(t.Context(), 0, 10); n != 0 || err != nil {
			t.Errorf("pruned %d, %v; want none, since a lost floor could not be made up for by the clock", n, err)
		}
	})
}

func TestNoGoroutineIsLeft(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		s := mustOpen(t, connect(), d, nil)
		mustAcquire(t, s, "n")
		waitUntil(t, "an idle store has no goroutine", func() bool { return !strings.Contains(stacks(), "sqlstore.(*queue)") })
		var all sync.WaitGroup
		for i := range 64 {
			all.Go(func() { _, _ = s.Acquire(t.Context(), request(fmt.Sprint("m", i))) })
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
		waitUntil(t, "a closed store has no goroutine", func() bool { return !strings.Contains(stacks(), "sqlstore.(") })
	})
}

func stacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}

func waitUntil(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("not so within 10 s: %s", what)
		}
		runtime.Gosched()
	}
}
