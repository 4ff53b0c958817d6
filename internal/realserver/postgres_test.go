package realserver

import (
	"net"
	"strings"
	"testing"
	"time"
)

func TestSharedPostgresGivesEachTestAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	one, two := SharedPostgres(t), SharedPostgres(t)
	if one == two {
		t.Fatalf("both tests got %s", one)
	}
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	name := one[strings.LastIndex(one, "/")+1 : strings.Index(one, "?")]
	if out, err := c.query(c.port, name, "SELECT count(*) FROM pg_stat_user_tables"); err != nil || out != "0" {
		t.Errorf("tables in a new database: got %q, %v, want 0", out, err)
	}
}

func TestSharedPostgresDropsTheDatabaseWithTheTest(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("user", func(t *testing.T) {
		address := SharedPostgres(t)
		name = address[strings.LastIndex(address, "/")+1 : strings.Index(address, "?")]
	})
	if name == "" {
		t.Skip("no server")
	}
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.query(c.port, "postgres", "SELECT count(*) FROM pg_database WHERE datname = '"+name+"'")
	if err != nil || out != "0" {
		t.Errorf("databases called %s after the test: got %q, %v, want 0", name, out, err)
	}
}

func TestPostgresIsSetUpToFindMistakes(t *testing.T) {
	t.Parallel()
	p := NewPostgres(t, nil)
	for sql, want := range map[string]string{
		"SELECT 'a' < 'B'":                        "t", // bytes say otherwise
		"SHOW timezone":                           "America/New_York",
		"SELECT octet_length('\U0001f512'::text)": "4",
		"SHOW fsync":                              "off",
	} {
		if got := p.Exec(sql); got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
}

func TestPostgresTakesSettings(t *testing.T) {
	t.Parallel()
	p := NewPostgres(t, &PostgresOptions{Durable: true, Settings: []string{"timezone=Asia/Tokyo", "max_connections=17"}})
	if got := p.Exec("SHOW timezone; SHOW max_connections; SHOW fsync"); got != "Asia/Tokyo\n17\non" {
		t.Errorf("settings: got %q", got)
	}
}

func TestPostgresAsksForThePassword(t *testing.T) {
	t.Parallel()
	p := NewPostgres(t, nil)
	p.c.password += "x"
	_, err := p.c.query(p.c.port, "postgres", "SELECT 1")
	if err == nil || !strings.Contains(err.Error(), "password authentication failed") {
		t.Errorf("a wrong password: got %v", err)
	}
}

func TestPostgresKeepsItsAddressAndCommitsAcrossEveryEnd(t *testing.T) {
	t.Parallel()
	p := NewPostgres(t, nil)
	address := p.URL("postgres")
	p.Exec("CREATE TABLE kept (n int)")
	for i, end := range []func(){
		p.Restart,
		func() { p.Kill(); p.Start() },
		func() { p.Pause(); p.Kill(); p.Start() },
		func() { p.Pause(); p.Stop(); p.Start() },
	} {
		p.Exec("INSERT INTO kept VALUES (1)")
		end()
		if got := len(strings.Fields(p.Exec("SELECT n FROM kept"))); got != i+1 {
			t.Errorf("rows after end %d: got %d, want %d", i, got, i+1)
		}
	}
	if got := p.URL("postgres"); got != address {
		t.Errorf("address after the restarts: got %s, want %s", got, address)
	}
}

func TestKillLeavesNoProcess(t *testing.T) {
	t.Parallel()
	p := NewPostgres(t, nil)
	pids, err := children(p.c.pid())
	if err != nil || len(pids) < 3 {
		t.Fatalf("children of the server: got %v, %v, want the usual half dozen", pids, err)
	}
	p.Kill()
	for _, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d outlived the kill", pid)
		}
	}
	if _, err := net.Dial("tcp", p.Addr()); err == nil {
		t.Error("the address of a killed server still answers")
	}
}

func TestPauseKeepsConnectionsOpenAndAnswersNothing(t *testing.T) {
	t.Parallel()
	p := NewPostgres(t, nil)
	p.Pause()
	answer := make(chan error, 1)
	go func() {
		_, err := p.c.query(p.c.port, "postgres", "SELECT 1")
		answer <- err
	}()
	select {
	case err := <-answer:
		t.Fatalf("a paused server answered: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	p.Resume()
	if err := <-answer; err != nil {
		t.Errorf("after the pause: %v", err)
	}
}

// A promoted standby must lack what was written while its replication was
// paused, and have everything before.
func TestFailoverLosesExactlyWhatWasNotReplicated(t *testing.T) {
	t.Parallel()
	primary := NewPostgres(t, nil)
	primary.Exec("CREATE TABLE grants (token int)")
	standby := primary.Standby(t)
	primary.Exec("INSERT INTO grants VALUES (1)")
	primary.CatchUp(standby)
	primary.PauseReplication()
	primary.Exec("INSERT INTO grants VALUES (2)")
	primary.Kill()
	standby.Promote()
	if got := standby.Exec("INSERT INTO grants VALUES (3); SELECT token FROM grants ORDER BY 1"); got != "1\n3" {
		t.Errorf("grants on the promoted standby: got %q, want 1 and 3", got)
	}
	primary.Start()
	if got := primary.Exec("SELECT token FROM grants ORDER BY 1"); got != "1\n2" {
		t.Errorf("grants on the old primary: got %q, want 1 and 2", got)
	}
}

func TestResumeReplicationLetsAStandbyCatchUp(t *testing.T) {
	t.Parallel()
	primary := NewPostgres(t, nil)
	standby := primary.Standby(t)
	primary.PauseReplication()
	primary.Exec("CREATE TABLE late (n int)")
	if got := standby.Exec("SELECT to_regclass('late') IS NULL"); got != "t" {
		t.Error("a paused replication delivered")
	}
	primary.ResumeReplication()
	primary.CatchUp(standby)
	if got := standby.Exec("SELECT to_regclass('late') IS NULL"); got != "f" {
		t.Error("a resumed replication did not deliver")
	}
}

func TestFakeTimeMovesTheServersClock(t *testing.T) {
	t.Parallel()
	p := NewPostgres(t, &PostgresOptions{FakeTime: "+3600"})
	check := func(want time.Duration) {
		t.Helper()
		before := time.Now()
		out := p.Exec("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')")
		got, err := time.Parse(time.DateTime, out)
		if err != nil {
			t.Fatal(err)
		}
		if off := got.Sub(before) - want; off.Abs() > time.Minute {
			t.Errorf("the server's clock is %s from ours, want %s", got.Sub(before), want)
		}
	}
	check(time.Hour)
	p.RestartAt("-3600")
	check(-time.Hour)
	p.Kill()
	p.Start()
	check(-time.Hour)
	p.RestartAt("")
	check(0)
}
