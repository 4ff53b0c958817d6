package stores

import (
	"database/sql"
	"fmt"
	"net/url"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

var postgres = column{
	name: "PostgreSQL", page: "sql.md",
	start: startPostgres(func(t *testing.T, url string) (driver.Store, error) {
		return sqlstore.Open(t.Context(), openPostgres(t, url), sqlstore.Postgres, nil)
	}),
	lacks: map[string]string{"L6": notEvicting},
}

// startPostgres leaves the server to package realserver, which has one for all.
func startPostgres(open func(*testing.T, string) (driver.Store, error)) func(*testing.T) func(*testing.T, bool) *site {
	return func(*testing.T) func(*testing.T, bool) *site {
		return func(t *testing.T, own bool) *site { return postgresSite(t, own, open) }
	}
}

// postgresSite is a database, for whichever store opens its URL.
func postgresSite(t *testing.T, own bool, open func(*testing.T, string) (driver.Store, error)) *site {
	var pg *realserver.PG
	address := ""
	if own {
		pg = realserver.NewPostgres(t, &realserver.PostgresOptions{Durable: true})
		address = pg.URL("postgres")
	} else {
		address = realserver.SharedPostgres(t)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	at := &site{addr: u.Host}
	at.opens = func(t *testing.T, addr string) (driver.Store, error) { return open(t, hosted(*u, addr)) }
	at.zoned = func(t *testing.T, zone string) (driver.Store, error) { return open(t, address+"&timezone="+zone) }
	at.behindProxy()
	sqlTables{t, openPostgres(t, address), "ringfence.lease", "ringfence.store"}.powers(at)
	if own {
		at.kill = func() { pg.Kill(); pg.Start() }
		at.clock = func(ahead time.Duration) { pg.RestartAt(fakeTime(ahead)) }
		at.standby = func() (func(), func()) {
			standby := pg.Standby(t)
			pg.CatchUp(standby)
			return pg.PauseReplication, func() { pg.Kill(); standby.Promote(); at.addr = standby.Addr() }
		}
	}
	return at
}

func openPostgres(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// hosted is a URL with another host and port.
func hosted(u url.URL, addr string) string {
	u.Host = addr
	return u.String()
}

// fakeTime is a distance as libfaketime takes it.
func fakeTime(ahead time.Duration) string {
	if ahead == 0 {
		return ""
	}
	return fmt.Sprintf("%+d", int(ahead/time.Second))
}
