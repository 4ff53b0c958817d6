package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/journaltest"
	"github.com/ringfence-go/ringfence/journal/sqljournal"
)

// journaled opens a new database of each kind.
var journaled = map[string]struct {
	dialect sqljournal.Dialect
	open    func(t *testing.T) *sql.DB
}{
	"sqlite": {sqljournal.SQLite, func(t *testing.T) *sql.DB {
		return openJournaled(t, "sqlite", sqliteURL(t)+"&_pragma=busy_timeout(20000)")
	}},
	"postgres": {sqljournal.Postgres, func(t *testing.T) *sql.DB { return openJournaled(t, "pgx", realserver.SharedPostgres(t)) }},
	"mysql":    {sqljournal.MySQL, func(t *testing.T) *sql.DB { return openJournaled(t, "mysql", realserver.SharedMariaDB(t)) }},
}

func openJournaled(t *testing.T, driver, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(4)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestSQLJournal(t *testing.T) {
	t.Parallel()
	for name, kind := range journaled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			journaltest.Run(t, func(t *testing.T) journal.Journal {
				j, err := sqljournal.Open(kind.open(t), kind.dialect, nil)
				if err != nil {
					t.Fatal(err)
				}
				return j
			})
		})
	}
}

// TestSQLJournalWithoutItsTable: an append says what to do where it may not make the
// table, and a read finds nothing.
func TestSQLJournalWithoutItsTable(t *testing.T) {
	t.Parallel()
	for name, kind := range journaled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := kind.open(t)
			j, err := sqljournal.Open(db, kind.dialect, &sqljournal.Options{NoSetup: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range j.Read(t.Context(), journal.Query{}) {
				t.Errorf("read: %v", err)
			}
			event := []journal.Event{{Kind: journal.Granted, Name: "job", Token: 1, At: time.Now()}}
			if err := j.Append(t.Context(), event); !errors.Is(err, driver.ErrUnfit) || !strings.Contains(err.Error(), "sqljournal.Schema") {
				t.Errorf("append: %v", err)
			}
			if _, err := db.ExecContext(t.Context(), sqljournal.Schema(kind.dialect)); err != nil {
				t.Fatal(err)
			}
			if err := j.Append(t.Context(), event); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSQLJournalKeepsABatchInARow: that is what makes it cheap. A row that can't be
// read costs its own events alone, and what is beyond the bounds goes.
func TestSQLJournalKeepsABatchInARow(t *testing.T) {
	t.Parallel()
	for name, kind := range journaled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, table := kind.open(t), "ringfence_journal"
			if kind.dialect == sqljournal.Postgres {
				table = "ringfence.journal"
			}
			j, err := sqljournal.Open(db, kind.dialect, nil)
			if err != nil {
				t.Fatal(err)
			}
			for b := range 4 {
				var batch []journal.Event
				for i := range 100 {
					batch = append(batch, journal.Event{ID: fmt.Sprint(b, "-", i), Kind: journal.Granted, Name: "job", Token: 1, At: time.Now()})
				}
				if err := j.Append(t.Context(), batch); err != nil {
					t.Fatal(err)
				}
			}
			if n := countOf(t, db, table); n != 4 {
				t.Errorf("400 events in 4 batches are %d rows", n)
			}
			if _, err := db.ExecContext(t.Context(), "UPDATE "+table+" SET bundle = '[{' WHERE seq = (SELECT s FROM (SELECT max(seq) AS s FROM "+table+") m)"); err != nil {
				t.Fatal(err)
			}
			events, corrupt := 0, 0
			for _, err := range j.Read(t.Context(), journal.Query{Name: "job"}) {
				if errors.Is(err, journal.ErrCorrupt) {
					corrupt++
				} else if err == nil {
					events++
				}
			}
			if events != 300 || corrupt != 1 {
				t.Errorf("%d events and %d corrupt rows", events, corrupt)
			}
			n, err := j.Prune(t.Context(), journal.Bounds{Age: time.Hour, Events: 150})
			if left := countOf(t, db, table); err != nil || n != 200 || left != 2 {
				t.Errorf("pruned %d, %v; %d rows are left", n, err, left)
			}
		})
	}
}

func countOf(t *testing.T, db *sql.DB, table string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSQLJournalWithFewRights: those that docs/stores name are enough once the table is
// there, and a role without them is told.
func TestSQLJournalWithFewRights(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		db := openJournaled(t, "pgx", realserver.SharedPostgres(t))
		db.SetMaxOpenConns(1)
		role := fmt.Sprintf("recorder_%d", lastDay.Add(1))
		mustExec(t, db, sqljournal.Schema(sqljournal.Postgres))
		mustExec(t, db, "CREATE ROLE "+role)
		t.Cleanup(func() { _, _ = db.Exec("RESET ROLE; DROP OWNED BY " + role + "; DROP ROLE " + role) }) // roles outlive the database
		mustExec(t, db, "SET ROLE "+role)
		refuses(t, db, sqljournal.Postgres)
		mustExec(t, db, "RESET ROLE")
		mustExec(t, db, "GRANT USAGE ON SCHEMA ringfence TO "+role+"; GRANT SELECT, INSERT, DELETE ON ringfence.journal TO "+role)
		mustExec(t, db, "SET ROLE "+role)
		keeps(t, db, sqljournal.Postgres)
	})
	t.Run("mysql", func(t *testing.T) {
		t.Parallel()
		address := realserver.SharedMariaDB(t)
		owner := openJournaled(t, "mysql", address)
		user := fmt.Sprintf("recorder_%d", lastDay.Add(1))
		mustExec(t, owner, sqljournal.Schema(sqljournal.MySQL))
		mustExec(t, owner, "CREATE USER "+user+"@'127.0.0.1' IDENTIFIED BY 'pass'")
		t.Cleanup(func() { _, _ = owner.Exec("DROP USER " + user + "@'127.0.0.1'") })    // users outlive the database
		mustExec(t, owner, "GRANT CREATE TEMPORARY TABLES ON * TO "+user+"@'127.0.0.1'") // to see that there is a database
		db := openJournaled(t, "mysql", user+":pass"+address[strings.Index(address, "@tcp"):])
		refuses(t, db, sqljournal.MySQL)
		mustExec(t, owner, "GRANT SELECT, INSERT, DELETE ON ringfence_journal TO "+user+"@'127.0.0.1'")
		keeps(t, db, sqljournal.MySQL)
	})
}

func refuses(t *testing.T, db *sql.DB, d sqljournal.Dialect) {
	t.Helper()
	j, err := sqljournal.Open(db, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	event := []journal.Event{{Kind: journal.Granted, Name: "job", Token: 1, At: time.Now()}}
	if err := j.Append(t.Context(), event); !errors.Is(err, driver.ErrUnfit) || !strings.Contains(err.Error(), "grant the role INSERT, SELECT and DELETE") {
		t.Errorf("without rights: %v", err)
	}
}

func keeps(t *testing.T, db *sql.DB, d sqljournal.Dialect) {
	t.Helper()
	j, err := sqljournal.Open(db, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		event := journal.Event{ID: fmt.Sprint(i), Kind: journal.Granted, Name: "job", Token: 1, At: time.Now()}
		if err := j.Append(t.Context(), []journal.Event{event}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := j.Prune(t.Context(), journal.Bounds{Age: time.Hour, Events: 1}); n != 1 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
	for e, err := range j.Read(t.Context(), journal.Query{}) {
		if err != nil || e.ID != "1" {
			t.Errorf("read %+v, %v", e, err)
		}
	}
}

// TestMySQLJournalWithoutAutocommit: what a session appends or prunes is there for
// others at once, and it reads what they append, also where it does not commit by itself.
func TestMySQLJournalWithoutAutocommit(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t)
	other, db := openJournaled(t, "mysql", address), openMySQL(t, address, "autocommit=0")
	db.SetMaxOpenConns(1)
	keeps(t, db, sqljournal.MySQL)
	if n := countOf(t, other, "ringfence_journal"); n != 1 {
		t.Errorf("another session sees %d rows; want the one that was kept", n)
	}
	if n := countOf(t, db, "ringfence_journal"); n != 1 { // which leaves a transaction open
		t.Errorf("the session itself sees %d rows", n)
	}
	mustExec(t, other, "INSERT INTO ringfence_journal (at, events, bundle) SELECT at, events, bundle FROM ringfence_journal")
	j, err := sqljournal.Open(db, sqljournal.MySQL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := j.Prune(t.Context(), journal.Bounds{Age: time.Hour, Events: 1}); n != 1 || err != nil {
		t.Errorf("pruned %d, %v; want what another session has appended", n, err)
	}
	if got := query(t, db, "SELECT @@autocommit"); got != "0" {
		t.Errorf("autocommit is %s; want 0, as it was", got)
	}
}
