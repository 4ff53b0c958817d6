package e2e

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

// lookedAt checks that each finding says something.
func lookedAt(t *testing.T, db *sql.DB, d sqlstore.Dialect, o *sqlstore.Options) []driver.Finding {
	t.Helper()
	found, err := sqlstore.Examine(t.Context(), db, d, o)
	return storetest.Findings(t, found, err)
}

func TestExamineMySQL(t *testing.T) {
	t.Parallel()
	good := realserver.NewMariaDB(t, &realserver.MariaDBOptions{Durable: true, Settings: []string{"max-connections=40"}})
	good.Exec("CREATE DATABASE leases; CREATE DATABASE other; CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'pass'; GRANT SELECT ON leases.* TO reader@'127.0.0.1'")
	db := openMySQL(t, good.URL("leases"))
	storetest.WantFit(t, lookedAt(t, db, sqlstore.MySQL, nil))
	if n := query(t, db, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'leases'"); n != "0" {
		t.Error("the examination made tables")
	}
	storetest.WantFinding(t, lookedAt(t, db, sqlstore.MySQL, &sqlstore.Options{NoSetup: true}), "tables", driver.Unfit, "NoSetup")
	_ = mustOpen(t, db, sqlstore.MySQL, nil).Close()
	all := lookedAt(t, db, sqlstore.MySQL, nil)
	storetest.WantFit(t, all)
	storetest.WantFinding(t, all, "tables", driver.Fit, "as this release makes them")

	for _, c := range []struct {
		name, address, setting string
		subject                string
		grade                  driver.Grade
		says                   string
	}{
		{"rights", "reader:pass@tcp(" + good.Addr() + ")/leases", "", "tables", driver.Unfit, "grant the store's user"},
		{"password", "reader:wrong@tcp(" + good.Addr() + ")/leases", "", "answers", driver.Unfit, "check the user"},
		{"no database", good.URL(""), "", "tables", driver.Unfit, "name a database"},
		{"frozen", good.URL("leases"), "timestamp=1000000000", "clock", driver.Unfit, "SET timestamp"},
		{"safe updates", good.URL("leases"), "sql_safe_updates=1", "session", driver.Unfit, "sql_safe_updates"},
		{"autocommit", good.URL("leases"), "autocommit=0", "autocommit", driver.Fit, "off"},
		{"time-out", good.URL("leases"), "max_statement_time=0.2", "time-outs", driver.Warning, "0.2 s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			storetest.WantFinding(t, lookedAt(t, openMySQL(t, c.address, c.setting), sqlstore.MySQL, nil), c.subject, c.grade, c.says)
		})
	}
	mustExec(t, db, "ALTER TABLE ringfence_lease ENGINE = MyISAM")
	storetest.WantFinding(t, lookedAt(t, db, sqlstore.MySQL, nil), "tables", driver.Unfit, "MyISAM")
	mustExec(t, db, "DROP TABLE ringfence_lease")
	storetest.WantFinding(t, lookedAt(t, db, sqlstore.MySQL, nil), "tables", driver.Unfit, "only one is there")
	var busy []*sql.Conn
	for range 37 {
		if c, err := db.Conn(t.Context()); err == nil {
			busy = append(busy, c)
		}
	}
	storetest.WantFinding(t, lookedAt(t, db, sqlstore.MySQL, nil), "connections", driver.Warning, "in use")
	for _, c := range busy {
		_ = c.Close()
	}
}

func TestExamineMySQLServerSettings(t *testing.T) {
	t.Parallel()
	bad := realserver.NewMariaDB(t, &realserver.MariaDBOptions{FakeTime: "+3600", Settings: []string{
		"innodb-flush-log-at-trx-commit=0", "log-bin=log", "binlog-format=STATEMENT", "read-only=1", "sysdate-is-now=1",
	}})
	storetest.WantFinding(t, lookedAt(t, openMySQL(t, bad.URL(""), "timestamp=1800000000"), sqlstore.MySQL, nil), "clock", driver.Unfit, "SET timestamp")
	all := lookedAt(t, openMySQL(t, bad.URL("")), sqlstore.MySQL, nil)
	storetest.WantFinding(t, all, "durability", driver.Warning, "is 0")
	storetest.WantFinding(t, all, "binary log", driver.Unfit, "STATEMENT")
	storetest.WantFinding(t, all, "role of the server", driver.Unfit, "read_only")
	storetest.WantFinding(t, all, "clock", driver.Warning, "1h0m0s off")
	bad.Exec("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
	storetest.WantFinding(t, lookedAt(t, openMySQL(t, bad.URL("")), sqlstore.MySQL, nil), "durability", driver.Warning, "sync_binlog")
	bad.Exec("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
	storetest.WantFinding(t, lookedAt(t, openMySQL(t, bad.URL("")), sqlstore.MySQL, nil), "durability", driver.Warning, "is 2")
}

func TestExamineSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	open := func(settings ...string) *sql.DB { return openSQLite(t, path, settings...) }
	good := open("_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)", "_pragma=busy_timeout(5000)")
	storetest.WantFit(t, lookedAt(t, good, sqlstore.SQLite, nil))
	storetest.WantFinding(t, lookedAt(t, good, sqlstore.SQLite, nil), "version", driver.Fit, query(t, good, "SELECT sqlite_version()"))
	if n := query(t, good, "SELECT count(*) FROM sqlite_schema"); n != "0" {
		t.Error("the examination made tables")
	}
	storetest.WantFinding(t, lookedAt(t, good, sqlstore.SQLite, &sqlstore.Options{NoSetup: true}), "tables", driver.Unfit, "NoSetup")
	_ = mustOpen(t, good, sqlstore.SQLite, nil).Close()
	storetest.WantFinding(t, lookedAt(t, good, sqlstore.SQLite, nil), "tables", driver.Fit, "as this release makes them")

	storetest.WantFinding(t, lookedAt(t, open("_pragma=synchronous(NORMAL)"), sqlstore.SQLite, nil), "synchronous", driver.Warning, "NORMAL")
	storetest.WantFinding(t, lookedAt(t, open("_pragma=busy_timeout(0)"), sqlstore.SQLite, nil), "busy timeout", driver.Warning, "0")
	storetest.WantFinding(t, lookedAt(t, open("_pragma=query_only(1)"), sqlstore.SQLite, nil), "rights", driver.Unfit, "query_only")
	mustExec(t, good, "DROP TABLE ringfence_store")
	storetest.WantFinding(t, lookedAt(t, good, sqlstore.SQLite, nil), "tables", driver.Unfit, "only one is there")
	_ = good.Close()
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, lookedAt(t, open(), sqlstore.SQLite, nil), "rights", driver.Unfit, "read-only")

	memory, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	storetest.WantFinding(t, lookedAt(t, memory, sqlstore.SQLite, nil), "file", driver.Unfit, "SetMaxOpenConns(1)")

	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("this is no database, and long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, lookedAt(t, openSQLite(t, text), sqlstore.SQLite, nil), "file", driver.Unfit, "name another file")
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		dir, err := os.MkdirTemp("/dev/shm", "ringfence-test-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		storetest.WantFinding(t, lookedAt(t, openSQLite(t, filepath.Join(dir, "a.db"), "_pragma=journal_mode(WAL)"), sqlstore.SQLite, nil), "place", driver.Warning, "tmpfs")
	}
}
