package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

func (d *postgresDialect) examine(ctx context.Context, db *sql.DB, o Options) (findings, error) {
	var f findings
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	server, err := askServer(ctx, c, d.texts["examine"])
	if err != nil {
		return d.noAnswer(err)
	}
	for _, look := range []func(*findings, serverState){
		findVersion, findRole, findEncoding, findDurability, findStandbys, findIsolation, findConnections, findTimeouts,
		findCleaning, findNotifications,
	} {
		look(&f, server)
	}
	findIdentity(&f, server, o)
	d.findTables(ctx, &f, c, server, o)
	d.findPooler(ctx, &f, c, db)
	return f, nil
}

// noAnswer makes a finding of an error that says what to do.
func (d *postgresDialect) noAnswer(err error) (findings, error) {
	r := d.judge(err)
	if r.kind != driver.ErrUnfit {
		return nil, err
	}
	var f findings
	f.refused("answers", "the store can't ask this server anything", r)
	return f, nil
}

// serverState is what the statement examine reads.
type serverState struct {
	Version             string  `json:"version"`
	VersionNumber       int     `json:"version_number"`
	Role                string  `json:"role"`
	Database            string  `json:"database"`
	Standby             bool    `json:"standby"`
	ReadOnly            bool    `json:"read_only"`
	Encoding            string  `json:"encoding"`
	Identity            bool    `json:"identity"`   // may be read by the role
	MayCreate           bool    `json:"may_create"` // the role a schema
	Fsync               bool    `json:"fsync"`
	FullPageWrites      bool    `json:"full_page_writes"`
	SynchronousCommit   string  `json:"synchronous_commit"`
	SynchronousStandbys string  `json:"synchronous_standbys"`
	Standbys            int     `json:"standbys"`
	Isolation           string  `json:"isolation"`
	Autovacuum          bool    `json:"autovacuum"`
	Connections         int     `json:"connections"`
	MaxConnections      int     `json:"max_connections"`
	StatementTimeout    int64   `json:"statement_timeout"` // milliseconds, 0 for none; so is the next one
	IdleTimeout         int64   `json:"idle_timeout"`
	NotificationQueue   float64 `json:"notification_queue"` // 0 to 1
}

func askServer(ctx context.Context, c *sql.Conn, statement string) (s serverState, err error) {
	var text string
	if err = c.QueryRowContext(ctx, statement).Scan(&text); err == nil {
		err = json.Unmarshal([]byte(text), &s)
	}
	return s, err
}

// findTables looks at the tables as Open does, and creates none.
func (d *postgresDialect) findTables(ctx context.Context, f *findings, c *sql.Conn, server serverState, o Options) {
	const subject = "tables"
	p := &postgres{texts: d.texts}
	var lease, store, waiters bool
	err := c.QueryRowContext(ctx, p.texts["tables"]).Scan(&lease, &store, &waiters)
	missing := !lease && !store || lease && store && !waiters
	switch {
	case err == nil && missing && o.NoSetup:
		err = errNoTables
	case err == nil && missing && !server.MayCreate:
		f.unfit(subject, "they are missing, and the role "+server.Role+" may not create a schema", "there is no place for leases",
			"create them with the statements of sqlstore.Schema, or open the store once with a role that may")
		return
	case err == nil && missing:
		f.fit(subject, "they are missing", "whoever opens the store first creates them")
		return
	case err == nil:
		err = p.checkTables(ctx, c, true)
	}
	if err != nil {
		f.refused(subject, "leases can't be kept in them", d.judge(err))
		return
	}
	f.fit(subject, "they are as this release makes them, and the role has the rights that it needs", "leases can be kept in them")
	d.findBloat(ctx, f, c)
}

// findBloat looks for a table of leases that is mostly dead rows.
func (d *postgresDialect) findBloat(ctx context.Context, f *findings, c *sql.Conn) {
	var live, dead, size int64
	if err := c.QueryRowContext(ctx, d.texts["examine_tables"]).Scan(&live, &dead, &size); err != nil {
		return // statistics are for convenience
	}
	found := fmt.Sprintf("%d rows, %d dead ones, %d KiB", live, dead, size/1024)
	if dead > 10_000 && dead > 10*live {
		f.warn("dead rows", found, "steps take longer the more dead rows there are to pass",
			"look for a transaction that has been open for long (pg_stat_activity), then VACUUM ringfence.lease")
		return
	}
	f.fit("dead rows", found, "steps stay quick")
}

// findPooler asks over two connections which process of the server executes what.
// One process that serves both, in turn, serves through a pooler in transaction mode.
func (d *postgresDialect) findPooler(ctx context.Context, f *findings, first *sql.Conn, db *sql.DB) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	second, err := db.Conn(ctx)
	if err != nil {
		return // the pool has one connection
	}
	defer second.Close()
	for range 3 { // other clients of the pooler may come between
		shared, err := d.shareOneProcess(ctx, first, second)
		if err != nil {
			r := d.judge(err)
			f.warn("connection pooler", redact(r.Error()), "two connections can't be told apart", r.hint)
			return
		}
		if shared {
			f.warn("connection pooler", "in transaction mode: one process of the server executes what several connections ask for",
				"leases work and are judged as elsewhere; nobody is told by NOTIFY when a name is free, so waiters ask from time to time",
				"give the store the address of the server itself, or of a pooler in session mode")
			return
		}
	}
	f.fit("connection pooler", "none in transaction mode", "each connection has a process of the server for itself")
}

func (d *postgresDialect) shareOneProcess(ctx context.Context, first, second *sql.Conn) (bool, error) {
	var before, other, after int
	if err := first.QueryRowContext(ctx, d.texts["backend"]).Scan(&before); err != nil {
		return false, err
	}
	tx, err := second.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, d.texts["backend"]).Scan(&other); err != nil {
		return false, err
	}
	err = first.QueryRowContext(ctx, d.texts["backend"]).Scan(&after)
	return before == other || before != after, err
}
