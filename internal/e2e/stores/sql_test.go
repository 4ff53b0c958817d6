package stores

import (
	"database/sql"
	"testing"
)

func execute(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// sqlTables are the tables of a store in a database, reached by a connection that
// lives through a restart of the server.
type sqlTables struct {
	t            *testing.T
	db           *sql.DB
	lease, store string
}

// powers lets a site lose what is in the tables, as who restores a dump or deletes
// by hand does: the server itself can't notice.
func (s sqlTables) powers(at *site) {
	exec := func(statements ...string) { s.t.Helper(); execute(s.t, s.db, statements...) }
	at.keep = func() func() {
		exec("CREATE TABLE kept_lease AS SELECT * FROM "+s.lease, "CREATE TABLE kept_store AS SELECT * FROM "+s.store)
		return func() {
			exec("DELETE FROM "+s.lease, "INSERT INTO "+s.lease+" SELECT * FROM kept_lease",
				"DELETE FROM "+s.store, "INSERT INTO "+s.store+" SELECT * FROM kept_store")
		}
	}
	at.flush = func() { exec("DELETE FROM "+s.lease, "DELETE FROM "+s.store) }
	at.forget = func() { exec("DELETE FROM " + s.store) }
}
