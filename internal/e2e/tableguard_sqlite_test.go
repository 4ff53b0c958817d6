package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// inSQLite is a file whose tables are guarded.
type inSQLite struct {
	*sql.DB
	tables *tableguard.DB
	t      *testing.T
}

func newSQLiteTables(t *testing.T) inSQLite {
	db, err := sql.Open("sqlite", sqliteURL(t)+"&_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d := inSQLite{db, tableguard.On(db, tableguard.SQLite), t}
	d.must("CREATE TABLE report (id INTEGER PRIMARY KEY, body TEXT)")
	return d
}

func (d inSQLite) must(statements ...string) {
	d.t.Helper()
	for _, s := range statements {
		if _, err := d.ExecContext(d.t.Context(), s); err != nil {
			d.t.Fatalf("%s: %v", s, err)
		}
	}
}

func (d inSQLite) guard(table tableguard.Table) {
	d.t.Helper()
	if err := d.tables.Install(d.t.Context(), table); err != nil {
		d.t.Fatal(err)
	}
}

// sqliteSession is a connection of a program that enforces foreign keys.
type sqliteSession struct {
	*sql.Conn
	t *testing.T
}

func (d inSQLite) session() sqliteSession {
	d.t.Helper()
	c, err := d.Conn(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = c.Close() })
	s := sqliteSession{c, d.t}
	if err := s.exec("PRAGMA foreign_keys = ON"); err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (s sqliteSession) exec(statement string) error {
	_, err := s.ExecContext(s.t.Context(), statement)
	return err
}

// carrying runs a statement in a transaction that carries a fence, as a script does.
func (s sqliteSession) carrying(f, statement string) error {
	err := s.exec("BEGIN IMMEDIATE; INSERT INTO ringfence_session (fence, seq, key) VALUES ('" + strings.ReplaceAll(f, "'", "''") + "', 1, 'k')")
	if err == nil {
		err = s.exec(statement)
	}
	if err != nil {
		return errors.Join(err, s.exec("ROLLBACK"))
	}
	return s.exec("DELETE FROM ringfence_session; COMMIT")
}

const beginTerm = "INSERT INTO ringfence_establish VALUES (1)"

func refusedSQLite(t *testing.T, what string, err error, want fence.Cause) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "ringfence refused the write: "+want.String()+": ") {
		t.Errorf("%s: got %v, want %s", what, err, want)
	}
}

// sqliteWrites is every kind of statement that changes rows of a table.
var sqliteWrites = []string{
	"INSERT INTO report VALUES (7, 'new')",
	"INSERT INTO report VALUES (1, 'new') ON CONFLICT (id) DO UPDATE SET body = excluded.body",
	"INSERT OR IGNORE INTO report VALUES (8, 'ignored')",
	"INSERT OR FAIL INTO report VALUES (9, 'failed')",
	"REPLACE INTO report VALUES (1, 'replaced')",
	"INSERT INTO report SELECT 10, body FROM report LIMIT 1",
	"UPDATE report SET body = 'changed'",
	"UPDATE report SET body = body",
	"UPDATE OR IGNORE report SET body = 'ignored'",
	"UPDATE source SET note = 'by a trigger of its own'",
	"INSERT INTO shown VALUES (11, 'through a view')",
	"DELETE FROM parent",
	"DELETE FROM report",
}

func TestSQLiteTableGuardRefusesEveryWayToWrite(t *testing.T) {
	t.Parallel()
	for _, rule := range []tableguard.Rule{tableguard.Latest, tableguard.Once, tableguard.Sequenced} {
		t.Run(string(rule), func(t *testing.T) {
			t.Parallel()
			d := newSQLiteTables(t)
			d.must("DROP TABLE report", "CREATE TABLE parent (id INTEGER PRIMARY KEY)", "INSERT INTO parent VALUES (1)",
				"CREATE TABLE report (id INTEGER PRIMARY KEY, body TEXT, parent INTEGER DEFAULT 1 REFERENCES parent ON DELETE CASCADE)",
				"INSERT INTO report (id, body) VALUES (1, 'old')", "ALTER TABLE report RENAME TO report_all", "ALTER TABLE report_all RENAME TO report",
				"CREATE TABLE source (note TEXT)", "INSERT INTO source VALUES ('old')",
				"CREATE TRIGGER spread AFTER UPDATE ON source BEGIN UPDATE report SET body = NEW.note; END",
				"CREATE VIEW shown AS SELECT id, body FROM report",
				"CREATE TRIGGER through INSTEAD OF INSERT ON shown BEGIN INSERT INTO report (id, body) VALUES (NEW.id, NEW.body); END")
			d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: rule})
			s := d.session()
			writes := make([]string, len(sqliteWrites))
			for i, w := range sqliteWrites {
				writes[i] = strings.NewReplacer("INTO report VALUES", "INTO report (id, body) VALUES", "INTO report SELECT", "INTO report (id, body) SELECT").Replace(w)
			}
			refusedSQLite(t, "no mark", s.carrying(rf("nightly", 10), writes[0]), fence.NotEstablished)
			admitted(t, "establish 10", s.carrying(rf("nightly", 10), beginTerm))
			admitted(t, "establish 11", s.carrying(rf("nightly", 11), beginTerm))
			refusedSQLite(t, "establish 10 again", s.carrying(rf("nightly", 10), beginTerm), fence.Superseded)
			for _, w := range writes {
				refusedSQLite(t, "bare: "+w, s.exec(w), fence.Invalid)
				refusedSQLite(t, "older: "+w, s.carrying(rf("nightly", 10), w), fence.Superseded)
			}
			var body, note string
			if err := d.QueryRowContext(t.Context(), "SELECT body, note FROM report JOIN source").Scan(&body, &note); err != nil || body != "old" || note != "old" {
				t.Errorf("the tables hold %q and %q, %v", body, note, err)
			}
			admitted(t, "the newer term", s.carrying(rf("nightly", 11), strings.Join(writes, "; ")))
		})
	}
}

func TestSQLiteTableGuardFences(t *testing.T) {
	t.Parallel()
	d := newSQLiteTables(t)
	name := `we're "odd": 100% {x} \ ü/🔒€`
	d.guard(tableguard.Table{Name: "report", Lease: strings.NewReplacer("{", "{{", "}", "}}").Replace(name)})
	s, write := d.session(), sqliteWrites[1]
	admitted(t, "establish", s.carrying(rf(name, 5), beginTerm))
	admitted(t, "write", s.carrying(rf(name, 5), write))
	admitted(t, "a newer term without establishing", s.carrying(rf(name, 7), write))
	refusedSQLite(t, "the term before", s.carrying(rf(name, 6), write), fence.Superseded)
	refusedSQLite(t, "another lease", s.carrying(rf("other", 9), write), fence.Invalid)
	refusedSQLite(t, "an invented number", s.carrying(rf(name, fence.MaxToken), write), fence.Future)
	refusedSQLite(t, "an invented number, established", s.carrying(rf(name, fence.MaxToken), beginTerm), fence.Future)
	for _, bad := range []string{"", "x", "5", "rf1:", "rf1:0:x", "rf1:-1:x", "rf1:05:x", "rf1:+5:x", "rf1: 5:x", "rf1:1e3:x", "rf1:9007199254740992:x", "rf1:9223372036854775808:x",
		"rf1:5:", "rf2:5:x", "rf1:５:x", "rf1:5:%", "rf1:5:%zz", "RF1:5:x", strings.Repeat("9", 1<<20)} {
		refusedSQLite(t, fence.Quote(bad), s.carrying(bad, write), fence.Invalid)
	}
}

// TestSQLiteTableGuardLeavesNoFenceBehind: whatever a program forgets, no later
// transaction finds what it carried.
func TestSQLiteTableGuardLeavesNoFenceBehind(t *testing.T) {
	t.Parallel()
	d := newSQLiteTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	s := d.session()
	admitted(t, "establish", s.carrying(rf("nightly", 5), beginTerm))
	insert := "INSERT INTO ringfence_session (fence) VALUES ('" + rf("nightly", 5) + "')"
	forgot := func(what, statement string) {
		t.Helper()
		if err := s.exec(statement); err == nil || !strings.Contains(err.Error(), "FOREIGN KEY") {
			t.Errorf("%s: %v; want the commit refused by the foreign key", what, err)
		}
	}
	forgot("a transaction of its own", insert)
	forgot("a commit that comes too early", "BEGIN; "+insert+"; COMMIT")
	admitted(t, "go on", s.exec(sqliteWrites[0]+"; DELETE FROM ringfence_session; COMMIT"))
	admitted(t, "begin", s.exec("BEGIN; "+insert))
	if err := s.exec(insert); err == nil || !strings.Contains(err.Error(), "one fence") {
		t.Errorf("a second fence: %v", err)
	}
	for _, set := range []string{"fence = 'rf1:9:nightly'", "gone_at_commit = 1", "id = 0"} {
		if err := s.exec("UPDATE ringfence_session SET " + set); err == nil {
			t.Errorf("%s was set", set)
		}
	}
	if err := s.exec("PRAGMA foreign_keys = OFF; COMMIT"); err == nil {
		t.Error("committed with the fence, once foreign keys were let off")
	}
	admitted(t, "rollback", s.exec("ROLLBACK"))
	admitted(t, "foreign keys off", s.exec("PRAGMA foreign_keys = OFF"))
	refusedSQLite(t, "without foreign keys", s.exec("BEGIN; "+insert), fence.Invalid)
	admitted(t, "rollback", s.exec("ROLLBACK"))
	var rows int
	if err := d.QueryRowContext(t.Context(), "SELECT count(*) FROM ringfence_session").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows were left behind, %v", rows, err)
	}
	refusedSQLite(t, "bare", s.exec(sqliteWrites[6]), fence.Invalid)
	admitted(t, "a schema that is not trusted", s.exec("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF"))
	if err := s.carrying(rf("nightly", 5), sqliteWrites[6]); err == nil {
		t.Error("written where foreign keys can't be looked at")
	}
	refusedSQLite(t, "bare, a schema that is not trusted", s.exec(sqliteWrites[6]), fence.Invalid)
}

// TestSQLiteTableGuardKeepsRowsOfOthers: a REPLACE removes the row that is in its way,
// and no trigger of that row is told.
func TestSQLiteTableGuardKeepsRowsOfOthers(t *testing.T) {
	t.Parallel()
	d := newSQLiteTables(t)
	d.must("CREATE TABLE item (shop TEXT NOT NULL, id INTEGER PRIMARY KEY, code TEXT UNIQUE COLLATE NOCASE, price INTEGER)",
		"INSERT INTO item VALUES ('a', 1, 'x', 10), ('b', 2, 'y', 20)")
	d.guard(tableguard.Table{Name: "item", Lease: "shop/{shop}"})
	s, a := d.session(), rf("shop/a", 5)
	admitted(t, "establish", s.carrying(a, beginTerm))
	for _, w := range []string{
		"REPLACE INTO item VALUES ('a', 2, 'z', 1)", "REPLACE INTO item VALUES ('a', 3, 'Y', 1)", "UPDATE OR REPLACE item SET code = 'y' WHERE shop = 'a'",
		"UPDATE OR REPLACE item SET id = 2 WHERE shop = 'a'", "UPDATE item SET shop = 'a' WHERE shop = 'b'", "UPDATE item SET shop = 'b' WHERE shop = 'a'",
		"INSERT INTO item VALUES ('b', 4, 'w', 1)", "DELETE FROM item", "INSERT INTO item VALUES ('a', 5, 'v', 1), ('b', 6, 'u', 1)",
	} {
		refusedSQLite(t, w, s.carrying(a, w), fence.Invalid)
	}
	admitted(t, "own rows", s.carrying(a, "INSERT INTO item VALUES ('a', NULL, 'n', 1); REPLACE INTO item VALUES ('a', 1, 'x', 11); UPDATE item SET price = 12 WHERE shop = 'a'; DELETE FROM item WHERE shop = 'a'"))
	var price int
	if err := d.QueryRowContext(t.Context(), "SELECT price FROM item").Scan(&price); err != nil || price != 20 {
		t.Errorf("the row of the other lease has price %d, %v", price, err)
	}
}

// TestSQLiteTableGuardOnKeysThatAreEqual: two rows may have one key and two leases, though
// the lease is named by columns of the key.
func TestSQLiteTableGuardOnKeysThatAreEqual(t *testing.T) {
	t.Parallel()
	d := newSQLiteTables(t)
	for _, c := range []struct{ table, column, taken, own, write string }{
		{"folded", "shop TEXT COLLATE NOCASE PRIMARY KEY", "'b'", "B", "REPLACE INTO folded VALUES ('B', 'new')"},
		{"numbered", "shop PRIMARY KEY", "2", "2.0", "REPLACE INTO numbered VALUES (2.0, 'new')"},
		{"shadowed", "shop TEXT, id INTEGER PRIMARY KEY, rowid TEXT", "'b', 1, 'x'", "a", "REPLACE INTO shadowed VALUES ('a', 1, 'y', 'new')"},
		{"first_folded", "shop TEXT", "'b'", "b", ""}, // whose triggers have names like those of folded
	} {
		d.must(fmt.Sprintf("CREATE TABLE %s (%s, body TEXT)", c.table, c.column), fmt.Sprintf("INSERT INTO %s VALUES (%s, 'old')", c.table, c.taken))
		d.guard(tableguard.Table{Name: c.table, Lease: "shop/{shop}"})
		s, f := d.session(), rf("shop/"+c.own, 5)
		admitted(t, c.table+": establish", s.carrying(f, beginTerm))
		if c.write == "" {
			continue
		}
		refusedSQLite(t, c.write, s.carrying(f, c.write), fence.Invalid)
		var body string
		if err := d.QueryRowContext(t.Context(), "SELECT body FROM "+c.table).Scan(&body); err != nil || body != "old" {
			t.Errorf("%s: the row of the other lease holds %q, %v", c.table, body, err)
		}
	}
}

func TestSQLiteTableGuardIsInstalledWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	d := newSQLiteTables(t)
	d.must("CREATE VIEW shown AS SELECT * FROM report", "CREATE VIRTUAL TABLE words USING fts5(body)", "CREATE TABLE odd (id INTEGER, body TEXT)", "CREATE UNIQUE INDEX u ON odd (lower(body))")
	for _, bad := range []tableguard.Table{
		{}, {Name: "report"}, {Name: "nothing", Lease: "l"}, {Name: "shown", Lease: "l"}, {Name: "words", Lease: "l"}, {Name: "sqlite_master", Lease: "l"}, {Name: "temp.report", Lease: "l"},
		{Name: "report", Lease: "x/{nope}"}, {Name: "report", Lease: "l", Rule: tableguard.Owned}, {Name: "odd", Lease: "{id}"},
	} {
		if err := d.tables.Install(t.Context(), bad); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			if err := d.tables.Install(t.Context(), tableguard.Table{Name: "main.report", Lease: fmt.Sprintf("a{{b}}/{id}/%d", n)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	want := tableguard.Table{Name: "REPORT", Lease: "it's {{x}}/{id}", Rule: tableguard.Once}
	d.guard(want)
	want.Name = "report"
	list, err := d.tables.List(t.Context())
	if err != nil || len(list) != 1 || list[0] != (tableguard.Status{Table: want}) {
		t.Errorf("%+v, %v", list, err)
	}
	d.must("DROP TRIGGER ringfence_guard_update_report")
	if list, err := d.tables.List(t.Context()); err != nil || len(list) != 1 || !list[0].Off {
		t.Errorf("without a trigger: %+v, %v", list, err)
	}
	cut, stop := context.WithCancel(t.Context())
	stop()
	if err := d.tables.Install(cut, want); err == nil {
		t.Error("installed without a context")
	}
	if err := d.tables.Remove(t.Context(), "report"); err != nil {
		t.Fatal(err)
	}
	d.must("INSERT INTO report VALUES (1, 'bare')")
	if list, err := d.tables.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := d.tables.Refusals(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("counts: %v", err)
	}
}
