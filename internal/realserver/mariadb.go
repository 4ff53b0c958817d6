package realserver

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// MariaDBOptions are the ways in which one server differs from the next.
type MariaDBOptions struct {
	// FakeTime sets the server's clock, as PostgresOptions.FakeTime does.
	FakeTime string
	// Durable makes the server wait for the disk as it does by default. Defaults
	// to off, which is quicker and loses nothing when processes are killed, only
	// when the machine is.
	Durable bool
	// Settings are more server settings, each as name=value. They win over ours.
	// Defaults to none.
	Settings []string
}

// MariaDB is a MariaDB of one test's own. A failing step fails the test. Except for
// URL, Addr and Exec, it is for one goroutine at a time.
type MariaDB struct {
	t testing.TB
	p *mariaProcess
}

// NewMariaDB starts a new, empty MariaDB that ends with the test. Nil options are
// the defaults. A test that only needs a database, and breaks nothing, uses
// [SharedMariaDB]. The server's own defaults are those that find mistakes: tables in
// MyISAM, texts in latin1, and a time zone with summer time.
func NewMariaDB(t testing.TB, o *MariaDBOptions) *MariaDB {
	t.Helper()
	if o == nil {
		o = new(MariaDBOptions)
	}
	needMariaDB(t)
	if o.FakeTime != "" {
		needFaketime(t)
	}
	p, err := newMariaProcess(*o)
	if err != nil {
		t.Fatalf("realserver: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of the log of the MariaDB on port %d:\n%s", p.port, tail(p.log))
		}
		p.close()
	})
	m := &MariaDB{t, p}
	m.must(p.initialize())
	m.Start()
	return m
}

func needMariaDB(t testing.TB) {
	t.Helper()
	if _, err := findMariaDB(); err != nil {
		missing(t, err)
	}
	if _, err := serverAccount(); err != nil {
		missing(t, err)
	}
}

func (m *MariaDB) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("realserver: %v", err)
	}
}

// URL is the address of a database as go-sql-driver takes it, with a user who may do
// everything and the server's password. A new server has the database mysql only.
func (m *MariaDB) URL(database string) string { return m.p.url(database) }

func (p *mariaProcess) url(database string) string {
	return fmt.Sprintf("root:%s@tcp(%s)/%s", p.password, address(p.port), database)
}

// Addr is the server's host and port, for a [Proxy] in front of it.
func (m *MariaDB) Addr() string { return address(m.p.port) }

// Exec runs SQL through MariaDB's own client and returns the rows: fields parted by
// tabs, rows by a line break.
func (m *MariaDB) Exec(sql string) string {
	m.t.Helper()
	out, err := m.p.query(sql)
	m.must(err)
	return out
}

// Start starts a server that was stopped or killed, at the same address.
func (m *MariaDB) Start() { m.t.Helper(); m.must(m.p.start()) }

// Stop shuts the server down in order.
func (m *MariaDB) Stop() { m.t.Helper(); m.must(m.p.end(syscall.SIGTERM)) }

// Kill ends the server at once, as a crash does.
func (m *MariaDB) Kill() { m.t.Helper(); m.must(m.p.end(sigKill)) }

// Pause stops the server where it is: its connections stay open, and nothing
// answers. [MariaDB.Resume] lets it go on.
func (m *MariaDB) Pause() { m.t.Helper(); m.must(freeze(m.p.pid())) }

// Resume ends a [MariaDB.Pause].
func (m *MariaDB) Resume() { m.t.Helper(); m.must(signal(sigResume, m.p.pid())) }

// RestartAt restarts the server with another clock; see MariaDBOptions.FakeTime. The
// empty text is the machine's clock.
func (m *MariaDB) RestartAt(fakeTime string) {
	m.t.Helper()
	if fakeTime != "" {
		needFaketime(m.t)
	}
	m.Stop()
	m.must(m.p.setClock(fakeTime))
	m.Start()
}

// Save copies the files of a server that is down, for [MariaDB.Restore].
func (m *MariaDB) Save() { m.t.Helper(); m.must(os.CopyFS(m.saved(), os.DirFS(m.p.data()))) }

// Restore puts the files back that were saved last. The server is down.
func (m *MariaDB) Restore() {
	m.t.Helper()
	m.must(os.RemoveAll(m.p.data()))
	m.must(os.CopyFS(m.p.data(), os.DirFS(m.saved())))
	m.must(filepath.Walk(m.p.data(), func(path string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return m.p.account.own(path)
	}))
}

func (m *MariaDB) saved() string { return filepath.Join(m.p.dir, "saved") }

// sharedMaria is the server behind SharedMariaDB. Nobody stops it: the watchdog does
// when the test binary has ended.
var (
	sharedMaria = sync.OnceValues(func() (*mariaProcess, error) {
		p, err := newMariaProcess(MariaDBOptions{})
		if err != nil {
			return nil, err
		}
		if err = p.initialize(); err == nil {
			err = p.start()
		}
		if err != nil {
			p.close()
			return nil, err
		}
		return p, nil
	})
	sharedMariaCount atomic.Int64
)

// SharedMariaDB returns the address of a new, empty database on a server that all
// tests of the binary share. The database goes with the test.
func SharedMariaDB(t testing.TB) string {
	t.Helper()
	needMariaDB(t)
	p, err := sharedMaria()
	if err != nil {
		t.Fatalf("realserver: start the shared MariaDB: %v", err)
	}
	name := fmt.Sprintf("test_%d", sharedMariaCount.Add(1))
	if _, err := p.query("CREATE DATABASE " + name); err != nil {
		t.Fatalf("realserver: %v", err)
	}
	t.Cleanup(func() {
		if _, err := p.query("DROP DATABASE " + name); err != nil {
			t.Errorf("realserver: %v", err)
		}
	})
	return p.url(name)
}
