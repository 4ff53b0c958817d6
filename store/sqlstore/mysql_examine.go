package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

func (d *mysqlDialect) examine(ctx context.Context, db *sql.DB, o Options) (findings, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return d.noAnswer(err)
	}
	defer c.Close()
	server, err := readMySQL(ctx, c, d.texts)
	if err != nil {
		return d.noAnswer(err)
	}
	set, err := settingsOf(ctx, c, d.texts["examine"])
	if err != nil {
		return d.noAnswer(err)
	}
	status, err := settingsOf(ctx, c, d.texts["examine_status"])
	if err != nil {
		return d.noAnswer(err)
	}
	var f findings
	f.mysqlVersion(server)
	f.mysqlRole(set)
	f.mysqlDurability(set)
	f.mysqlLog(server)
	f.mysqlReplicas(set, status)
	f.mysqlSession(server, set)
	f.mysqlConnections(set, status)
	if err := f.mysqlClock(ctx, c, d.texts["examine_clock"], server); err != nil {
		return d.noAnswer(err)
	}
	f.fit("identity", "the server's name and its start",
		"each start of the server counts as another one, since nothing tells a restart from a restored copy: tokens go on a minute above the clock")
	d.findTables(ctx, &f, c, server, o)
	return f, nil
}

// noAnswer makes a finding of an error that says what to do.
func (d *mysqlDialect) noAnswer(err error) (findings, error) {
	r := d.judge(err)
	if r.kind != driver.ErrUnfit {
		return nil, err
	}
	var f findings
	f.refused("answers", "the store can't ask this server anything", r)
	return f, nil
}

// settings are variables of the server's by name, all in small letters.
type settings map[string]string

func settingsOf(ctx context.Context, c *sql.Conn, statement string) (settings, error) {
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := settings{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		all[name] = value
	}
	return all, rows.Err()
}

func (s settings) on(name string) bool { return s[name] == "ON" || s[name] == "1" }

func (s settings) number(name string) float64 {
	n, _ := strconv.ParseFloat(s[name], 64)
	return n
}

func (f *findings) mysqlVersion(s mysqlServer) {
	if !s.recent() {
		f.unfit("version", s.version, "it can't skip a record that a transaction keeps", "use MySQL 8.0 or newer, or MariaDB 10.6 or newer")
		return
	}
	f.fit("version", s.version, "it has what the statements need")
}

func (f *findings) mysqlRole(s settings) {
	for _, name := range []string{"super_read_only", "innodb_read_only", "read_only"} {
		if s.on(name) {
			f.unfit("role of the server", name+" is on", "it is a replica, or is kept from changes: leases there would be of this server only, or none", primary)
			return
		}
	}
	f.fit("role of the server", "it accepts changes", "leases can be granted")
}

func (f *findings) mysqlDurability(s settings) {
	const subject = "durability"
	flush := s["innodb_flush_log_at_trx_commit"]
	found := "innodb_flush_log_at_trx_commit is " + flush
	switch {
	case flush == "0":
		f.warn(subject, found, "a crash of the server loses the grants of the last second; tokens rise all the same", "set innodb_flush_log_at_trx_commit = 1")
	case flush != "1":
		f.warn(subject, found, "a loss of power loses the grants of the last second; tokens rise all the same", "set innodb_flush_log_at_trx_commit = 1")
	case s.on("log_bin") && s["sync_binlog"] != "1":
		f.warn(subject, found+", but sync_binlog is "+s["sync_binlog"],
			"after a loss of power the server takes back what its binary log has not kept; tokens rise all the same", "set sync_binlog = 1")
	default:
		f.fit(subject, found, "what was granted outlives a crash")
	}
}

func (f *findings) mysqlLog(s mysqlServer) {
	if s.statements {
		f.unfit("binary log", "binlog_format is STATEMENT", "a replica carries the statements out again, by its own clock: it gets other tokens and times",
			"set binlog_format to ROW or MIXED")
		return
	}
	f.fit("binary log", "off, or by rows where it matters", "a replica gets the tokens and times that were granted")
}

func (f *findings) mysqlReplicas(s, status settings) {
	const subject = "replicas"
	semi := s.on("rpl_semi_sync_master_enabled") || s.on("rpl_semi_sync_source_enabled")
	clients := status.number("Rpl_semi_sync_master_clients") + status.number("Rpl_semi_sync_source_clients")
	attached := max(status.number("Slaves_connected"), clients)
	switch {
	case s.on("wsrep_on"):
		f.warn(subject, "it is a node of a Galera cluster", "each node has a clock and a name of its own: leases that are asked for at several nodes contend by different clocks",
			"send all clients of the store to one node")
	case attached > 0 && !(semi && clients > 0):
		f.warn(subject, fmt.Sprintf("%.0f, asynchronous", attached), "a fail-over loses the last grants; tokens rise all the same, and the lost ones are refused where a guard stands",
			"switch semi-synchronous replication on, or accept it")
	default:
		f.fit(subject, fmt.Sprintf("%.0f", attached), "nothing that was granted waits to be copied")
	}
}

func (f *findings) mysqlSession(server mysqlServer, s settings) {
	f.fit("isolation", cmp.Or(s["transaction_isolation"], s["tx_isolation"]), "each step is one statement and right at every level")
	if !s.on("autocommit") {
		f.fit("autocommit", "off", "the store switches it on for its own statements, which takes two more round trips a step")
	}
	if server.safe {
		f.unfit("session", "sql_safe_updates is on", "it forbids statements that the store needs", "set sql_safe_updates = 0 for the store's user")
	}
	// MySQL's own limit, max_execution_time, is for reading only.
	if limit := s.number("max_statement_time"); limit > 0 && limit < 1 {
		f.warn("time-outs", fmt.Sprintf("max_statement_time is %g s", limit), "a step that waits for the disk is ended", "set max_statement_time to 5 or more, or 0, for the store's user")
	}
}

func (f *findings) mysqlConnections(s, status settings) {
	used, most := status.number("Threads_connected"), s.number("max_connections")
	found := fmt.Sprintf("%.0f of %.0f in use", used, most)
	if used > most*0.9 {
		f.warn("connections", found, "a step may find no connection, and a lease run out", "raise max_connections, or use fewer")
		return
	}
	f.fit("connections", found, "there is room for the store's")
}

// mysqlClock compares the server's clock with this machine's. No lease hangs on
// that; a guard at another place refuses tokens from a day ahead of it.
func (f *findings) mysqlClock(ctx context.Context, c *sql.Conn, statement string, server mysqlServer) error {
	if server.frozen {
		f.unfit("clock", "the session has one of its own, by SET timestamp", "leases would be judged by it", "set timestamp = DEFAULT in the address or the program")
		return nil
	}
	asked := time.Now()
	var now int64
	if err := c.QueryRowContext(ctx, statement).Scan(&now); err != nil {
		return err
	}
	f.clock(time.UnixMicro(now), asked, time.Now())
	return nil
}

// clock judges a reading of a database's clock that was taken between two moments.
func (f *findings) clock(read, from, to time.Time) {
	const some = 10 * time.Second
	if off := max(read.Sub(to), from.Sub(read)); off > some {
		f.warn("clock", fmt.Sprintf("%s off from this machine's", off.Round(time.Second)),
			"leases last as long as they should, but one of the two clocks is wrong; a guard refuses tokens from a day ahead of its own", "set the clocks, by NTP say")
		return
	}
	f.fit("clock", "it agrees with this machine's", "the times that are shown are right")
}

// findTables looks at the tables as Open does, and creates none.
func (d *mysqlDialect) findTables(ctx context.Context, f *findings, c *sql.Conn, server mysqlServer, o Options) {
	const subject = "tables"
	if server.database == "" {
		f.unfit(subject, "no database is selected", "there is no place for leases", "name a database in the address")
		return
	}
	m := &mysql{texts: d.texts}
	lease, store, line, _, err := m.tables(ctx, c)
	missing := lease == store && !(lease && line)
	switch {
	case err == nil && missing && o.NoSetup:
		err = errNoTables
	case err == nil && missing:
		f.fit(subject, "they are missing", "whoever opens the store first creates them, with a user that may")
		return
	case err == nil && lease != store:
		err = errHalf("ringfence_lease", "ringfence_store")
	case err == nil:
		err = m.checkTables(ctx, c, true)
	}
	if err != nil {
		f.refused(subject, "leases can't be kept in them", d.judge(err))
		return
	}
	f.fit(subject, "they are as this release makes them, and the user has the rights that it needs", "leases can be kept in them")
}
