package e2e

import (
	"database/sql"
	"errors"
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
