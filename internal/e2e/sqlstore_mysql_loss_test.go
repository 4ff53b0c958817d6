package e2e

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// newMySQL is a server of the test's own with the database leases.
func newMySQL(t *testing.T, settings ...string) *realserver.MariaDB {
	t.Helper()
	m := realserver.NewMariaDB(t, &realserver.MariaDBOptions{Settings: settings})
	m.Exec("CREATE DATABASE leases")
	return m
}

// TestMySQLCrashThatLosesCommits: with this setting a crash loses what was committed
// in the last second, and the restart is another server for the store.
func TestMySQLCrashThatLosesCommits(t *testing.T) {
	t.Parallel()
	m := newMySQL(t, "innodb-flush-log-at-trx-commit=0", "innodb-flush-log-at-timeout=2700")
	db := openMySQL(t, m.URL("leases"))
	s := mustOpen(t, db, sqlstore.MySQL, nil)
	if s.Properties().Durable {
		t.Error("a server that loses commits in a crash is declared durable")
	}
	if _, err := s.Raise(t.Context(), (fence.TickOf(time.Now()) + 30_000).First()); err != nil { // tokens ahead of the clock
		t.Fatal(err)
	}
	last := mustAcquire(t, s, "n")
	m.Kill()
	m.Start()
	s = mustOpen(t, db, sqlstore.MySQL, nil)
	if rec, err := s.Inspect(t.Context(), "n"); err != nil || rec.State == driver.Held {
		t.Fatalf("%+v, %v; want the grant lost, or nothing is shown", rec, err)
	}
	if next := mustAcquire(t, s, "n"); next.Token <= last.Token {
		t.Errorf("token %s after %s", next.Token, last.Token)
	}
}

// TestMySQLOlderCopyComesBack: the files of the server are put back as they were,
// twice, while the tokens are ahead of the clock.
func TestMySQLOlderCopyComesBack(t *testing.T) {
	t.Parallel()
	m := newMySQL(t)
	db := openMySQL(t, m.URL("leases"))
	s := mustOpen(t, db, sqlstore.MySQL, nil)
	if err := s.Release(t.Context(), mustAcquire(t, s, "n")); err != nil {
		t.Fatal(err)
	}
	m.Stop()
	m.Save()
	m.Start()
	last := fence.Token(0)
	for round := range 3 {
		term := mustAcquire(t, s, "n")
		if term.Token <= last {
			t.Fatalf("after %d older copies the store granted %s, after %s", round, term.Token, last)
		}
		last = term.Token
		if id, err := s.Identity(t.Context()); err != nil || id.Previous == "" || id.ChangedAt.IsZero() {
			t.Errorf("identity %+v, %v; want the change noted", id, err)
		}
		m.Kill()
		m.Restore()
		m.Start()
	}
}

func TestMySQLRestartUnderAPool(t *testing.T) {
	t.Parallel()
	m := newMySQL(t)
	db := openMySQL(t, m.URL("leases"))
	db.SetMaxIdleConns(4)
	s := mustOpen(t, db, sqlstore.MySQL, &sqlstore.Options{Workers: 4})
	strict := mustOpen(t, openMySQL(t, m.URL("leases")), sqlstore.MySQL, &sqlstore.Options{RefuseNewIdentity: true})
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() { mustAcquire(t, s, strings.Repeat("n", i+1)) })
	}
	all.Wait()
	term := mustAcquire(t, s, "held")
	m.Kill()
	m.Start()
	_, err := strict.Acquire(t.Context(), request("m"))
	wantError(t, err, driver.ErrUnfit, "ringfence recover")
	if _, err := s.Renew(t.Context(), term, time.Minute); err != nil {
		t.Error(err)
	}
	mustAcquire(t, s, "m")
	mustAcquire(t, strict, "m2")
	m.Stop()
	m.Start()
	if err := s.Release(t.Context(), term); err != nil {
		t.Error(err)
	}
}

func TestMySQLDoubtIsResolvedByTheSameAttempt(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	upstream := address[strings.Index(address, "(")+1 : strings.Index(address, ")")]
	proxy := realserver.NewProxy(t, upstream)
	s := mustOpen(t, openMySQL(t, strings.Replace(address, upstream, proxy.Addr(), 1)), sqlstore.MySQL, nil)
	// One execution grants a name that was used before.
	if err := s.Release(t.Context(), mustAcquire(t, s, "n")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"n", "fresh"} {
		r := request(name)
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
		rec, err := s.Inspect(t.Context(), name)
		if err != nil || rec.State != driver.Held || rec.Token != again.Token {
			t.Errorf("%+v, %v; want the one grant %s", rec, err, again.Token)
		}
	}
}

func TestMySQLLostReleaseOfANameThatWasGrantedSince(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	other := mustOpen(t, openMySQL(t, address), sqlstore.MySQL, nil)
	upstream := address[strings.Index(address, "(")+1 : strings.Index(address, ")")]
	proxy := realserver.NewProxy(t, upstream)
	lostRelease(t, proxy, mustOpen(t, openMySQL(t, strings.Replace(address, upstream, proxy.Addr(), 1)), sqlstore.MySQL, nil), other)
}

// TestMySQLClockSetBack: numbers rise although the clock that lends the floor is
// behind, and a lease lasts by the server's clock.
func TestMySQLClockSetBack(t *testing.T) {
	t.Parallel()
	m := realserver.NewMariaDB(t, &realserver.MariaDBOptions{FakeTime: "+3600"})
	m.Exec("CREATE DATABASE leases")
	s := mustOpen(t, openMySQL(t, m.URL("leases")), sqlstore.MySQL, nil)
	first := mustAcquire(t, s, "n")
	if ahead := first.Token.Tick() - fence.TickOf(time.Now()); ahead < 3_000_000 {
		t.Fatalf("the token is %d ms ahead; want an hour, or nothing is shown", ahead)
	}
	if err := s.Release(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	m.RestartAt("-3600")
	second := mustAcquire(t, s, "n")
	if second.Token <= first.Token {
		t.Errorf("token %s after %s", second.Token, first.Token)
	}
	if second.Remaining > time.Minute || second.Remaining < time.Minute-time.Millisecond {
		t.Errorf("%s remain of a minute", second.Remaining)
	}
}

// TestMySQLReplicaIsPromoted: what the primary had not replicated is granted again,
// under higher numbers.
func TestMySQLReplicaIsPromoted(t *testing.T) {
	t.Parallel()
	primary := realserver.NewMariaDB(t, &realserver.MariaDBOptions{Settings: []string{"server-id=1", "log-bin=log", "binlog-format=MIXED"}})
	position := strings.Fields(primary.Exec("SHOW MASTER STATUS")) // after what is the server's own
	primary.Exec("CREATE DATABASE leases; GRANT REPLICATION SLAVE ON *.* TO copy@'127.0.0.1' IDENTIFIED BY 'pass'")
	s := mustOpen(t, openMySQL(t, primary.URL("leases")), sqlstore.MySQL, nil)
	mustAcquire(t, s, "replicated")
	replica := realserver.NewMariaDB(t, &realserver.MariaDBOptions{Settings: []string{"server-id=2", "log-bin=log", "read-only=1"}})
	host, port, _ := strings.Cut(primary.Addr(), ":")
	replica.Exec("CHANGE MASTER TO master_host='" + host + "', master_port=" + port +
		", master_user='copy', master_password='pass', master_log_file='" + position[0] + "', master_log_pos=" + position[1] + "; START SLAVE")
	waitUntil(t, "the replica has the lease", func() bool {
		return replica.Exec("SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'ringfence_lease'") == "1" &&
			replica.Exec("SELECT name FROM leases.ringfence_lease") == "replicated"
	})
	if got, want := replica.Exec("SELECT token, expires_at FROM leases.ringfence_lease"), primary.Exec("SELECT token, expires_at FROM leases.ringfence_lease"); got != want {
		t.Errorf("the replica has %s, the primary %s", got, want)
	}
	replica.Exec("STOP SLAVE")
	lost := mustAcquire(t, s, "lost")
	primary.Kill()

	replica.Exec("CREATE USER app@'127.0.0.1' IDENTIFIED BY 'pass'; GRANT ALL ON leases.* TO app@'127.0.0.1'")
	db := openMySQL(t, "app:pass@tcp("+replica.Addr()+")/leases")
	for _, db := range []*sql.DB{db, openMySQL(t, replica.URL("leases"))} { // which belongs to one whom the server lets write all the same
		_, err := sqlstore.Open(t.Context(), db, sqlstore.MySQL, nil)
		wantError(t, err, driver.ErrUnavailable, "read_only")
	}
	replica.Exec("SET GLOBAL read_only = 0")
	promoted := mustOpen(t, db, sqlstore.MySQL, nil)
	again := mustAcquire(t, promoted, "lost")
	if again.Token <= lost.Token || again.Token < (fence.TickOf(time.Now())+30_000).First() {
		t.Errorf("token %s after %s; want a minute beyond the clock", again.Token, lost.Token)
	}
}
