package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

func (d *postgresDialect) open(ctx context.Context, db *sql.DB, o Options) (backend, error) {
	p := &postgres{db: db, texts: d.texts, pool: newPool(db, o), crowds: newCrowds()}
	if o.WeakIdentity {
		p.texts = d.weak
	}
	return persist(ctx, d, maxLost, func() (backend, error) {
		c, giveBack, err := p.borrow(ctx)
		if err != nil {
			r := before(d.judge(err))
			r.again = false // a server that is down may stay so: whoever opens the store decides
			return nil, r
		}
		if err = p.checkServer(ctx, c); err == nil {
			err = p.checkTables(ctx, c, o.NoSetup)
		}
		giveBack(err)
		return p, err
	})
}

// checkServer refuses a server that can't host leases, and learns its name.
func (p *postgres) checkServer(ctx context.Context, c *sql.Conn) error {
	var standby, readOnly bool
	var encoding, database, host string
	var port int
	err := c.QueryRowContext(ctx, p.texts["server"]).Scan(&standby, &readOnly, &encoding, &database, &host, &port)
	if err != nil {
		return err
	}
	p.label = labelPostgres(database, host, port)
	switch {
	case standby:
		return unavailable("connect to the primary; with several hosts in the address, target_session_attrs=read-write finds it").
			because(errors.New("the server is a read-only standby"))
	case readOnly:
		return refuse("set default_transaction_read_only = off for the store's role and database",
			"transactions of this role are read-only")
	case encoding != "UTF8":
		return refuse("create a database with ENCODING 'UTF8' for it",
			"the database is encoded in "+encoding+", which can't hold every name")
	}
	_, err = p.verify(ctx, c)
	return err
}

// checkTables creates the tables where they are missing, and refuses those of
// another version, another product, or another role.
func (p *postgres) checkTables(ctx context.Context, c *sql.Conn, noSetup bool) error {
	var lease, store, waiters bool
	if err := c.QueryRowContext(ctx, p.texts["tables"]).Scan(&lease, &store, &waiters); err != nil {
		return err
	}
	if lease != store {
		return errHalf("ringfence.lease", "ringfence.store")
	}
	if !lease || !waiters {
		if noSetup {
			return errNoTables
		}
		if err := p.create(ctx, c); err != nil {
			return err
		}
	}
	var missing, forbidden string
	if err := c.QueryRowContext(ctx, p.texts["columns"]).Scan(&missing); err != nil {
		return err
	}
	if missing != "" {
		return errForeign(missing)
	}
	if err := c.QueryRowContext(ctx, p.texts["rights"]).Scan(&forbidden); err != nil {
		return err
	}
	if forbidden != "" {
		return refuse("grant what is missing to the store's role", "the role lacks "+forbidden)
	}
	return checkVersion(ctx, c, p.texts["version"])
}

// create makes the tables in one transaction; of several clients one does it.
func (p *postgres) create(ctx context.Context, c *sql.Conn) error {
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, p.texts["setup_lock"]); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, p.texts["schema"]); err != nil {
		return err
	}
	return tx.Commit()
}

const schemaVersion = 1

// checkVersion refuses tables that another release made. A missing record of the
// store is dealt with by the first acquire.
func checkVersion(ctx context.Context, c *sql.Conn, statement string) error {
	var version int
	err := c.QueryRowContext(ctx, statement).Scan(&version)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case version > schemaVersion:
		return refuse("use a newer release of ringfence with it",
			fmt.Sprintf("the tables have version %d, this release knows up to %d", version, schemaVersion))
	case version < schemaVersion:
		return refuse("this release can't bring it up to date: use the release that made the tables, or move them away",
			fmt.Sprintf("the tables have version %d, this release needs %d", version, schemaVersion))
	}
	return nil
}

var errNoTables = refuse("create them with the statements of sqlstore.Schema, or open the store once without NoSetup",
	"the tables are missing, and the option NoSetup forbids creating them")

func errHalf(one, other string) error {
	return refuse("create the missing one with the statements of sqlstore.Schema; if the other is another product's, use another database",
		fmt.Sprintf("of the tables %s and %s only one is there", one, other))
}

func errForeign(missing string) error {
	columns := strings.SplitAfterN(missing, ", ", 4)
	if len(columns) == 4 {
		columns[3] = "and more"
	}
	return refuse("the tables are another product's: use another database",
		"the tables lack "+strings.Join(columns, ""))
}
