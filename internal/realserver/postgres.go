package realserver

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// PostgresOptions are the ways in which one server differs from the next.
type PostgresOptions struct {
	// FakeTime sets the server's clock, in the way libfaketime writes it: "+3600"
	// is an hour ahead, "-3600" an hour behind. Defaults to the machine's clock.
	FakeTime string
	// Durable makes the server wait for the disk as it does by default. Defaults
	// to off, which is quicker and loses nothing when processes are killed, only
	// when the machine is.
	Durable bool
	// Settings are more server settings, each as name=value. They win over ours.
	// Defaults to none.
	Settings []string
}

// PG is a PostgreSQL of one test's own. A failing step fails the test. Except
// for URL, Addr and Exec, it is for one goroutine at a time.
type PG struct {
	t testing.TB
	c *cluster
}

// NewPostgres starts a new, empty PostgreSQL that ends with the test. Nil
// options are the defaults. A test that only needs a database, and breaks
// nothing, uses [SharedPostgres].
func NewPostgres(t testing.TB, o *PostgresOptions) *PG {
	t.Helper()
	if o == nil {
		o = new(PostgresOptions)
	}
	bin, who := needPostgres(t)
	if o.FakeTime != "" {
		needFaketime(t)
	}
	c, err := newCluster(bin, who, *o)
	if err != nil {
		t.Fatalf("realserver: %v", err)
	}
	p := adopt(t, c)
	p.must(c.initialize())
	p.must(c.start())
	return p
}

// adopt ties a cluster's life to a test.
func adopt(t testing.TB, c *cluster) *PG {
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of the log of the PostgreSQL on port %d:\n%s", c.port, c.logTail())
		}
		c.close()
	})
	return &PG{t: t, c: c}
}

func needPostgres(t testing.TB) (bin string, who *account) {
	t.Helper()
	bin, err := findPostgres()
	if err != nil {
		missing(t, err)
	}
	who, err = serverAccount()
	if err != nil {
		missing(t, err)
	}
	return bin, who
}

// Psql is the path of psql, of the PostgreSQL that the tests start.
func Psql(t testing.TB) string {
	t.Helper()
	bin, _ := needPostgres(t)
	return filepath.Join(bin, "psql")
}

func needFaketime(t testing.TB) {
	t.Helper()
	if _, err := findFaketime(); err != nil {
		missing(t, err)
	}
}

func (p *PG) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("realserver: %v", err)
	}
}

// URL is the address of a database, with a user who may do everything and the
// server's password. Every new server has the database postgres.
func (p *PG) URL(database string) string { return p.c.url(database) }

// Addr is the server's host and port, for a [Proxy] in front of it.
func (p *PG) Addr() string { return address(p.c.port) }

// Exec runs SQL in the database postgres, through psql and so on a connection
// of its own, and returns the rows: fields parted by |, rows by a line break.
func (p *PG) Exec(sql string) string {
	p.t.Helper()
	out, err := p.c.query(p.c.port, "postgres", sql)
	p.must(err)
	return out
}

// Stop shuts the server down in order. Its address is free until [PG.Start].
func (p *PG) Stop() { p.t.Helper(); p.must(p.c.stop(sigFast)) }

// Start starts a server that was stopped or killed, at the same address.
func (p *PG) Start() { p.t.Helper(); p.must(p.c.start()) }

// Restart shuts the server down in order and starts it again.
func (p *PG) Restart() {
	p.t.Helper()
	p.Stop()
	p.Start()
}

// RestartAt restarts the server with another clock; see
// PostgresOptions.FakeTime. The empty text is the machine's clock.
func (p *PG) RestartAt(fakeTime string) {
	p.t.Helper()
	if fakeTime != "" {
		needFaketime(p.t)
	}
	p.Stop()
	p.must(p.c.setClock(fakeTime))
	p.Start()
}

// Kill ends all processes of the server at once, as a crash does.
func (p *PG) Kill() { p.t.Helper(); p.must(p.c.kill()) }

// Pause stops all processes of the server where they are: its connections stay
// open, and nothing answers. [PG.Resume] lets it go on.
func (p *PG) Pause() { p.t.Helper(); p.must(p.c.pause()) }

// Resume ends a [PG.Pause].
func (p *PG) Resume() { p.t.Helper(); p.must(p.c.resume()) }

// shared is the server behind SharedPostgres. Nobody stops it: the watchdog
// does when the test binary has ended.
var (
	shared = sync.OnceValues(func() (*cluster, error) {
		bin, err := findPostgres()
		if err != nil {
			return nil, err
		}
		who, err := serverAccount()
		if err != nil {
			return nil, err
		}
		c, err := newCluster(bin, who, PostgresOptions{})
		if err != nil {
			return nil, err
		}
		if err = c.initialize(); err == nil {
			err = c.start()
		}
		if err != nil {
			c.close()
			return nil, err
		}
		return c, nil
	})
	sharedCount atomic.Int64
)

// SharedPostgres returns the URL of a new, empty database on a server that all
// tests of the binary share. The database goes with the test.
func SharedPostgres(t testing.TB) string {
	t.Helper()
	needPostgres(t)
	c, err := shared()
	if err != nil {
		t.Fatalf("realserver: start the shared PostgreSQL: %v", err)
	}
	name := fmt.Sprintf("test_%d", sharedCount.Add(1))
	if _, err := c.query(c.port, "postgres", "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatalf("realserver: %v", err)
	}
	t.Cleanup(func() {
		if _, err := c.query(c.port, "postgres", "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("realserver: %v", err)
		}
	})
	return c.url(name)
}
