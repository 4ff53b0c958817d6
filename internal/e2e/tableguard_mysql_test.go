package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// inMySQL is a database of MariaDB whose tables are guarded.
type inMySQL struct {
	*sql.DB
	tables *tableguard.DB
	t      *testing.T
}

func newMySQLTables(t *testing.T) inMySQL {
	db, err := sql.Open("mysql", realserver.SharedMariaDB(t)+"?default_storage_engine=InnoDB")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d := inMySQL{db, tableguard.On(db, tableguard.MySQL), t}
	d.must("CREATE TABLE report (id BIGINT PRIMARY KEY, body VARCHAR(200))")
	return d
}

func (d inMySQL) must(statements ...string) {
	d.t.Helper()
	for _, s := range statements {
		if _, err := d.ExecContext(d.t.Context(), s); err != nil {
			d.t.Fatalf("%s: %v", s, err)
		}
	}
}

func (d inMySQL) guard(table tableguard.Table) {
	d.t.Helper()
	if err := d.tables.Install(d.t.Context(), table); err != nil {
		d.t.Fatal(err)
	}
}

// mysqlSession is a connection that carries a fence, as an unchanged program does.
type mysqlSession struct {
	*sql.Conn
	t *testing.T
}

func (d inMySQL) session(f string) mysqlSession {
	d.t.Helper()
	c, err := d.Conn(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = c.Close() })
	s := mysqlSession{c, d.t}
	s.set("fence", f)
	return s
}

func (s mysqlSession) set(name string, value any) {
	s.t.Helper()
	if _, err := s.ExecContext(s.t.Context(), "SET @ringfence_"+name+" = ?", value); err != nil {
		s.t.Fatal(err)
	}
}

func (s mysqlSession) exec(statements ...string) (err error) {
	for _, statement := range statements {
		if _, err = s.ExecContext(s.t.Context(), statement); err != nil {
			return err
		}
	}
	return nil
}

func (s mysqlSession) establish() error { return s.exec("CALL ringfence_establish()") }

// refusedMySQL checks that a statement is refused for a cause.
func refusedMySQL(t *testing.T, what string, err error, want fence.Cause) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("Error 45%s (%s): ringfence refused the write: %s: ", stateOf[want][2:], stateOf[want], want)) {
		t.Errorf("%s: got %v, want %s", what, err, want)
	}
}

// mysqlWrites is every kind of statement that changes rows of a table.
var mysqlWrites = []string{
	"INSERT INTO report VALUES (7, 'new')",
	"INSERT INTO report VALUES (1, 'new') ON DUPLICATE KEY UPDATE body = VALUES(body)",
	"INSERT IGNORE INTO report VALUES (8, 'ignored')",
	"REPLACE INTO report VALUES (1, 'replaced')",
	"INSERT INTO report SELECT 9, body FROM report LIMIT 1",
	"UPDATE report SET body = 'changed'",
	"UPDATE report SET body = body",
	"UPDATE IGNORE report SET body = 'ignored'",
	"UPDATE report JOIN plain USING (id) SET body = 'joined', note = 'joined'",
	"DELETE FROM report",
	"DELETE report, plain FROM report JOIN plain USING (id)",
	"DELETE IGNORE FROM report",
	"CALL write_report()",
	"UPDATE shown SET body = 'through a view'",
	"UPDATE source SET note = 'by a trigger of its own'",
}

func TestMySQLTableGuardRefusesEveryWayToWrite(t *testing.T) {
	t.Parallel()
	for _, rule := range []tableguard.Rule{tableguard.Latest, tableguard.Once, tableguard.Sequenced} {
		t.Run(string(rule), func(t *testing.T) {
			t.Parallel()
			d := newMySQLTables(t)
			d.must("INSERT INTO report VALUES (1, 'old')", "CREATE TABLE plain (id BIGINT, note VARCHAR(200))", "INSERT INTO plain VALUES (1, 'old')",
				"CREATE PROCEDURE write_report() INSERT INTO report VALUES (10, 'inside')", "CREATE VIEW shown AS SELECT * FROM report",
				"CREATE TABLE source (note VARCHAR(200))", "INSERT INTO source VALUES ('old')",
				"CREATE TRIGGER spread AFTER UPDATE ON source FOR EACH ROW UPDATE report SET body = NEW.note")
			d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: rule})
			first, second := d.session(rf("nightly", 10)), d.session(rf("nightly", 11))
			admitted(t, "establish 10", first.establish())
			admitted(t, "establish 11", second.establish())
			refusedMySQL(t, "establish 10 again", first.establish(), fence.Superseded)
			for what, s := range map[string]mysqlSession{"bare": d.session(""), "older": first} {
				want := fence.Superseded
				if what == "bare" {
					want = fence.Invalid
				}
				s.set("seq", 1)
				s.set("key", "k")
				for _, w := range mysqlWrites {
					refusedMySQL(t, what+": "+w, s.exec(w), want)
				}
			}
			var body, note string
			if err := d.QueryRowContext(t.Context(), "SELECT body, note FROM report JOIN plain").Scan(&body, &note); err != nil || body != "old" || note != "old" {
				t.Errorf("the tables hold %q and %q, %v", body, note, err)
			}
			second.set("seq", 1)
			second.set("key", "k")
			second.set("write", "one")
			admitted(t, "the newer term", second.exec(mysqlWrites...))
		})
	}
}

func TestMySQLTableGuardLatest(t *testing.T) {
	t.Parallel()
	d := newMySQLTables(t)
	name := `we're "odd": 100% {x} \ ü/🔒`
	d.guard(tableguard.Table{Name: "report", Lease: strings.NewReplacer("{", "{{", "}", "}}").Replace(name)})
	s := d.session(rf(name, 5))
	write := mysqlWrites[1]
	refusedMySQL(t, "no mark", s.exec(write), fence.NotEstablished)
	admitted(t, "establish", s.establish())
	admitted(t, "write", s.exec(write))
	s.set("fence", rf(name, 7))
	admitted(t, "a newer term without establishing", s.exec(write))
	s.set("fence", rf(name, 6))
	refusedMySQL(t, "the term before", s.exec(write), fence.Superseded)
	s.set("fence", rf("other", 9))
	refusedMySQL(t, "another lease", s.exec(write), fence.Invalid)
	s.set("fence", rf(name, fence.MaxToken))
	refusedMySQL(t, "an invented number", s.exec(write), fence.Future)
	refusedMySQL(t, "an invented number, established", s.establish(), fence.Future)
	for _, bad := range []any{nil, 5, "", "x", "5", "rf1:", "rf1:0:x", "rf1:-1:x", "rf1:05:x", "rf1:+5:x", "rf1: 5:x", "rf1:1e3:x", "rf1:9007199254740992:x", "rf1:9223372036854775808:x",
		"rf1:5:", "rf2:5:x", "rf1:５:x", "rf1:5:%", "rf1:5:%zz", "RF1:5:x", "rf1:5:" + strings.ToUpper(name), strings.Repeat("9", 1<<20)} {
		s.set("fence", bad)
		refusedMySQL(t, fence.Quote(fmt.Sprint(bad)), s.exec(write), fence.Invalid)
	}
}

func TestMySQLTableGuardRefusesWhatItCannotGuard(t *testing.T) {
	t.Parallel()
	d := newMySQLTables(t)
	d.must("CREATE TABLE timed (at TIMESTAMP, id BIGINT)", "CREATE VIEW shown AS SELECT * FROM report", "CREATE TABLE bare (id BIGINT) ENGINE = MyISAM",
		"CREATE TABLE child (id BIGINT PRIMARY KEY, FOREIGN KEY (id) REFERENCES report (id) ON DELETE CASCADE)")
	for _, bad := range []tableguard.Table{
		{}, {Name: "report"}, {Name: "nothing", Lease: "l"}, {Name: "shown", Lease: "l"}, {Name: "bare", Lease: "l"}, {Name: "child", Lease: "l"}, {Name: "REPORT", Lease: "l"},
		{Name: "report", Lease: "x/{nope}"}, {Name: "report", Lease: "l", Rule: tableguard.Owned}, {Name: "mysql.user", Lease: "l"},
		{Name: "timed", Lease: "at/{at}"}, // in each time zone of a session it would be another lease
	} {
		if err := d.tables.Install(t.Context(), bad); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestMySQLTableGuardHoldsOffASuccessor lets nobody establish while a write of the term
// before is under way; and a statement that waits keeps no lock that others need.
func TestMySQLTableGuardHoldsOffASuccessor(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"READ COMMITTED", "REPEATABLE READ"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			d := newMySQLTables(t)
			d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
			first, second, third := d.session(rf("nightly", 10)), d.session(rf("nightly", 11)), d.session(rf("nightly", 10))
			admitted(t, "establish 10", first.establish())
			for _, s := range []mysqlSession{first, second, third} {
				admitted(t, "level", s.exec("SET SESSION TRANSACTION ISOLATION LEVEL "+level, "SET innodb_lock_wait_timeout = 30"))
			}
			admitted(t, "begin", first.exec("BEGIN", mysqlWrites[0]))
			admitted(t, "another write of the term", third.exec("INSERT INTO report VALUES (8, 'beside')"))
			established := make(chan error, 1)
			waiting := second.id()
			go func() { established <- second.establish() }()
			d.waits(waiting)
			admitted(t, "write on, while somebody waits", first.exec("INSERT INTO report VALUES (9, 'more')", "COMMIT"))
			admitted(t, "establish 11", <-established)
			refusedMySQL(t, "the term before", first.exec(mysqlWrites[5]), fence.Superseded)
		})
	}
}

func (s mysqlSession) id() (id int64) {
	s.t.Helper()
	if err := s.QueryRowContext(s.t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// waits returns when a connection waits for a lock of a row. The server looks again only
// when nobody has asked for a tenth of a second.
func (d inMySQL) waits(id int64) {
	d.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(150 * time.Millisecond) {
		var n int
		err := d.QueryRowContext(d.t.Context(), "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' AND trx_mysql_thread_id = ?", id).Scan(&n)
		if err == nil && n > 0 {
			return
		}
		if err != nil || time.Now().After(deadline) {
			d.t.Fatalf("connection %d does not wait: %v", id, err)
		}
	}
}
