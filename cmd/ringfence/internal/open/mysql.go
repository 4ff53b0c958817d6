package open

import (
	"context"
	"database/sql"
	"net"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

const mysqlForm = "mysql://user@host:3306/database, with ?tls=true for TLS"

// parseMySQL reads the URL of a MySQL or a MariaDB, which has no form of its own
// that all clients agree on.
func parseMySQL(raw string) (Target, error) {
	t, u, err := parseServer(raw, MySQL, mysqlForm)
	if err != nil {
		return Target{}, err
	}
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.DBName = "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	if u.Port() == "" {
		cfg.Addr = net.JoinHostPort(u.Hostname(), "3306")
	}
	for name := range u.Query() {
		if name != "tls" {
			return Target{}, invalidServer(MySQL, "the one parameter that it takes is tls", mysqlForm)
		}
	}
	cfg.TLSConfig = u.Query().Get("tls")
	switch {
	case u.Hostname() == "":
		return Target{}, invalidServer(MySQL, "it names no host", mysqlForm)
	case cfg.DBName == "":
		return Target{}, invalidServer(MySQL, "it names no database", mysqlForm)
	case cfg.TLSConfig != "" && cfg.TLSConfig != "true" && cfg.TLSConfig != "false" && cfg.TLSConfig != "skip-verify" && cfg.TLSConfig != "preferred":
		return Target{}, invalidServer(MySQL, "tls is true, preferred, skip-verify or false", mysqlForm)
	}
	cfg.User = u.User.Username()
	if cfg.Passwd, _ = u.User.Password(); !t.HasPassword {
		t.Secrets = []string{"MYSQL_PWD"}
		cfg.Passwd = os.Getenv("MYSQL_PWD")
	}
	cfg.Timeout = connectTimeout
	cfg.Logger = &mysql.NopLogger{} // what matters is in the errors
	c := mysqlTarget{cfg}
	t.mysql, t.server, t.examine, t.destination = c, c.store, c.look, c.marks
	return t, nil
}

// mysqlTarget is how a connection is made.
type mysqlTarget struct{ config *mysql.Config }

func (t mysqlTarget) database() (*sql.DB, error) {
	c, err := mysql.NewConnector(t.config)
	if err != nil { // its text may repeat the address
		return nil, invalidServer(MySQL, "it can't be used", mysqlForm)
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	return db, nil
}

func (t mysqlTarget) store(ctx context.Context, label string) (Store, error) {
	db, err := t.database()
	if err != nil {
		return nil, err
	}
	s, err := sqlstore.Open(ctx, db, sqlstore.MySQL, &sqlstore.Options{Label: label})
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &inDatabase{s, db}, nil
}

func (t mysqlTarget) look(ctx context.Context, label string) ([]driver.Finding, error) {
	db, err := t.database()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return sqlstore.Examine(ctx, db, sqlstore.MySQL, &sqlstore.Options{Label: label})
}

func (t mysqlTarget) marks(context.Context) (Destination, error) {
	db, err := t.database()
	if err != nil {
		return nil, err
	}
	return newInSQL(db, MySQL), nil
}
