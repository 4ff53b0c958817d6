package e2e

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestSQLStore_MySQL(t *testing.T) {
	db := openMySQL(t, realserver.SharedMariaDB(t))
	storetest.Run(t, storetest.Target{
		Open: func(ctx context.Context) (driver.Store, error) { return sqlstore.Open(ctx, db, sqlstore.MySQL, nil) },
	})
}

// TestSQLStore_MySQL_Restarted has the clauses about a restart, after which tokens are ahead of the
// clock, so that nothing is cleaned up for a minute; and those about terms and lines for the
// statements that MariaDB has others for: the server calls itself a MySQL.
func TestSQLStore_MySQL_Restarted(t *testing.T) {
	t.Parallel()
	m := realserver.NewMariaDB(t, &realserver.MariaDBOptions{Settings: []string{"version=8.0.36"}})
	m.Exec("CREATE DATABASE leases")
	db := openMySQL(t, m.URL("leases"))
	target := storetest.Target{
		Open:    func(ctx context.Context) (driver.Store, error) { return sqlstore.Open(ctx, db, sqlstore.MySQL, nil) },
		Restart: func(context.Context) error { m.Kill(); m.Start(); return nil },
	}
	if s := mustOpen(t, db, sqlstore.MySQL, nil); !strings.HasPrefix(s.Properties().Store, "mysql ") {
		t.Errorf("it is taken for %s", s.Properties().Store)
	}
	for _, c := range storetest.Clauses() {
		if c.ID == "C05" || c.ID == "C30" || c.ID >= "C12" && c.ID <= "C22" || c.ID >= "C49" && c.ID <= "C53" {
			t.Run(c.ID+"_"+c.Name, func(t *testing.T) { c.Run(t, target) })
		}
	}
}

// openMySQL opens a database with parameters of the driver's and settings of the
// server's, each name=value.
func openMySQL(t *testing.T, address string, settings ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", address+"?"+strings.Join(settings, "&"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
