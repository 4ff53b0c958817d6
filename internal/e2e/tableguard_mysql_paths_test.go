package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

func TestMySQLTableGuardOnLoadedFiles(t *testing.T) {
	t.Parallel()
	d := newMySQLTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	s := d.session(rf("nightly", 5))
	mysql.RegisterReaderHandler(t.Name(), func() io.Reader { return strings.NewReader("1,x\n2,y\n") })
	t.Cleanup(func() { mysql.DeregisterReaderHandler(t.Name()) })
	for _, how := range []string{"", "REPLACE ", "IGNORE "} {
		load := "LOAD DATA LOCAL INFILE 'Reader::" + t.Name() + "' " + how + "INTO TABLE report FIELDS TERMINATED BY ','"
		s.set("fence", rf("nightly", 5))
		admitted(t, "establish", s.establish())
		admitted(t, load, s.exec(load))
		d.must("TRUNCATE report")
		s.set("fence", rf("nightly", 4))
		refusedMySQL(t, load, s.exec(load), fence.Superseded)
	}
	var rows int
	if err := d.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM report").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// TestMySQLTableGuardByColumns judges the values that are stored, whatever made them: the
// number of a new row, or a trigger that was there before.
func TestMySQLTableGuardByColumns(t *testing.T) {
	t.Parallel()
	d := newMySQLTables(t)
	d.must("CREATE TABLE item (shop VARCHAR(20), id BIGINT AUTO_INCREMENT, price BIGINT, PRIMARY KEY (id, shop)) PARTITION BY HASH (id) PARTITIONS 2",
		"CREATE TRIGGER moves BEFORE INSERT ON item FOR EACH ROW SET NEW.shop = IF(NEW.price = 0, 'b', NEW.shop)",
		"CREATE TABLE numbered (id BIGINT AUTO_INCREMENT PRIMARY KEY)")
	d.guard(tableguard.Table{Name: "item", Lease: "shop/{shop}/prices"})
	d.guard(tableguard.Table{Name: "numbered", Lease: "row/{id}", Rule: tableguard.Once})
	a := d.session(rf("shop/a/prices", 5))
	admitted(t, "establish", a.establish())
	admitted(t, "own rows", a.exec("INSERT INTO item (shop, price) VALUES ('a', 10), ('a', 11)", "UPDATE item SET price = price + 1"))
	for _, w := range []string{
		"INSERT INTO item (shop, price) VALUES ('b', 10)", "INSERT INTO item (shop, price) VALUES ('a', 0)", "UPDATE item SET shop = 'b'", "UPDATE item SET shop = 'A'",
		"INSERT INTO item (shop, price) VALUES ('a', 1), ('b', 3)",
	} {
		refusedMySQL(t, w, a.exec(w), fence.Invalid)
	}
	d.guard(tableguard.Table{Name: "report", Lease: "{body}"})
	a.set("fence", rf("%41", 5))
	admitted(t, "a name that looks like an escape", errors.Join(a.establish(), a.exec("INSERT INTO report VALUES (1, '%41')")))
	a.set("fence", "rf1:5:%41")
	refusedMySQL(t, "a fence for what it is an escape of", a.exec("INSERT INTO report VALUES (2, '%41')"), fence.Invalid)
	a.set("fence", rf("row/1", 5))
	admitted(t, "the first row's own lease", errors.Join(a.establish(), a.exec("INSERT INTO numbered VALUES ()")))
	refusedMySQL(t, "the second row", a.exec("INSERT INTO numbered VALUES ()"), fence.Invalid)
}

// TestMySQLTableGuardOnWideTables finds the columns of a table also where a list of them is
// longer than what MySQL puts together by default.
func TestMySQLTableGuardOnWideTables(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("mysql", realserver.SharedMariaDB(t)+"?default_storage_engine=InnoDB&group_concat_max_len=1024")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var columns strings.Builder
	for i := range 40 {
		fmt.Fprintf(&columns, ", %s_%d INT", strings.Repeat("c", 50), i)
	}
	d := inMySQL{db, tableguard.On(db, tableguard.MySQL), t}
	d.must("CREATE TABLE wide (first INT" + columns.String() + ", last INT)")
	d.guard(tableguard.Table{Name: "wide", Lease: "{first}/{last}"})
}

func TestMySQLTableGuardTellsWritesApart(t *testing.T) {
	t.Parallel()
	d := newMySQLTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: tableguard.Sequenced})
	s := d.session(rf("nightly", 5))
	admitted(t, "establish", s.establish())
	write := func(seq any, key string) error {
		s.set("seq", seq)
		s.set("key", key)
		return s.exec("REPLACE INTO report VALUES (1, 'a'), (2, 'b')") // one statement is one write
	}
	for _, c := range []struct {
		seq  any
		key  string
		want fence.Cause
	}{
		{1, "a", fence.NoCause}, {3, "c", fence.OutOfSequence}, {"2", "b", fence.NoCause}, {2, "x", fence.Conflict}, {nil, "k", fence.Invalid}, {3, "", fence.Invalid},
		{0, "k", fence.Invalid}, {"1e3", "k", fence.Invalid}, {3, strings.Repeat("k", 257), fence.Invalid}, {3, "c", fence.NoCause},
	} {
		if err := write(c.seq, c.key); c.want == fence.NoCause {
			admitted(t, fmt.Sprint(c.seq, c.key), err)
		} else {
			refusedMySQL(t, fmt.Sprint(c.seq, c.key), err, c.want)
		}
	}
	if _, err := d.tables.Refusals(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("counts: %v", err)
	}
	if err := write(3, "c"); err == nil || !strings.Contains(err.Error(), "Error 45000 (RF000)") {
		t.Errorf("the same again: %v", err)
	}
	s.set("write", "of four statements")
	s.set("seq", 4)
	s.set("key", "d")
	admitted(t, "one transaction", s.exec("BEGIN", mysqlWrites[0], mysqlWrites[5], "SAVEPOINT a", mysqlWrites[9], "ROLLBACK TO a", mysqlWrites[5], "COMMIT"))
	s.set("write", "another")
	s.set("key", "e")
	refusedMySQL(t, "the same place with another key", s.exec(mysqlWrites[5]), fence.Conflict)
}

func TestMySQLTableGuardOwned(t *testing.T) {
	t.Parallel()
	d := newMySQLTables(t)
	store, err := sqlstore.Open(t.Context(), d.DB, sqlstore.MySQL, nil)
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
	admitted(t, "the holder", s.exec("BEGIN", mysqlWrites[0]))
	takeover := d.session("").exec("SET innodb_lock_wait_timeout = 0", "SELECT * FROM ringfence_lease WHERE name = 'nightly' FOR UPDATE")
	if takeover == nil || !strings.Contains(takeover.Error(), "1205") {
		t.Errorf("the lease can be taken over beside an open write: %v", takeover)
	}
	admitted(t, "commit", s.exec("COMMIT"))
	if _, err := store.Break(t.Context(), "nightly", "test"); err != nil {
		t.Fatal(err)
	}
	refusedMySQL(t, "broken", s.exec(mysqlWrites[1]), fence.Lapsed)
	second := grant("b")
	refusedMySQL(t, "superseded", s.exec(mysqlWrites[1]), fence.Superseded)
	if _, err := d.tables.Establish(t.Context(), first.Fence); !errors.Is(err, fence.ErrRefused) {
		t.Errorf("superseded, to establish: %v", err)
	}
	s.set("fence", second.Fence.String())
	admitted(t, "the next holder", s.exec(mysqlWrites[1]))
	s.set("fence", rf("nightly", second.Token+1))
	refusedMySQL(t, "a token that was never granted", s.exec(mysqlWrites[1]), fence.NotEstablished)
}

// as opens the database as a new user with those rights.
func (d inMySQL) as(rights ...string) inMySQL {
	d.t.Helper()
	c, err := mysql.ParseDSN(realserver.SharedMariaDB(d.t))
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.QueryRowContext(d.t.Context(), "SELECT DATABASE()").Scan(&c.DBName); err != nil {
		d.t.Fatal(err)
	}
	c.User, c.Passwd = "user_of_"+c.DBName, "secret"
	d.must(fmt.Sprintf("CREATE USER %s IDENTIFIED BY 'secret'", c.User))
	for _, r := range rights {
		d.must(fmt.Sprintf("GRANT %s TO %s", r, c.User))
	}
	db, err := sql.Open("mysql", c.FormatDSN())
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = db.Close() })
	return inMySQL{db, tableguard.On(db, tableguard.MySQL), d.t}
}

// TestMySQLTableGuardLetsNoUserNearTheMarks writes as a user with rights on the table
// alone, and the one routine that is for writers.
func TestMySQLTableGuardLetsNoUserNearTheMarks(t *testing.T) {
	t.Parallel()
	d := newMySQLTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	writer := d.as("SELECT, INSERT, UPDATE, DELETE ON report", "EXECUTE ON PROCEDURE ringfence_establish")
	s := writer.session(rf("nightly", 5))
	admitted(t, "establish", s.establish())
	admitted(t, "write", s.exec(mysqlWrites[0]))
	for _, statement := range []string{
		"UPDATE ringfence_guard_mark SET token = 1", "DELETE FROM ringfence_guard_mark", "CALL ringfence_admit('nightly', 'latest', 'report')", "CALL ringfence_raise('nightly', 1)",
		"DROP PROCEDURE ringfence_admit", "TRUNCATE report", "ALTER TABLE report ADD COLUMN x INT",
	} {
		if err := s.exec(statement); err == nil {
			t.Errorf("%s was allowed", statement)
		}
	}
	admitted(t, "a TRUNCATE by who may drop the table goes around", d.session("").exec("TRUNCATE report"))
}

// TestMySQLTableGuardIsInstalledWholeOrNotAtAll repairs what an installation that was cut
// off has left, and leaves nothing where it fails.
func TestMySQLTableGuardIsInstalledWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	d := newMySQLTables(t)
	poor := d.as("SELECT, INSERT, CREATE, CREATE ROUTINE, ALTER ROUTINE, EXECUTE ON "+"*", "DELETE ON *")
	if err := poor.tables.Install(t.Context(), tableguard.Table{Name: "report", Lease: "l"}); err == nil || !strings.Contains(err.Error(), "TRIGGER") {
		t.Errorf("installed without the right to: %v", err)
	}
	if list, err := d.tables.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after an installation that failed: %+v, %v", list, err)
	}
	admitted(t, "a write after that", d.session("").exec("INSERT INTO report VALUES (1, 'bare')"))
	var all sync.WaitGroup
	want := tableguard.Table{Name: "report", Lease: "it's {{x}}/{id}", Rule: tableguard.Once}
	for range 4 {
		all.Go(func() {
			if err := d.tables.Install(t.Context(), want); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	is := func(what string, off bool) {
		t.Helper()
		list, err := d.tables.List(t.Context())
		if err != nil || !slices.Equal(list, []tableguard.Status{{Table: want, Off: off}}) {
			t.Errorf("%s: %+v, %v", what, list, err)
		}
	}
	is("installed", false)
	var name string
	if err := d.QueryRowContext(t.Context(), "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE() AND event_manipulation = 'UPDATE'").Scan(&name); err != nil {
		t.Fatal(err)
	}
	d.must("DROP TRIGGER " + name)
	is("without a trigger", true)
	d.guard(want)
	is("repaired", false)
	want.Rule, want.Lease = tableguard.Latest, "nightly"
	d.guard(want)
	is("replaced", false)
	d.must("CREATE TABLE parent (id BIGINT PRIMARY KEY)", "INSERT INTO parent SELECT id FROM report", "ALTER TABLE report ADD CONSTRAINT down FOREIGN KEY (id) REFERENCES parent (id) ON UPDATE CASCADE")
	is("below a cascade", true)
	d.must("ALTER TABLE report DROP FOREIGN KEY down")
	var triggers int
	if err := d.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_schema = DATABASE()").Scan(&triggers); err != nil || triggers != 3 {
		t.Errorf("%d triggers, %v; want those of the last installation alone", triggers, err)
	}
	cut, stop := context.WithCancel(t.Context())
	stop()
	if err := d.tables.Install(cut, want); err == nil {
		t.Error("installed without a context")
	}
	if err := d.tables.Remove(t.Context(), "report"); err != nil {
		t.Fatal(err)
	}
	admitted(t, "a write once it is removed", d.session("").exec(mysqlWrites[5]))
}
