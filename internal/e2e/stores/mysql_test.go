package stores

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

var mariadb = column{
	name: "MariaDB", page: "sql.md",
	start: func(*testing.T) func(*testing.T, bool) *site { return mariadbSite },
	lacks: map[string]string{"K": composed, "L6": notEvicting},
}

func mariadbSite(t *testing.T, own bool) *site {
	if !own {
		address := realserver.SharedMariaDB(t)
		_, rest, _ := strings.Cut(address, "(")
		host, _, _ := strings.Cut(rest, ")")
		return onMariaDB(t, address, host)
	}
	m := realserver.NewMariaDB(t, &realserver.MariaDBOptions{Durable: true, Settings: []string{"server-id=1", "log-bin=log"}})
	position := strings.Fields(m.Exec("SHOW MASTER STATUS")) // after what is the server's own
	m.Exec("CREATE DATABASE leases; CREATE USER app@'127.0.0.1' IDENTIFIED BY 'pass'; GRANT ALL ON *.* TO app@'127.0.0.1'")
	at := onMariaDB(t, "app:pass@tcp("+m.Addr()+")/leases", m.Addr())
	at.kill = func() { m.Kill(); m.Start() }
	at.clock = func(ahead time.Duration) { m.RestartAt(fakeTime(ahead)) }
	at.standby = func() (func(), func()) {
		replica := replicate(t, m, position)
		return func() { replica.Exec("STOP SLAVE") }, func() {
			m.Kill()
			replica.Exec("SET GLOBAL read_only = 0")
			at.addr = replica.Addr()
		}
	}
	return at
}

// onMariaDB keeps leases in the database at an address, whose server is host.
func onMariaDB(t *testing.T, address, host string) *site {
	at := &site{addr: host}
	open := func(t *testing.T, addr, parameters string) (driver.Store, error) {
		return sqlstore.Open(t.Context(), openMariaDB(t, strings.Replace(address, host, addr, 1)+parameters), sqlstore.MySQL, nil)
	}
	at.opens = func(t *testing.T, addr string) (driver.Store, error) { return open(t, addr, "") }
	at.zoned = func(t *testing.T, zone string) (driver.Store, error) {
		offset := map[string]string{"UTC": "%2B00:00", "Asia/Tokyo": "%2B09:00"}[zone] // the server has no names of zones
		return open(t, host, "?time_zone=%27"+offset+"%27")
	}
	at.behindProxy()
	sqlTables{t, openMariaDB(t, address), "ringfence_lease", "ringfence_store"}.powers(at)
	return at
}

func openMariaDB(t *testing.T, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// replicate starts an asynchronous replica that has what the primary has, from a
// position in its log on.
func replicate(t *testing.T, primary *realserver.MariaDB, position []string) *realserver.MariaDB {
	t.Helper()
	replica := realserver.NewMariaDB(t, &realserver.MariaDBOptions{Settings: []string{"server-id=2", "log-bin=log", "read-only=1"}})
	host, port, _ := strings.Cut(primary.Addr(), ":")
	replica.Exec("CHANGE MASTER TO master_host='" + host + "', master_port=" + port + ", master_user='app', master_password='pass'" +
		", master_log_file='" + position[0] + "', master_log_pos=" + position[1] + "; START SLAVE")
	token := "SELECT token FROM leases.ringfence_lease"
	until(t, "the replica has caught up", func() bool {
		there := replica.Exec("SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'ringfence_lease'") == "1"
		return there && replica.Exec(token) == primary.Exec(token)
	})
	return replica
}
