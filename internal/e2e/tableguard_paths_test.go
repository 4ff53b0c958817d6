package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// TestTableGuardOnUnchangedPrograms hands psql its fence through PGOPTIONS, as the hint
// of a refusal says.
func TestTableGuardOnUnchangedPrograms(t *testing.T) {
	t.Parallel()
	url := realserver.SharedPostgres(t)
	d := openTables(t, url)
	d.must(`CREATE TABLE report (id bigint PRIMARY KEY, body text)`)
	d.guard(tableguard.Table{Name: "report", Lease: "a b'c"})
	admitted(t, "establish", d.session(rf("a b'c", 7)).establish("report"))
	psql := func(token fence.Token, sql string) (string, error) {
		c := exec.Command(realserver.Psql(t), "-X", "-v", "ON_ERROR_STOP=1", "-c", sql, url)
		c.Env = append(os.Environ(), "PGOPTIONS=-c statement_timeout=60s -c ringfence.fence="+rf("a b'c", token))
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for _, statement := range []string{"INSERT INTO report VALUES (1, 'x')", `COPY report FROM PROGRAM 'echo 2,y' WITH (FORMAT csv)`} {
		if out, err := psql(6, statement); err == nil || !strings.Contains(out, "superseded") || !strings.Contains(out, "HINT") {
			t.Errorf("%s with an older token: %v: %s", statement, err, out)
		}
		if out, err := psql(7, statement); err != nil {
			t.Errorf("%s: %v: %s", statement, err, out)
		}
	}
}

// TestTableGuardOnCopy sends the rows of a COPY from the client.
func TestTableGuardOnCopy(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	s := d.session(rf("nightly", 5))
	load := func() error {
		return s.Raw(func(c any) error {
			_, err := c.(*stdlib.Conn).Conn().CopyFrom(t.Context(), pgx.Identifier{"report"}, []string{"id", "body"}, pgx.CopyFromRows([][]any{{1, "x"}}))
			return err
		})
	}
	refused(t, "no mark", load(), fence.NotEstablished)
	admitted(t, "establish", s.establish("report"))
	admitted(t, "copy", load())
	s.set("fence", rf("nightly", 4))
	refused(t, "older", load(), fence.Superseded)
}

// TestTableGuardOnAppliedChanges writes as the worker of a subscription does, for
// which ordinary triggers don't fire.
func TestTableGuardOnAppliedChanges(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, &realserver.PostgresOptions{Settings: []string{"wal_level=logical"}})
	from := openTables(t, pg.URL("postgres"))
	from.must("CREATE DATABASE copy", "CREATE TABLE report (id bigint PRIMARY KEY)", "INSERT INTO report VALUES (1)", "CREATE PUBLICATION p FOR TABLE report",
		"SELECT pg_create_logical_replication_slot('s', 'pgoutput')")
	target := openTables(t, pg.URL("copy"))
	target.must("CREATE TABLE report (id bigint PRIMARY KEY)")
	target.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	var enabled string // for such a worker alone: it judges each row, and others are judged once a statement
	if err := target.QueryRow("SELECT tgenabled::text FROM pg_trigger WHERE tgname = 'ringfence_guard_applied'").Scan(&enabled); err != nil || enabled != "R" {
		t.Errorf("the trigger of applied rows is enabled as %q, %v; want R", enabled, err)
	}
	target.must(fmt.Sprintf("CREATE SUBSCRIPTION s CONNECTION '%s' PUBLICATION p WITH (create_slot = false, slot_name = 's', copy_data = false)", pg.URL("postgres")))
	from.must("INSERT INTO report VALUES (2)")
	deadline := time.Now().Add(time.Minute)
	for counts := []tableguard.Refused(nil); len(counts) == 0; {
		var err error
		if counts, err = tableguard.On(target.DB, tableguard.Postgres).Refusals(t.Context()); err != nil || time.Now().After(deadline) {
			t.Fatalf("nothing was refused: %v", err)
		}
	}
	var rows int
	if err := target.QueryRow("SELECT count(*) FROM report").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows were applied, %v", rows, err)
	}
	target.must("ALTER SUBSCRIPTION s DISABLE", "ALTER SUBSCRIPTION s SET (slot_name = NONE)", "DROP SUBSCRIPTION s")
}

// TestTableGuardOwned refuses a superseded term from the next grant on, before its
// successor has written anything.
func TestTableGuardOwned(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	store, err := sqlstore.Open(t.Context(), d.DB, sqlstore.Postgres, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: tableguard.Owned})
	grant := func(attempt string) driver.Term {
		term, err := store.Acquire(t.Context(), driver.Request{Name: "nightly", Attempt: attempt, TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return term
	}
	first := grant("a")
	s := d.session(first.Fence.String())
	admitted(t, "the holder", s.exec("BEGIN; "+writes[0]))
	takeover := d.session("").exec("SELECT FROM ringfence.lease WHERE name = 'nightly' FOR UPDATE NOWAIT")
	if takeover == nil || !strings.Contains(takeover.Error(), "55P03") {
		t.Errorf("the lease can be taken over beside an open write: %v", takeover)
	}
	admitted(t, "commit", s.exec("COMMIT"))
	if _, err := store.Break(t.Context(), "nightly", "test"); err != nil {
		t.Fatal(err)
	}
	refused(t, "broken", s.exec(writes[0]), fence.Lapsed)
	second := grant("b")
	refused(t, "superseded", s.exec(writes[0]), fence.Superseded)
	refused(t, "superseded, to establish", s.establish("report"), fence.Superseded)
	s.set("fence", second.Fence.String())
	admitted(t, "the next holder", s.exec(writes[0]))
	s.set("fence", rf("nightly", second.Token+1))
	refused(t, "a token that was never granted", s.exec(writes[0]), fence.NotEstablished)
}

// TestTableGuardLetsNoRoleNearTheMarks writes as a role that has rights on the table
// alone.
func TestTableGuardLetsNoRoleNearTheMarks(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	d.must("DO $$ BEGIN CREATE ROLE ringfence_test_writer; EXCEPTION WHEN duplicate_object THEN NULL; END $$", "GRANT ALL ON report TO ringfence_test_writer")
	s := d.session(rf("nightly", 5))
	if err := s.exec("SET ROLE ringfence_test_writer"); err != nil {
		t.Fatal(err)
	}
	admitted(t, "establish", s.establish("report"))
	admitted(t, "write", s.exec(writes[0]))
	for _, statement := range []string{
		"UPDATE ringfence.guard_mark SET token = 1", "DELETE FROM ringfence.guard_mark", "SELECT ringfence.guard_admit('nightly', 'latest', 'report'::regclass)",
		"SELECT nextval('ringfence.refused_invalid_1')", "ALTER TABLE report DISABLE TRIGGER ALL", "SET session_replication_role = replica",
		"CREATE TEMP TABLE mine (id bigint); CREATE TRIGGER t BEFORE INSERT ON mine FOR EACH STATEMENT EXECUTE FUNCTION ringfence.guard_statement('latest', 'nightly')",
	} {
		if err := s.exec(statement); err == nil {
			t.Errorf("%s was allowed", statement)
		}
	}
}

// TestTableGuardHoldsOffASuccessor lets nobody establish while a write of the term
// before is under way, and judges a transaction by what is true when it writes.
func TestTableGuardHoldsOffASuccessor(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			d := newTables(t)
			d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
			first, second := d.session(rf("nightly", 10)), d.session(rf("nightly", 11))
			admitted(t, "establish 10", first.establish("report"))
			admitted(t, "begin", first.exec("BEGIN ISOLATION LEVEL "+level+"; "+writes[0]))
			if err := second.exec("SET lock_timeout = '100ms'"); err != nil {
				t.Fatal(err)
			}
			if err := second.establish("report"); err == nil || !strings.Contains(err.Error(), "55P03") {
				t.Errorf("established beside an open write: %v", err)
			}
			admitted(t, "commit", first.exec("COMMIT"))
			admitted(t, "begin, with a snapshot", first.exec("BEGIN ISOLATION LEVEL "+level+"; SELECT count(*) FROM report"))
			admitted(t, "establish 11", second.establish("report"))
			err := first.exec(writes[1])
			if level == "READ COMMITTED" {
				refused(t, "the term before", err, fence.Superseded)
			} else if err == nil || !strings.Contains(err.Error(), "40001") {
				t.Errorf("an old snapshot was written from: %v", err)
			}
			_ = first.exec("ROLLBACK")
			refused(t, "the term before, again", first.exec(writes[1]), fence.Superseded)
		})
	}
}

// TestTableGuardOnHeirs writes the rows of a table by the name of another one, whose
// triggers of statements are the only ones that fire.
func TestTableGuardOnHeirs(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.must("CREATE TABLE heir () INHERITS (report)", "INSERT INTO heir VALUES (1, 'old')", "CREATE TABLE later (id bigint NOT NULL, body text)", "INSERT INTO later VALUES (2, 'old')")
	for _, lease := range []string{"nightly", "nightly/{id}"} {
		d.guard(tableguard.Table{Name: "heir", Lease: lease})
		s := d.session("")
		for _, w := range []string{"UPDATE report SET body = 'new'", "DELETE FROM report", "TRUNCATE report", "UPDATE heir SET body = 'new'", "TRUNCATE heir"} {
			refused(t, lease+": "+w, s.exec(w), fence.Invalid)
		}
		s.set("fence", rf(strings.Replace(lease, "{id}", "1", 1), 5))
		admitted(t, "establish", s.establish("heir"))
		admitted(t, "in the term", s.exec("UPDATE report SET body = 'new'"))
	}
	d.guard(tableguard.Table{Name: "later", Lease: "nightly"})
	d.must("ALTER TABLE later INHERIT report")
	off := func() (names []string) {
		all, err := d.on().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if s.Off {
				names = append(names, s.Name)
			}
		}
		return names
	}
	if names := off(); !slices.Equal(names, []string{"later"}) {
		t.Errorf("off: %v; want the table that became an heir", names)
	}
	d.guard(tableguard.Table{Name: "later", Lease: "nightly"})
	if names := off(); names != nil {
		t.Errorf("off, once installed again: %v", names)
	}
	refused(t, "by the name of the other", d.session("").exec("UPDATE report SET body = 'newer' WHERE id = 2"), fence.Invalid)
}

// TestTableGuardThatIsOff tells of each trigger that was disabled or dropped, also on a
// partition; and a guard can be taken from what could not be guarded any more.
func TestTableGuardThatIsOff(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.must("CREATE TABLE split (id bigint) PARTITION BY LIST (id)", "CREATE TABLE split_1 PARTITION OF split FOR VALUES IN (1)")
	for _, c := range []struct{ table, lease, change string }{
		{"report", "l", "ALTER TABLE report DISABLE TRIGGER ringfence_guard"},
		{"report", "l", "ALTER TABLE report ENABLE TRIGGER ringfence_guard"}, // not for replicas
		{"report", "l", "DROP TRIGGER ringfence_guard_applied ON report"},
		{"report", "{id}", "ALTER TABLE report DISABLE TRIGGER zzz_ringfence_guard"},
		{"report", "{id}", "DROP TRIGGER ringfence_guard_truncate ON report"},
		{"split", "l", "ALTER TABLE split_1 DISABLE TRIGGER zzz_ringfence_guard"},
		{"split", "{id}", "CREATE TRIGGER zzzz BEFORE INSERT ON split_1 FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()"}, // by its name it fires last
		{"split", "l", "ALTER TABLE split_1 DISABLE TRIGGER ringfence_guard_truncate"},
		{"report", "l", "CREATE TABLE of (id bigint NOT NULL, body text) PARTITION BY LIST (id); ALTER TABLE of ATTACH PARTITION report DEFAULT"},
	} {
		d.guard(tableguard.Table{Name: c.table, Lease: c.lease})
		for _, off := range []bool{false, true} {
			list, err := d.on().List(t.Context())
			if err != nil || len(list) != 1 || list[0].Off != off {
				t.Errorf("%s: %+v, %v; want off: %t", c.change, list, err, off)
			}
			if !off {
				d.must(c.change)
			}
		}
		if err := d.on().Remove(t.Context(), c.table); err != nil {
			t.Fatal(err)
		}
	}
	d.must("INSERT INTO of VALUES (1, 'x')")
}
