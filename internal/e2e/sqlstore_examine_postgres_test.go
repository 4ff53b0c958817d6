package e2e

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

// examined looks at a PostgreSQL, and checks that each finding says something.
func examined(t *testing.T, db *sql.DB, o *sqlstore.Options) []driver.Finding {
	t.Helper()
	found, err := sqlstore.Examine(t.Context(), db, sqlstore.Postgres, o)
	return storetest.Findings(t, found, err)
}

func TestExaminePostgresThatIsFit(t *testing.T) {
	pg := realserver.NewPostgres(t, &realserver.PostgresOptions{Durable: true})
	db := openPostgres(t, pg.URL("postgres"))
	storetest.WantFit(t, examined(t, db, nil))
	if tables := query(t, db, "SELECT count(*)::text FROM pg_namespace WHERE nspname = 'ringfence'"); tables != "0" {
		t.Error("the examination made tables")
	}
	mustOpen(t, db, sqlstore.Postgres, nil)
	storetest.WantFinding(t, examined(t, db, nil), "tables", driver.Fit, "as this release makes them")

	t.Run("standbys", func(t *testing.T) {
		standby := pg.Standby(t)
		storetest.WantFinding(t, examined(t, db, nil), "standbys", driver.Warning, "1, asynchronous")
		storetest.WantFinding(t, examined(t, openPostgres(t, standby.URL("postgres")), nil), "role of the server", driver.Unfit, "standby")
		standby.Stop()
		mustExec(t, db, "ALTER SYSTEM SET synchronous_standby_names = 'gone'")
		mustExec(t, db, "SELECT pg_reload_conf()")
		waitUntil(t, "the setting is in force", func() bool { return query(t, db, "SHOW synchronous_standby_names") == "gone" })
		waitUntil(t, "the standby has gone", func() bool { return query(t, db, "SELECT count(*)::text FROM pg_stat_replication") == "0" })
		storetest.WantFinding(t, examined(t, db, nil), "standbys", driver.Warning, "none is connected")
		storetest.WantFinding(t, examined(t, openPostgres(t, pg.URL("postgres"), "synchronous_commit=local"), nil), "durability", driver.Warning, "local")
	})
}

func TestExaminePostgresServerSettings(t *testing.T) {
	pg := realserver.NewPostgres(t, &realserver.PostgresOptions{Durable: true, Settings: []string{
		"fsync=off", "full_page_writes=off", "synchronous_commit=off", "autovacuum=off",
		"max_connections=7", "superuser_reserved_connections=3", "max_wal_senders=0",
	}})
	pg.Exec("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
	found := examined(t, openPostgres(t, pg.URL("latin")), nil)
	for _, setting := range []string{"fsync = off", "full_page_writes = off", "synchronous_commit = off"} {
		storetest.WantFinding(t, found, "durability", driver.Warning, setting)
	}
	storetest.WantFinding(t, found, "autovacuum", driver.Warning, "off")
	storetest.WantFinding(t, found, "encoding", driver.Unfit, "LATIN1")
	busy := openPostgres(t, pg.URL("postgres"))
	for range 2 {
		c, err := busy.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	storetest.WantFinding(t, examined(t, openPostgres(t, pg.URL("latin")), nil), "connections", driver.Warning, "of 4")
}

func TestExaminePostgresSettingsOfARole(t *testing.T) {
	address := realserver.SharedPostgres(t)
	for _, c := range []struct {
		setting, subject string
		grade            driver.Grade
		says             string
	}{
		{"default_transaction_read_only=on", "role of the server", driver.Unfit, "default_transaction_read_only"},
		{"default_transaction_isolation=serializable", "isolation", driver.Fit, "serializable"},
		{"statement_timeout=250", "timeouts", driver.Warning, "250ms"},
		{"idle_session_timeout=5000", "timeouts", driver.Warning, "5s"},
	} {
		storetest.WantFinding(t, examined(t, openPostgres(t, address, c.setting), nil), c.subject, c.grade, c.says)
	}
}

func TestExaminePostgresTablesAndRights(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	owner := openPostgres(t, pg.URL("postgres"))
	mustExec(t, owner, "CREATE ROLE worker LOGIN PASSWORD 's3cret'; REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
	u, _ := url.Parse(pg.URL("postgres"))
	u.User = url.UserPassword("worker", "s3cret")
	worker := openPostgres(t, u.String())

	found := examined(t, worker, nil)
	storetest.WantFinding(t, found, "tables", driver.Unfit, "may not create a schema")
	storetest.WantFinding(t, found, "identity", driver.Unfit, "pg_control_system")
	storetest.WantFinding(t, examined(t, worker, &sqlstore.Options{WeakIdentity: true}), "identity", driver.Fit, "hidden")
	storetest.WantFinding(t, examined(t, owner, &sqlstore.Options{NoSetup: true}), "tables", driver.Unfit, "NoSetup")

	mustOpen(t, owner, sqlstore.Postgres, nil)
	storetest.WantFinding(t, examined(t, worker, nil), "tables", driver.Unfit, "USAGE on the schema ringfence")
	mustExec(t, owner, "GRANT USAGE ON SCHEMA ringfence TO worker; GRANT SELECT ON ALL TABLES IN SCHEMA ringfence TO worker")
	storetest.WantFinding(t, examined(t, worker, nil), "tables", driver.Unfit, "lacks INSERT on ringfence.lease")
	for _, c := range []struct{ change, undo, says string }{
		{"UPDATE ringfence.store SET schema_version = 2", "UPDATE ringfence.store SET schema_version = 1", "newer release"},
		{"ALTER TABLE ringfence.lease RENAME attempt TO owner", "ALTER TABLE ringfence.lease RENAME owner TO attempt", "another product"},
		{"ALTER TABLE ringfence.store RENAME TO other", "ALTER TABLE ringfence.other RENAME TO store", "only one is there"},
	} {
		mustExec(t, owner, c.change)
		storetest.WantFinding(t, examined(t, owner, nil), "tables", driver.Unfit, c.says)
		mustExec(t, owner, c.undo)
	}
	mustExec(t, owner, `ALTER TABLE ringfence.lease SET (autovacuum_enabled = off);
		INSERT INTO ringfence.lease SELECT n::text, n, 'a', 'h', 'released', now(), now() FROM generate_series(1, 12000) n;
		DELETE FROM ringfence.lease; SELECT pg_stat_force_next_flush()`)
	waitUntil(t, "the statistics know", func() bool {
		return query(t, owner, "SELECT (n_dead_tup > 10000)::text FROM pg_stat_all_tables WHERE relid = 'ringfence.lease'::regclass") == "true"
	})
	storetest.WantFinding(t, examined(t, owner, nil), "dead rows", driver.Warning, "12000 dead")

	pooler := realserver.NewPooler(t, pg)
	storetest.WantFinding(t, examined(t, openPostgres(t, pooler.URL(pg, "postgres")), nil), "connection pooler", driver.Warning, "transaction mode")
	storetest.WantFinding(t, examined(t, openPostgres(t, realserver.NewSessionPooler(t, pg).URL(pg, "postgres")), nil), "connection pooler", driver.Fit, "none")

	proxy := realserver.NewProxy(t, pg.Addr())
	u.Host = proxy.Addr()
	proxy.Refuse()
	_, err := sqlstore.Examine(t.Context(), openPostgres(t, u.String()), sqlstore.Postgres, nil)
	wantError(t, err, driver.ErrUnavailable, "examine the postgres store")
	if strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}
