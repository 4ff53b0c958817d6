package realserver

import (
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestMariaDBKeepsItsAddressAndWhatWasCommitted(t *testing.T) {
	t.Parallel()
	m := NewMariaDB(t, nil)
	addr := m.Addr()
	m.Exec("CREATE DATABASE d; CREATE TABLE d.t (n INT) ENGINE = InnoDB; INSERT INTO d.t VALUES (17)")
	for _, end := range []func(){m.Stop, m.Kill, func() { m.Pause(); m.Kill() }} {
		end()
		if _, err := net.Dial("tcp", addr); err == nil {
			t.Fatal("the address of a server that is down answers")
		}
		m.Start()
		if got := m.Exec("SELECT n FROM d.t"); got != "17" || m.Addr() != addr {
			t.Errorf("after a restart: %q at %s", got, m.Addr())
		}
	}
}

func TestMariaDBIsSetUpToFindMistakes(t *testing.T) {
	t.Parallel()
	m := NewMariaDB(t, &MariaDBOptions{Settings: []string{"innodb-lock-wait-timeout=7"}})
	for sql, want := range map[string]string{
		"SELECT @@default_storage_engine":   "MyISAM",
		"SELECT @@character_set_server":     "latin1",
		"SELECT @@system_time_zone":         "EST",
		"SELECT @@innodb_lock_wait_timeout": "7",
	} {
		if got := m.Exec(sql); got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
	m.p.password += "x"
	if _, err := m.p.query("SELECT 1"); err == nil || !strings.Contains(err.Error(), "1045") {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestMariaDBClockIsMoved(t *testing.T) {
	t.Parallel()
	m := NewMariaDB(t, &MariaDBOptions{FakeTime: "-3600"})
	behind := func() time.Duration {
		seconds, err := strconv.ParseInt(m.Exec("SELECT UNIX_TIMESTAMP()"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.Since(time.Unix(seconds, 0)).Round(10 * time.Minute)
	}
	if got := behind(); got != time.Hour {
		t.Errorf("the clock is %s behind; want an hour", got)
	}
	m.RestartAt("")
	if got := behind(); got != 0 {
		t.Errorf("the clock is %s behind; want the machine's", got)
	}
}

func TestMariaDBGoesBackToWhatWasSaved(t *testing.T) {
	t.Parallel()
	m := NewMariaDB(t, nil)
	m.Exec("CREATE DATABASE d; CREATE TABLE d.t (n INT) ENGINE = InnoDB; INSERT INTO d.t VALUES (1)")
	m.Stop()
	m.Save()
	for range 2 {
		m.Start()
		m.Exec("INSERT INTO d.t VALUES (2)")
		m.Stop()
		m.Restore()
	}
	m.Start()
	if got := m.Exec("SELECT SUM(n) FROM d.t"); got != "1" {
		t.Errorf("the sum is %s; want that of the copy", got)
	}
}

func TestSharedMariaDBGivesEachTestAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	one, two := SharedMariaDB(t), SharedMariaDB(t)
	if one == two {
		t.Fatalf("both tests got %s", one)
	}
	p, err := sharedMaria()
	if err != nil {
		t.Fatal(err)
	}
	name := one[strings.LastIndex(one, "/")+1:]
	if out, err := p.query("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '" + name + "'"); err != nil || out != "0" {
		t.Errorf("tables in a new database: got %q, %v, want 0", out, err)
	}
}
