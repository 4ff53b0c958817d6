package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func (d *sqliteDialect) open(ctx context.Context, db *sql.DB, o Options) (backend, error) {
	l := &sqlite{db: db, texts: d.texts}
	return persist(ctx, d, maxLost, func() (backend, error) {
		c, giveBack, err := l.borrow(ctx)
		if err != nil {
			return nil, before(d.judge(err))
		}
		err = l.check(ctx, c, o.NoSetup)
		giveBack(err)
		return l, err
	})
}

// check refuses a database that can't host leases, and makes it ready.
func (l *sqlite) check(ctx context.Context, c *sql.Conn, noSetup bool) error {
	if _, err := l.checkLibrary(ctx, c); err != nil {
		return err
	}
	if err := l.checkFileAtOpen(ctx, c); err != nil {
		return err
	}
	if err := l.checkTables(ctx, c, noSetup); err != nil {
		return err
	}
	if err := l.checkWritable(ctx, c); err != nil {
		return err
	}
	return l.meet(ctx, c)
}

// checkLibrary refuses an SQLite without a clock in milliseconds, or returns its version.
func (l *sqlite) checkLibrary(ctx context.Context, c *sql.Conn) (version string, err error) {
	if err := c.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return "", err
	}
	part := strings.SplitN(version, ".", 3)
	if len(part) < 2 {
		return "", refuse("use another driver", "SQLite calls its version "+version)
	}
	major, _ := strconv.Atoi(part[0])
	minor, _ := strconv.Atoi(part[1])
	if major < 3 || major == 3 && minor < 42 {
		return "", refuse("use a driver with SQLite 3.42 or newer", "SQLite "+version+" has no clock in milliseconds")
	}
	return version, nil
}

// checkFileAtOpen refuses a database that would not keep leases, or not in one
// place, and remembers which file it is.
func (l *sqlite) checkFileAtOpen(ctx context.Context, c *sql.Conn) error {
	var encoding, journal string
	if err := c.QueryRowContext(ctx, "PRAGMA encoding").Scan(&encoding); err != nil {
		return err
	}
	if err := c.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal); err != nil {
		return err
	}
	err := c.QueryRowContext(ctx, "SELECT coalesce(file, '') FROM pragma_database_list WHERE name = 'main'").Scan(&l.path)
	if err != nil {
		return err
	}
	switch {
	case encoding != "UTF-8":
		return refuse("use another file", "the database is encoded in "+encoding+", in which names sort in another order")
	case l.path == "" && l.db.Stats().MaxOpenConnections != 1:
		return refuse("call SetMaxOpenConns(1) on its *sql.DB, or use a file",
			"it is in memory, where each connection has a database of its own")
	case l.path != "" && (journal == "off" || journal == "memory"):
		return refuse("use journal_mode WAL or DELETE", "journal_mode "+journal+" does not survive a crash")
	}
	if l.path != "" {
		l.opened, _ = os.Stat(l.path) // nil where a virtual file system has its own idea of paths
	}
	return nil
}

// checkTables creates the tables where they are missing, and refuses those of
// another version or another product.
func (l *sqlite) checkTables(ctx context.Context, c *sql.Conn, noSetup bool) error {
	var lease, store, line bool
	if err := c.QueryRowContext(ctx, l.texts["tables"]).Scan(&lease, &store, &line); err != nil {
		return err
	}
	switch {
	case lease != store:
		return errHalf("ringfence_lease", "ringfence_store")
	case !(lease && line) && noSetup:
		return errNoTables
	case !(lease && line):
		err := exclusively(ctx, c, func() error {
			_, err := c.ExecContext(ctx, l.texts["schema"])
			return err
		})
		if err != nil {
			return err
		}
	}
	var missing string
	if err := c.QueryRowContext(ctx, l.texts["columns"]).Scan(&missing); err != nil {
		return err
	}
	if missing != "" {
		return errForeign(missing)
	}
	return checkVersion(ctx, c, l.texts["version"])
}

// checkWritable tries a statement that would write, and leaves it at that when
// another connection has the lock.
func (l *sqlite) checkWritable(ctx context.Context, c *sql.Conn) error {
	_, err := c.ExecContext(ctx, l.texts["prune_floor"], 0)
	if err != nil && SQLite.judge(err).again {
		return nil
	}
	return err
}

// meet learns the identity that this client expects from now on.
func (l *sqlite) meet(ctx context.Context, c *sql.Conn) error {
	id, err := l.identity(ctx, c)
	if err != nil {
		return fmt.Errorf("read the identity: %w", err)
	}
	l.expect(id.Current)
	return nil
}
