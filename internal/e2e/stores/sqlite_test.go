package stores

import (
	"database/sql"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

var sqlite = column{
	name: "SQLite", page: "sql.md",
	start: func(*testing.T) func(*testing.T, bool) *site { return sqliteSite },
	lacks: map[string]string{
		"R01": noServer, "R03": noServer, "R08": noServer, "R10": noServer, "R26": noZones,
		"R20": "Processes that share the file are killed in `TestScenario_R20_KilledWhileAcquiring` of internal/e2e/scenario.",
		"L1":  noServer, "L3": noServer, "L6": notEvicting, "L7": noClock,
	},
}

func sqliteSite(t *testing.T, _ bool) *site {
	path := filepath.Join(t.TempDir(), "leases.db")
	db := func(t *testing.T) *sql.DB { return openSQLite(t, path) }
	at := &site{}
	at.opens = func(t *testing.T, _ string) (driver.Store, error) {
		return sqlstore.Open(t.Context(), db(t), sqlstore.SQLite, nil)
	}
	at.stall = func(t *testing.T) (driver.Store, func(), func()) {
		other := db(t)
		other.SetMaxOpenConns(1)
		exec := func(statement string) func() { return func() { execute(t, other, statement) } }
		return at.direct(t), exec("BEGIN IMMEDIATE"), exec("ROLLBACK")
	}
	sqlTables{t, db(t), "ringfence_lease", "ringfence_store"}.powers(at)
	return at
}

func openSQLite(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
