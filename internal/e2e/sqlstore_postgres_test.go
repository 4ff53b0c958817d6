package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestSQLStore_Postgres(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	db := openPostgres(t, pg.URL("postgres"))
	storetest.Run(t, storetest.Target{
		Open:    func(ctx context.Context) (driver.Store, error) { return sqlstore.Open(ctx, db, sqlstore.Postgres, nil) },
		Restart: func(context.Context) error { pg.Kill(); pg.Start(); return nil },
	})
}

// openPostgres opens a database with settings of the server's, each name=value.
func openPostgres(t *testing.T, address string, settings ...string) *sql.DB {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		q.Set(name, value)
	}
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // as pgx reads it
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestPostgresLockedRowStopsNobodyElse(t *testing.T) {
	address := realserver.SharedPostgres(t)
	s := mustOpen(t, openPostgres(t, address), sqlstore.Postgres, &sqlstore.Options{Workers: 1})
	l := lockRows(t, s, openPostgres(t, address), "SELECT 1 FROM ringfence.lease WHERE name IN ('n0', 'lapsed') FOR SHARE")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l.stopNobodyElse(ctx, t)
	short, end := context.WithTimeout(t.Context(), 2*time.Second)
	defer end()
	err := s.Release(short, l.terms[0])
	wantError(t, err, driver.ErrUnavailable, "locked")
	l.goOn(t)
}

func TestPostgresRefusalWritesNothing(t *testing.T) {
	pg := realserver.NewPostgres(t, &realserver.PostgresOptions{Settings: []string{"autovacuum=off"}})
	db := openPostgres(t, pg.URL("postgres"))
	s := mustOpen(t, db, sqlstore.Postgres, nil)
	mustAcquire(t, s, "n")
	ask := func() {
		if _, err := s.Acquire(t.Context(), request("n")); !errors.Is(err, driver.ErrHeld) {
			t.Fatal(err)
		}
	}
	ask()
	before := query(t, db, "SELECT pg_current_xact_id()::text")
	for range 20 {
		ask()
	}
	// Only this query itself takes a transaction id, which every write needs.
	var one, two int
	fmt.Sscan(before, &one)
	fmt.Sscan(query(t, db, "SELECT pg_current_xact_id()::text"), &two)
	if two != one+1 {
		t.Errorf("20 refusals took %d transaction ids; want none", two-one-1)
	}
}

func TestPostgresEverySetting(t *testing.T) {
	for name, settings := range map[string][]string{
		"serializable":    {"default_transaction_isolation=serializable"},
		"repeatable read": {"default_transaction_isolation=repeatable read"},
		"search path":     {"search_path=elsewhere"},
		"simple protocol": {"default_query_exec_mode=simple_protocol"},
		"no cache":        {"default_query_exec_mode=exec"},
		"time zone":       {"timezone=Asia/Tokyo", "datestyle=German"},
	} {
		t.Run(name, func(t *testing.T) {
			address := realserver.SharedPostgres(t)
			plain := mustOpen(t, openPostgres(t, address), sqlstore.Postgres, nil)
			s := mustOpen(t, openPostgres(t, address, settings...), sqlstore.Postgres, nil)
			var all sync.WaitGroup
			for i := range 32 {
				all.Go(func() {
					for range 5 {
						store := []*sqlstore.Store{s, plain}[i%2]
						term, err := store.Acquire(t.Context(), request(fmt.Sprint("n", i%8)))
						if errors.Is(err, driver.ErrHeld) {
							continue
						}
						if err == nil {
							err = store.Release(t.Context(), term)
						}
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			mustAcquire(t, s, "met")
			_, err := plain.Acquire(t.Context(), request("met"))
			wantError(t, err, driver.ErrHeld, "a test")
		})
	}
}

func TestPostgresRoles(t *testing.T) {
	address := realserver.SharedPostgres(t)
	owner := openPostgres(t, address)
	as := func(name string) *sql.DB {
		mustExec(t, owner, fmt.Sprintf("DROP ROLE IF EXISTS %[1]s; CREATE ROLE %[1]s LOGIN PASSWORD 'pass'", name))
		u, _ := url.Parse(address)
		u.User = url.UserPassword(name, "pass")
		t.Cleanup(func() {
			_, _ = owner.ExecContext(context.Background(), fmt.Sprintf("DROP OWNED BY %[1]s; DROP ROLE %[1]s", name))
		})
		return openPostgres(t, u.String())
	}
	nobody, worker, reader := as("sqlstore_nobody"), as("sqlstore_worker"), as("sqlstore_reader")
	_, err := sqlstore.Open(t.Context(), nobody, sqlstore.Postgres, nil)
	wantError(t, err, driver.ErrUnfit, "with a role that may create them")

	mustAcquire(t, mustOpen(t, owner, sqlstore.Postgres, nil), "owned")
	_, err = sqlstore.Open(t.Context(), nobody, sqlstore.Postgres, nil)
	wantError(t, err, driver.ErrUnfit, "USAGE on the schema ringfence")

	mustExec(t, owner, `GRANT USAGE ON SCHEMA ringfence TO sqlstore_reader; GRANT SELECT ON ALL TABLES IN SCHEMA ringfence TO sqlstore_reader`)
	_, err = sqlstore.Open(t.Context(), reader, sqlstore.Postgres, nil)
	wantError(t, err, driver.ErrUnfit, "lacks INSERT on ringfence.lease")

	mustExec(t, owner, `GRANT USAGE ON SCHEMA ringfence TO sqlstore_worker;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ringfence TO sqlstore_worker`)
	s := mustOpen(t, worker, sqlstore.Postgres, nil)
	term := mustAcquire(t, s, "n")
	mustExec(t, owner, "UPDATE ringfence.store SET identity = 'another'")
	mustAcquire(t, s, "after a fail-over")
	if err := s.Release(t.Context(), term); err != nil {
		t.Error(err)
	}
	if n, err := s.Prune(t.Context(), 0, 10); err != nil || n != 1 {
		t.Errorf("pruned %d, %v; want the released one", n, err)
	}
}

func TestPostgresThatHidesItsIdentity(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	pg.Exec("CREATE ROLE worker LOGIN PASSWORD 'pass'; REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; GRANT CREATE ON DATABASE postgres TO worker")
	u, _ := url.Parse(pg.URL("postgres"))
	u.User = url.UserPassword("worker", "pass")
	db := openPostgres(t, u.String())
	_, err := sqlstore.Open(t.Context(), db, sqlstore.Postgres, nil)
	wantError(t, err, driver.ErrUnfit, "WeakIdentity")
	s := mustOpen(t, db, sqlstore.Postgres, &sqlstore.Options{WeakIdentity: true})
	before := mustAcquire(t, s, "n")
	pg.Restart()
	mustAcquire(t, s, "m")
	if _, err := s.Renew(t.Context(), before, time.Minute); err != nil {
		t.Error(err)
	}
	if id, err := s.Identity(t.Context()); err != nil || id.Previous == "" {
		t.Errorf("identity %+v, %v; want the restart noted", id, err)
	}
}

func TestPostgresThatCannotHostLeases(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	pg.Exec("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
	proxy := realserver.NewProxy(t, pg.Addr())
	gone, _ := url.Parse(pg.URL("postgres"))
	gone.Host = proxy.Addr()
	proxy.Refuse()
	nobody, _ := url.Parse(pg.URL("postgres"))
	nobody.User = url.UserPassword("nobody", "s3cret")
	for _, c := range []struct {
		name string
		db   *sql.DB
		want error
		says string
	}{
		{"encoding", openPostgres(t, pg.URL("latin")), driver.ErrUnfit, "LATIN1"},
		{"read-only", openPostgres(t, pg.URL("postgres"), "default_transaction_read_only=on"), driver.ErrUnfit, "default_transaction_read_only"},
		{"no database", openPostgres(t, pg.URL("missing")), driver.ErrUnfit, "create the database"},
		{"bad password", openPostgres(t, nobody.String()), driver.ErrUnfit, "password"},
		{"refusing", openPostgres(t, gone.String()), driver.ErrUnavailable, ""},
		{"standby", openPostgres(t, pg.Standby(t).URL("postgres")), driver.ErrUnavailable, "standby"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			_, err := sqlstore.Open(t.Context(), c.db, sqlstore.Postgres, nil)
			wantError(t, err, c.want, c.says)
			if err != nil && strings.Contains(err.Error(), "s3cret") || time.Since(began) > 5*time.Second {
				t.Errorf("after %s: %v", time.Since(began), err)
			}
		})
	}
}

// TestPostgresPoolThatKeepsFewConnections: a *sql.DB keeps two idle ones, unless
// told otherwise. A store that used more would open them anew for each burst.
func TestPostgresPoolThatKeepsFewConnections(t *testing.T) {
	db := openPostgres(t, realserver.SharedPostgres(t))
	s := mustOpen(t, db, sqlstore.Postgres, nil)
	for burst := range 20 {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if _, err := s.Acquire(t.Context(), request(fmt.Sprint(burst, " ", i))); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	if n := db.Stats().MaxIdleClosed; n > 12 {
		t.Errorf("%d connections were closed in 20 bursts", n)
	}
}

func TestPostgresRestartUnderAPool(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	db := openPostgres(t, pg.URL("postgres"))
	db.SetMaxIdleConns(4)
	s := mustOpen(t, db, sqlstore.Postgres, &sqlstore.Options{Workers: 4})
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() { mustAcquire(t, s, fmt.Sprint("n", i)) })
	}
	all.Wait()
	term := mustAcquire(t, s, "held")
	pg.Restart()
	mustAcquire(t, s, "m")
	pg.Restart()
	if _, err := s.Renew(t.Context(), term, time.Minute); err != nil {
		t.Error(err)
	}
	pg.Restart()
	if err := s.Release(t.Context(), term); err != nil {
		t.Error(err)
	}
}

func TestPostgresDoubtIsResolvedByTheSameAttempt(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	proxy := realserver.NewProxy(t, pg.Addr())
	u, _ := url.Parse(pg.URL("postgres"))
	u.Host = proxy.Addr()
	s := mustOpen(t, openPostgres(t, u.String()), sqlstore.Postgres, nil)
	// One execution grants a name that was used before.
	if err := s.Release(t.Context(), mustAcquire(t, s, "n")); err != nil {
		t.Fatal(err)
	}
	r := request("n")
	proxy.DropReplies()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := s.Acquire(ctx, r)
	wantError(t, err, driver.ErrUnknown, "same attempt")
	proxy.Heal()
	again, err := s.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := s.Inspect(t.Context(), "n")
	if err != nil || rec.State != driver.Held || rec.Token != again.Token {
		t.Errorf("%+v, %v; want the one grant %s", rec, err, again.Token)
	}
}

func TestPostgresLostReleaseOfANameThatWasGrantedSince(t *testing.T) {
	address := realserver.SharedPostgres(t)
	other := mustOpen(t, openPostgres(t, address), sqlstore.Postgres, nil)
	u, _ := url.Parse(address)
	proxy := realserver.NewProxy(t, u.Host)
	u.Host = proxy.Addr()
	lostRelease(t, proxy, mustOpen(t, openPostgres(t, u.String()), sqlstore.Postgres, nil), other)
}

// lostRelease checks what a release says whose answer was lost on its way to s, while
// another store granted the name.
func lostRelease(t *testing.T, proxy *realserver.Proxy, s, other *sqlstore.Store) {
	t.Helper()
	if err := s.Release(t.Context(), mustAcquire(t, s, "n")); err != nil { // now it knows the statements
		t.Fatal(err)
	}
	term := mustAcquire(t, s, "n")
	proxy.DropReplies()
	done := make(chan error, 1)
	go func() { done <- s.Release(t.Context(), term) }()
	waitUntil(t, "the release has arrived", func() bool {
		rec, err := other.Inspect(t.Context(), "n")
		return err == nil && rec.State == driver.Released && proxy.Dropped()
	})
	mustAcquire(t, other, "n")
	proxy.Heal()
	wantError(t, <-done, driver.ErrUnknown, "granted again")
	wantError(t, s.Release(t.Context(), term), driver.ErrEnded, "superseded") // now it is certain
}

func TestPostgresRaiseWaitsForGrantsUnderWay(t *testing.T) {
	address := realserver.SharedPostgres(t)
	s := mustOpen(t, openPostgres(t, address), sqlstore.Postgres, nil)
	term := mustAcquire(t, s, "n")
	tx, err := openPostgres(t, address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	mustExec(t, tx, "INSERT INTO ringfence.lease SELECT 'slow', token, 'a', 'h', 'held', now(), now() FROM ringfence.lease")
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.Raise(short, term.Token+1); err == nil {
		t.Error("the floor is in force while a grant that may not have seen it is under way")
	}
	if _, err := s.Acquire(t.Context(), request("others go on")); err != nil {
		t.Error(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Raise(t.Context(), term.Token+1); err != nil {
		t.Error(err)
	}
}
