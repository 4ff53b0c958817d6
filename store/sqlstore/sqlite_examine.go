package sqlstore

import (
	"context"
	"database/sql"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

func (d *sqliteDialect) examine(ctx context.Context, db *sql.DB, o Options) (findings, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return d.noAnswer(err)
	}
	defer c.Close()
	l := &sqlite{db: db, texts: d.texts}
	var f findings
	version, err := l.checkLibrary(ctx, c)
	if err != nil {
		f.refused("version", "the statements of the store need a newer one", d.judge(err))
		return f, nil
	}
	f.fit("version", version, "it has a clock in milliseconds")
	if err := l.checkFileAtOpen(ctx, c); err != nil {
		r := d.judge(err)
		if r.kind != driver.ErrUnfit {
			return nil, err
		}
		f.refused("file", "what is granted would not be kept, or not in one place", r)
	}
	if l.path == "" {
		f.warn("file", "none: it is in memory", "leases end with this process, and nobody else sees them", "name a file")
	} else {
		f.sqliteFile(l.path)
	}
	if err := f.sqliteSettings(ctx, c); err != nil {
		return d.noAnswer(err)
	}
	d.findTables(ctx, &f, l, c, o)
	return f, nil
}

// noAnswer makes a finding of an error that says what to do.
func (d *sqliteDialect) noAnswer(err error) (findings, error) {
	r := d.judge(err)
	if r.kind != driver.ErrUnfit {
		return nil, err
	}
	var f findings
	f.refused("file", "the store can't use it", r)
	return f, nil
}

// sqliteFile looks at where the file lies, and whether it may be written. It does not
// open it: to close it again would take away the locks that this process has on it.
func (f *findings) sqliteFile(path string) {
	const subject = "place"
	switch kind := placeOf(path); kind {
	case remotePlace:
		f.unfit(subject, "a network file system", "its locks are not to be relied on: two machines can both have a lease", "use a local disk, or a database with a server")
	case volatilePlace:
		f.warn(subject, "in memory: tmpfs", "leases are gone when the machine restarts; tokens rise all the same", "use a disk")
	case foreignPlace:
		f.warn(subject, "a file system in user space", "whether its locks can be relied on depends on what stands behind it", "use a local disk")
	default:
		f.fit(subject, path, "processes of this machine meet there")
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o222 == 0 {
		f.unfit("rights", "the file is read-only", "nothing can be granted", writable)
	}
}

// place is the kind of a file system.
type place int

const (
	localPlace place = iota // or one that nobody can tell
	remotePlace
	volatilePlace
	foreignPlace
)

func (f *findings) sqliteSettings(ctx context.Context, c *sql.Conn) error {
	values := map[string]string{}
	for _, name := range []string{"journal_mode", "synchronous", "busy_timeout", "query_only"} {
		var value string
		if err := c.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value); err != nil {
			return err
		}
		values[name] = strings.ToLower(value)
	}
	switch journal := values["journal_mode"]; journal {
	case "off", "memory": // Open refuses it where there is a file
	case "wal":
		f.fit("journal mode", journal, "readers and the writer are not in each other's way")
	default:
		f.fit("journal mode", journal, "it is safe; with WAL, readers would not wait for the writer")
	}
	if values["synchronous"] < "2" { // OFF and NORMAL
		f.warn("synchronous", map[string]string{"0": "OFF", "1": "NORMAL"}[values["synchronous"]],
			"leases are safe, since the store sets FULL for itself; the mark of a guard in this file may be lost with the power", "open the database with synchronous FULL")
	} else {
		f.fit("synchronous", "FULL or EXTRA", "what was committed outlives a loss of power")
	}
	if ms, _ := strconv.Atoi(values["busy_timeout"]); ms == 0 {
		f.warn("busy timeout", "0", "the store waits by itself; a transaction of yours fails at once while another one writes", "open the database with a busy_timeout, such as 5000 ms")
	} else {
		f.fit("busy timeout", values["busy_timeout"]+" ms", "transactions wait for each other")
	}
	if values["query_only"] == "1" {
		f.unfit("rights", "query_only is on", "nothing can be granted", "open the database without it")
	}
	var read string
	asked := time.Now()
	if err := c.QueryRowContext(ctx, "SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER)").Scan(&read); err != nil {
		return err
	}
	ms, _ := strconv.ParseInt(read, 10, 64)
	f.clock(time.UnixMilli(ms), asked, time.Now())
	return nil
}

// findTables looks at the tables as Open does, and creates none.
func (d *sqliteDialect) findTables(ctx context.Context, f *findings, l *sqlite, c *sql.Conn, o Options) {
	const subject = "tables"
	var lease, store, line bool
	err := c.QueryRowContext(ctx, d.texts["tables"]).Scan(&lease, &store, &line)
	if err == nil && lease == store && !(lease && line) && !o.NoSetup {
		f.fit(subject, "they are missing", "whoever opens the store first creates them")
		return
	}
	if err == nil {
		err = l.checkTables(ctx, c, true)
	}
	if err != nil {
		f.refused(subject, "leases can't be kept in them", d.judge(err))
		return
	}
	f.fit(subject, "they are as this release makes them", "leases can be kept in them")
}
