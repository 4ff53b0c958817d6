package realserver

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// Pooler is a PgBouncer in front of a PostgreSQL. In transaction mode a client's
// connection outlives the server that answers on it, and no two transactions on
// it need meet the same one; in session mode it keeps the one that it met first.
type Pooler struct {
	t      testing.TB
	home   *home
	server *child
	mode   string
	ignore string
	port   int
	own    *account
}

// NewPooler starts a PgBouncer in transaction mode in front of p, which ends with the test.
func NewPooler(t testing.TB, p *PG) *Pooler { t.Helper(); return newPooler(t, p, "transaction") }

// NewSessionPooler starts one in session mode.
func NewSessionPooler(t testing.TB, p *PG) *Pooler { t.Helper(); return newPooler(t, p, "session") }

func newPooler(t testing.TB, p *PG, mode string) *Pooler {
	t.Helper()
	program, err := findPooler()
	if err != nil {
		missing(t, err)
	}
	h, err := newHome("pgbouncer")
	if err != nil {
		t.Fatalf("realserver: %v", err)
	}
	b := &Pooler{t: t, home: h, mode: mode, own: p.c.account}
	b.server = h.add("pgbouncer", b.file("log"))
	t.Cleanup(h.close)
	b.must(p.c.account.own(h.dir))
	b.port, err = freePort()
	b.must(err)
	b.must(b.configure(p.c))
	b.must(b.start(program))
	b.must(b.leadsTo(p.c))
	return b
}

func findPooler() (string, error) {
	if path, err := exec.LookPath("pgbouncer"); err == nil {
		return path, nil
	}
	const debian = "/usr/sbin/pgbouncer" // not in the PATH of a plain user
	if _, err := os.Stat(debian); err == nil {
		return debian, nil
	}
	return "", fmt.Errorf("PgBouncer is not installed: %s", howTo("pgbouncer", "pgbouncer"))
}

func (b *Pooler) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("realserver: pgbouncer: %v; its log says:\n%s", err, tail(b.server.log))
	}
}

func (b *Pooler) file(name string) string { return filepath.Join(b.home.dir, name) }

// configure writes its files. The password is the server's, for clients as well.
func (b *Pooler) configure(c *cluster) error {
	files := map[string]string{
		"users": fmt.Sprintf("%q %q\n", "postgres", c.password),
		"ini": fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
pool_mode = %s
server_login_retry = 0.1
ignore_startup_parameters = %s
`, c.port, b.port, b.file("users"), b.mode, b.ignore),
	}
	for name, text := range files {
		if err := os.WriteFile(b.file(name), []byte(text), 0o600); err != nil {
			return err
		}
		if err := b.own.own(b.file(name)); err != nil {
			return err
		}
	}
	return nil
}

func (b *Pooler) start(program string) error {
	cmd := exec.Command(program, b.file("ini"))
	b.own.run(cmd)
	cmd.Dir = b.home.dir
	return b.server.startLogged(cmd)
}

// leadsTo waits until a transaction through the pooler reaches c.
func (b *Pooler) leadsTo(c *cluster) error {
	var answer string
	err := errors.New("no look yet")
	if until(startLimit, func() bool {
		answer, err = c.query(b.port, "postgres", "SELECT inet_server_port()")
		return err == nil && answer == strconv.Itoa(c.port)
	}) {
		return nil
	}
	return fmt.Errorf("no way to port %d within %s (last answer %q, last error %v)", c.port, startLimit, answer, err)
}

// URL is the address of a database behind the pooler, as [PG.URL] is for pgx: no
// prepared statement may outlive a transaction.
func (b *Pooler) URL(p *PG, database string) string {
	u, err := url.Parse(p.URL(database))
	b.must(err)
	u.Host = address(b.port)
	u.RawQuery += "&default_query_exec_mode=exec"
	return u.String()
}

// Retarget sends the transactions that begin from now on to p, and returns when
// they get there. Clients stay connected.
func (b *Pooler) Retarget(p *PG) {
	b.t.Helper()
	b.must(b.configure(p.c))
	b.must(signal(syscall.SIGHUP, b.server.pid()))
	b.must(b.leadsTo(p.c))
}

// Ignore has it ignore startup parameters that it would refuse a client for.
func (b *Pooler) Ignore(p *PG, parameters string) {
	b.t.Helper()
	b.ignore = parameters
	b.Retarget(p)
}
