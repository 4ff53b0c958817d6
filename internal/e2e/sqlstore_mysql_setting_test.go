package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// TestMySQLEverySetting: what a session or a driver may be set to makes no
// difference, and clients with different settings meet.
func TestMySQLEverySetting(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"serializable":     {"tx_isolation='serializable'"},
		"read uncommitted": {"tx_isolation='read-uncommitted'"},
		"no autocommit":    {"autocommit=0"},
		"found rows":       {"clientFoundRows=true"},
		"times":            {"parseTime=true", "loc=Asia%2FTokyo", "time_zone='%2B09:00'"},
		"latin1":           {"charset=latin1"},
		"no mode":          {"sql_mode=''"},
		"every mode": {"sql_mode='ANSI,TRADITIONAL,NO_BACKSLASH_ESCAPES,IGNORE_SPACE,HIGH_NOT_PRECEDENCE,NO_UNSIGNED_SUBTRACTION," +
			"PAD_CHAR_TO_FULL_LENGTH,EMPTY_STRING_IS_NULL,SIMULTANEOUS_ASSIGNMENT,TIME_ROUND_FRACTIONAL'"},
		"oracle":       {"sql_mode='ORACLE'"},
		"snapshots":    {"innodb_snapshot_isolation=1"},
		"interpolated": {"interpolateParams=true", "multiStatements=true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := realserver.SharedMariaDB(t)
			plain := mustOpen(t, openMySQL(t, address), sqlstore.MySQL, nil)
			db := openMySQL(t, address, settings...)
			s := mustOpen(t, db, sqlstore.MySQL, nil)
			var all sync.WaitGroup
			for i := range 32 {
				all.Go(func() {
					for range 5 {
						takeAndRelease(t, []*sqlstore.Store{s, plain}[i%2], fmt.Sprint("n", i%8))
					}
				})
			}
			all.Wait()
			met := request("ü met '\"\\")
			met.Holder = "名前 'ü' 🚦"
			if _, err := s.Acquire(t.Context(), met); err != nil {
				t.Fatal(err)
			}
			_, err := plain.Acquire(t.Context(), request(met.Name))
			if h := (*driver.HeldError)(nil); !errors.As(err, &h) || h.Holder != met.Holder || h.Remaining < 30*time.Second || h.Remaining > time.Minute {
				t.Errorf("met: %v; want held by the first", err)
			}
			standInLine(t, s, plain, met.Name)
			rec, err := s.Break(t.Context(), met.Name, "ü")
			if err != nil || rec.Holder != met.Holder || time.Since(rec.GrantedAt).Abs() > time.Minute {
				t.Errorf("break: %+v, %v", rec, err)
			}
			if rec, err := s.Inspect(t.Context(), met.Name); err != nil || rec.State != driver.Forced || rec.EndedBy != "ü" {
				t.Errorf("inspect: %+v, %v", rec, err)
			}
			if _, err := s.Prune(t.Context(), 0, 100); err != nil {
				t.Errorf("prune: %v", err)
			}
			if _, err := s.Raise(t.Context(), 1); err != nil {
				t.Errorf("raise: %v", err)
			}
		})
	}
}

func takeAndRelease(t *testing.T, s driver.Store, name string) {
	term, err := s.Acquire(t.Context(), request(name))
	if errors.Is(err, driver.ErrHeld) {
		return
	}
	if err == nil {
		err = s.Release(t.Context(), term)
	}
	if err != nil {
		t.Error(err)
	}
}

// standInLine has a place got, kept and given up through s, and looks through another client.
func standInLine(t *testing.T, s, other *sqlstore.Store, name string) {
	r := request(name)
	for range 2 {
		if _, err := s.Wait(t.Context(), r, driver.MaxKeep); err != nil {
			t.Error(err)
		}
		if all, err := other.Waiters(t.Context(), name, 9); err != nil || len(all) != 1 {
			t.Errorf("%+v wait, %v; want one", all, err)
		}
	}
	if err := s.Leave(t.Context(), name, r.Attempt); err != nil {
		t.Error(err)
	}
	if all, err := other.Waiters(t.Context(), name, 9); err != nil || len(all) != 0 {
		t.Errorf("%+v wait, %v, after the only one left", all, err)
	}
}

// TestMySQLConnectionsComeBackAsTheyWere: a session that does not commit by itself
// is given back as one.
func TestMySQLConnectionsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	db := openMySQL(t, address, "autocommit=0")
	db.SetMaxOpenConns(1)
	s, other := mustOpen(t, db, sqlstore.MySQL, nil), mustOpen(t, openMySQL(t, address), sqlstore.MySQL, nil)
	seen := func(state driver.State, left time.Duration) {
		t.Helper()
		if got := query(t, db, "SELECT @@autocommit"); got != "0" {
			t.Errorf("autocommit is %s; want 0", got)
		}
		rec, err := other.Inspect(t.Context(), "n")
		if err != nil || rec.State != state || rec.Remaining < left {
			t.Errorf("another client sees %+v, %v; want the lease %s, and for %s at least", rec, err, state, left)
		}
	}
	for range 3 { // each time the session is as it was before the first
		term := mustAcquire(t, s, "n")
		seen(driver.Held, 0)
		if _, err := s.Renew(t.Context(), term, time.Hour); err != nil {
			t.Error(err)
		}
		seen(driver.Held, 50*time.Minute)
		if err := s.Release(t.Context(), term); err != nil {
			t.Error(err)
		}
		seen(driver.Released, 0)
	}
}

// TestMySQLBatchOfReleasesBesideOthers: a name that was released may be another's
// before the store has asked what became of the batch. It was released all the same.
func TestMySQLBatchOfReleasesBesideOthers(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	s := mustOpen(t, openMySQL(t, address), sqlstore.MySQL, &sqlstore.Options{Workers: 1})
	other := mustOpen(t, openMySQL(t, address), sqlstore.MySQL, nil)
	locked := mustAcquire(t, s, "locked")
	tx, err := openMySQL(t, address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	mustExec(t, tx, "SELECT 1 FROM ringfence_lease WHERE name = 'locked' FOR UPDATE")
	ctx, cancel := context.WithCancel(t.Context())
	var rivals, all sync.WaitGroup
	defer rivals.Wait()
	defer cancel()
	all.Go(func() { _ = s.Release(ctx, locked) }) // so that no batch is done as a whole
	rivals.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			takeAndRelease(t, other, fmt.Sprint("n", i%8))
		}
	})
	var mine sync.WaitGroup
	for i := range 8 {
		mine.Go(func() {
			for range 20 {
				takeAndRelease(t, s, fmt.Sprint("n", i))
			}
		})
	}
	mine.Wait()
	cancel()
	all.Wait()
}

// TestMySQLSetupWaitsForAnotherClient: one of the tables is there because another
// client is creating them.
func TestMySQLSetupWaitsForAnotherClient(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	db := openMySQL(t, address)
	_ = mustOpen(t, db, sqlstore.MySQL, nil).Close()
	setup, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer setup.Close()
	mustExec(t, setup, "RENAME TABLE ringfence_lease TO later")
	mustExec(t, setup, "DO GET_LOCK(CONCAT('ringfence ', MD5(DATABASE())), 0)")
	opened := make(chan error, 1)
	go func() {
		s, err := sqlstore.Open(t.Context(), db, sqlstore.MySQL, nil)
		if err == nil {
			_ = s.Close()
		}
		opened <- err
	}()
	waitUntil(t, "it waits", func() bool {
		select {
		case err := <-opened:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
		return query(t, db, "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND state = 'User lock'") == "1"
	})
	mustExec(t, setup, "RENAME TABLE later TO ringfence_lease")
	mustExec(t, setup, "DO RELEASE_ALL_LOCKS()")
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

// TestMySQLRefusalWritesNothing: a name that is held costs the server no write.
func TestMySQLRefusalWritesNothing(t *testing.T) {
	t.Parallel()
	m := newMySQL(t, "log-bin=log")
	s := mustOpen(t, openMySQL(t, m.URL("leases")), sqlstore.MySQL, nil)
	mustAcquire(t, s, "n")
	position := func() string { return m.Exec("SHOW MASTER STATUS") }
	before := position()
	for range 5 {
		if _, err := s.Acquire(t.Context(), request("n")); !errors.Is(err, driver.ErrHeld) {
			t.Fatal(err)
		}
	}
	if after := position(); after != before {
		t.Errorf("five refusals moved the log from %q to %q", before, after)
	}
}

// TestMySQLServersThatCannotHostLeases: each is refused, with what to do.
func TestMySQLServersThatCannotHostLeases(t *testing.T) {
	t.Parallel()
	m := newMySQL(t)
	statements := newMySQL(t, "log-bin=log", "binlog-format=STATEMENT")
	m.Exec(`CREATE DATABASE myisam; CREATE DATABASE granted;
		CREATE USER nobody@'127.0.0.1' IDENTIFIED BY 'pass'; GRANT SELECT ON leases.* TO nobody@'127.0.0.1';
		CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'pass'; GRANT SELECT ON granted.* TO reader@'127.0.0.1';
		CREATE USER worker@'127.0.0.1' IDENTIFIED BY 'pass'; GRANT SELECT, INSERT, UPDATE, DELETE ON granted.* TO worker@'127.0.0.1'`)
	_ = mustOpen(t, openMySQL(t, m.URL("myisam")), sqlstore.MySQL, nil).Close()
	_ = mustOpen(t, openMySQL(t, m.URL("granted")), sqlstore.MySQL, nil).Close()
	m.Exec("ALTER TABLE myisam.ringfence_lease ENGINE = MyISAM")
	as := func(user, database string) string { return user + ":pass@tcp(" + m.Addr() + ")/" + database }
	for _, c := range []struct {
		name, address string
		settings      []string
		want          error
		says          string
	}{
		{"no rights", as("nobody", "leases"), nil, driver.ErrUnfit, "a user that may create them"},
		{"few rights", as("reader", "granted"), nil, driver.ErrUnfit, "grant the store's user"},
		{"wrong password", as("worker:", "granted"), nil, driver.ErrUnfit, "check the user"},
		{"engine", m.URL("myisam"), nil, driver.ErrUnfit, "ringfence_lease MyISAM"},
		{"no database", m.URL(""), nil, driver.ErrUnfit, "name a database"},
		{"missing database", m.URL("missing"), nil, driver.ErrUnfit, "create the database"},
		{"read-only", m.URL("granted"), []string{"tx_read_only=1"}, driver.ErrUnavailable, "read-only"},
		{"safe updates", m.URL("granted"), []string{"sql_safe_updates=1"}, driver.ErrUnfit, "sql_safe_updates"},
		{"a clock of its own", m.URL("granted"), []string{"timestamp=1000000000"}, driver.ErrUnfit, "SET timestamp"},
		{"statements are logged", statements.URL("leases"), nil, driver.ErrUnfit, "binlog_format"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := sqlstore.Open(t.Context(), openMySQL(t, c.address, c.settings...), sqlstore.MySQL, nil)
			wantError(t, err, c.want, c.says)
			if err != nil && strings.Contains(err.Error(), "pass@") {
				t.Errorf("%v shows a password", err)
			}
		})
	}
	m.Exec("SET GLOBAL max_prepared_stmt_count = 0") // a session then sends whole texts
	worker := mustOpen(t, openMySQL(t, as("worker", "granted")), sqlstore.MySQL, nil)
	for range 2 {
		takeAndRelease(t, worker, "n")
	}
	if _, err := worker.Prune(t.Context(), 0, 10); err != nil {
		t.Error(err)
	}
}

// TestMariaDBConnectionLeftInATransaction: what is done over a connection that a program
// gave back in the middle of a transaction is committed, and that program's part is not.
func TestMariaDBConnectionLeftInATransaction(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	db := openMySQL(t, address)
	db.SetMaxOpenConns(1)
	s, other := mustOpen(t, db, sqlstore.MySQL, nil), mustOpen(t, openMySQL(t, address), sqlstore.MySQL, nil)
	mustExec(t, db, "CREATE TABLE theirs (n INT) ENGINE = InnoDB")
	leave := func() {
		mustExec(t, db, "START TRANSACTION")
		mustExec(t, db, "INSERT INTO theirs VALUES (1)")
	}
	seen := func(name string, state driver.State, left time.Duration) {
		t.Helper()
		if rec, err := other.Inspect(t.Context(), name); err != nil || rec.State != state || rec.Remaining < left {
			t.Errorf("another client sees %+v, %v; want the lease %s, and for %s at least", rec, err, state, left)
		}
	}
	for range 2 { // a name's first grant, and the next
		leave()
		term := mustAcquire(t, s, "n")
		seen("n", driver.Held, 0)
		leave()
		if _, err := s.Renew(t.Context(), term, time.Hour); err != nil {
			t.Error(err)
		}
		seen("n", driver.Held, 50*time.Minute)
		leave()
		if err := s.Release(t.Context(), term); err != nil {
			t.Error(err)
		}
		seen("n", driver.Released, 0)
	}
	first, second := mustAcquire(t, s, "a"), mustAcquire(t, s, "b")
	leave()
	for _, r := range s.RenewAll(t.Context(), []driver.Renewal{{Term: first, TTL: time.Hour}, {Term: second, TTL: time.Hour}}) {
		if r.Err != nil {
			t.Error(r.Err)
		}
	}
	seen("a", driver.Held, 50*time.Minute)
	seen("b", driver.Held, 50*time.Minute)
	leave()
	standInLine(t, s, other, "a")
	leave()
	if _, err := s.Break(t.Context(), "b", "operator"); err != nil {
		t.Error(err)
	}
	seen("b", driver.Forced, 0)
	if n := query(t, db, "SELECT COUNT(*) FROM theirs"); n != "0" {
		t.Errorf("%s rows of transactions that nobody committed; want none", n)
	}
}
