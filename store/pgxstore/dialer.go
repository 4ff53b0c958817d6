package pgxstore

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// dialer makes the store's connections. Once a store is open it is constant.
type dialer struct {
	config *pgxpool.Config
}

func newDialer(config *pgxpool.Config) *dialer {
	own := config.Copy()
	c := own.ConnConfig
	c.OnNotification = nil // pgx then keeps what arrives for whoever asks
	theirs := c.OnNotice
	c.OnNotice = func(conn *pgconn.PgConn, n *pgconn.Notice) {
		noteWarning(conn, n)
		if theirs != nil {
			theirs(conn, n)
		}
	}
	return &dialer{own}
}

// chooseProtocol makes the store do without prepared statements where the other end
// is a pooler, which may execute each statement on another server's connection:
// unless the caller has chosen by itself.
func (d *dialer) chooseProtocol(ctx context.Context) {
	c := d.config.ConnConfig
	if c.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return
	}
	conn, err := d.dial(ctx)
	if err != nil {
		return
	}
	defer conn.Close(ctx)
	if pooled, err := behindPooler(ctx, conn); err == nil && pooled {
		c.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
}

// behindPooler reports whether something between here and the server stands in for
// it. The process that a connection is told at its beginning is then not the one that
// executes its statements: a pooler makes that up, to know whose request to cancel.
func behindPooler(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var pid uint32
	err := conn.QueryRow(ctx, statement("backend"), pgx.QueryExecModeExec).Scan(&pid)
	return pid != conn.PgConn().PID(), err
}

func (d *dialer) dial(ctx context.Context) (*pgx.Conn, error) {
	c := d.config.ConnConfig.Copy()
	if before := d.config.BeforeConnect; before != nil {
		if err := before(ctx, c); err != nil {
			return nil, err
		}
	}
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return nil, err
	}
	if after := d.config.AfterConnect; after != nil {
		if err := after(ctx, conn); err != nil {
			_ = conn.Close(ctx)
			return nil, err
		}
	}
	return conn, nil
}

// open returns a pool for leases. It keeps its connections as long as config says.
func (d *dialer) open(connections int) *sql.DB {
	var options []stdlib.OptionOpenDB
	if before := d.config.BeforeConnect; before != nil {
		options = append(options, stdlib.OptionBeforeConnect(before))
	}
	if after := d.config.AfterConnect; after != nil {
		options = append(options, stdlib.OptionAfterConnect(after))
	}
	db := sql.OpenDB(connector{stdlib.GetConnector(*d.config.ConnConfig, options...)})
	db.SetMaxOpenConns(connections + operators)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxLifetime(d.config.MaxConnLifetime)
	db.SetConnMaxIdleTime(d.config.MaxConnIdleTime)
	return db
}

// operators is how many connections there may be beyond those of leases, for what
// an operator asks and for those who begin to wait.
const operators = 2

// connector makes connections that tell of warnings.
type connector struct{ sqldriver.Connector }

func (c connector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{made.(*stdlib.Conn)}, nil
}
