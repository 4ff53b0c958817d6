//go:build clients

package main

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/internal/realserver"
)

// clients are the programs of testdata/clients, each of which executes a statement in
// a database that it finds by the variables of libpq. Those that don't honour
// PGOPTIONS carry the fence where INSTEAD asks for it, as docs/guards/clients.md says.
var clients = []struct {
	name    string
	command []string
	honours bool
}{
	{"psql", []string{"psql", "-qc"}, true},
	{"pgx (Go)", []string{"write-pgx"}, true},
	{"lib/pq (Go)", []string{"write-pq"}, true},
	{"psycopg2 (Python)", []string{"/usr/bin/python3", "psycopg2_write.py"}, true},
	{"psycopg 3 (Python)", []string{"/usr/bin/python3", "psycopg_write.py"}, true},
	{"asyncpg (Python)", []string{"/usr/bin/python3", "asyncpg_write.py"}, false},
	{"node-postgres (Node)", []string{"node", "pg_write.js"}, true},
	{"postgres.js (Node)", []string{"node", "postgres_write.js"}, false},
	{"pg (Ruby)", []string{"ruby", "pg_write.rb"}, true},
	{"pdo_pgsql (PHP)", []string{"php", "pdo_write.php"}, true},
	{"DBD::Pg (Perl)", []string{"perl", "dbi_write.pl"}, true},
	{"pgJDBC (Java)", []string{"java", "-cp", "/usr/share/java/postgresql.jar", "Write.java"}, false},
}

// TestClients shows which clients carry a fence without a line changed: make clients.
func TestClients(t *testing.T) {
	site := newSite(t, realserver.SharedPostgres(t))
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			command := append(append([]string{}, c.command...), "INSERT INTO reports VALUES ('written')")
			if out, err := site.run(t, command...); err == nil || !strings.Contains(out, "carries no fence") {
				t.Fatalf("without a fence: %v\n%s", err, out)
			}
			out, err := site.fenced(t, command...)
			if honours := err == nil; honours != c.honours {
				t.Errorf("honours PGOPTIONS: %t, want %t: %v\n%s", honours, c.honours, err, out)
			}
			if !c.honours {
				if out, err = site.fenced(t, append([]string{"env", "INSTEAD=1"}, command...)...); err != nil {
					t.Errorf("with what is said to do instead: %v\n%s", err, out)
				}
			}
			t.Logf("| %s %s | %t |", c.name, strings.TrimSpace(out), c.honours)
		})
	}
}

// TestPooler shows what a PgBouncer makes of PGOPTIONS.
func TestPooler(t *testing.T) {
	server := realserver.NewPostgres(t, nil)
	for mode, start := range map[string]func(testing.TB, *realserver.PG) *realserver.Pooler{
		"session": realserver.NewSessionPooler, "transaction": realserver.NewPooler,
	} {
		t.Run(mode, func(t *testing.T) {
			server.Exec("CREATE DATABASE in_" + mode)
			site := newSite(t, server.URL("in_"+mode))
			pooler := start(t, server)
			u, err := url.Parse(pooler.URL(server, "in_"+mode))
			if err != nil {
				t.Fatal(err)
			}
			site.env = append(site.env, "PGPORT="+u.Port())
			out, err := site.fenced(t, "psql", "-qc", "DELETE FROM reports")
			if err == nil || !strings.Contains(out, "unsupported startup parameter: options") {
				t.Errorf("PGOPTIONS as it is: %v\n%s", err, out)
			}
			pooler.Ignore(server, "options")
			out, err = site.fenced(t, "psql", "-qc", "DELETE FROM reports")
			if err == nil || !strings.Contains(out, "carries no fence") {
				t.Errorf("PGOPTIONS that is ignored: %v\n%s", err, out)
			}
			out, err = site.fenced(t, "sh", "-c", `psql -qc "BEGIN; SET LOCAL ringfence.fence = '$RINGFENCE_FENCE'; DELETE FROM reports; COMMIT"`)
			if err != nil {
				t.Errorf("SET LOCAL: %v\n%s", err, out)
			}
			if out, err := site.run(t, "psql", "-qc", "DELETE FROM reports"); err == nil {
				t.Errorf("the next client has the fence: %s", out)
			}
		})
	}
}

// site is a database with a guarded table, and the environment of programs there.
type site struct {
	env   []string
	store string
}

func newSite(t *testing.T, address string) *site {
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	s := &site{store: "sqlite://" + filepath.ToSlash(t.TempDir()) + "/leases.db"}
	s.env = append(os.Environ(), "PGHOST="+u.Hostname(), "PGPORT="+u.Port(), "PGUSER="+u.User.Username(), "PGPASSWORD="+password,
		"PGDATABASE="+strings.TrimPrefix(u.Path, "/"), "PGSSLMODE=disable", "RINGFENCE_STORE="+s.store)
	s.must(t, "psql", "-qc", "CREATE TABLE reports (body text)")
	s.must(t, "ringfence", "guard", "install", address, "--table", "reports", "--lease", "reports")
	s.must(t, "ringfence", "run", "reports", "--timeout", "1m", "--if-unavailable", "fail", "--establish", address, "--", "true")
	return s
}

func (s *site) run(t *testing.T, command ...string) (string, error) {
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = filepath.Join("testdata", "clients"), s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// fenced runs a command in a run that hands the fence to programs.
func (s *site) fenced(t *testing.T, command ...string) (string, error) {
	return s.run(t, append([]string{"ringfence", "run", "reports", "--timeout", "1m", "--if-unavailable", "fail", "--fence", "postgres", "--"}, command...)...)
}

func (s *site) must(t *testing.T, command ...string) {
	t.Helper()
	if out, err := s.run(t, command...); err != nil {
		t.Fatalf("%s: %v\n%s", fmt.Sprint(command), err, out)
	}
}
