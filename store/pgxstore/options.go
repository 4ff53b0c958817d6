package pgxstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// Options change how a store is opened. A nil *Options means the defaults. All
// clients of one store must agree on WeakIdentity, and should on RefuseNewIdentity.
type Options struct {
	// Label names the store for people, in errors and logs. Defaults to the
	// database and its address.
	Label string

	// RefuseNewIdentity makes the store refuse to grant, with driver.ErrUnfit,
	// when another server answers than the one on record, until an operator
	// accepts it with `ringfence recover`. Defaults to false: the store raises
	// its floor, notes the change and goes on.
	RefuseNewIdentity bool

	// WeakIdentity is for a server that hides pg_control_system from the store's
	// role; see the option of package sqlstore. Defaults to false: such a role is
	// refused.
	WeakIdentity bool

	// NoSetup makes Open refuse a database without the tables instead of creating
	// them. Defaults to false.
	NoSetup bool

	// Connections is how many connections leases may use at once, 1 to 64, and so
	// how many statements the server executes at once. When more calls than that
	// come, a quarter as many statements, or two, carry all of them together. While
	// anybody waits for a hint, one more connection listens. Defaults to 8.
	Connections int
}

const defaultConnections = 8

func (o *Options) withDefaults() (Options, error) {
	full := Options{}
	if o != nil {
		full = *o
	}
	if full.Connections == 0 {
		full.Connections = defaultConnections
	}
	if full.Connections < 1 || full.Connections > 64 {
		return full, fmt.Errorf("%w option Connections %d: want 1 to 64", fence.ErrInvalid, full.Connections)
	}
	return full, nil
}

// shared are the options of the store below.
func (o Options) shared() *sqlstore.Options {
	return &sqlstore.Options{
		Label: o.Label, RefuseNewIdentity: o.RefuseNewIdentity, WeakIdentity: o.WeakIdentity, NoSetup: o.NoSetup,
		Workers: o.Connections,
	}
}

// Open returns a store in the database that config leads to, which pgxpool.ParseConfig
// or the Config of a pool gives. It makes connections of its own, with the hooks
// BeforeConnect and AfterConnect of config, so that no renewal waits for a
// connection that the program's other work has. It creates the tables where they
// are missing. The error is driver.ErrUnavailable where the database could not be
// asked, and driver.ErrUnfit where it can't host leases as it is; its text says
// what to do.
func Open(ctx context.Context, config *pgxpool.Config, o *Options) (*Store, error) {
	full, err := check(config, o)
	if err != nil {
		return nil, err
	}
	d := newDialer(config)
	d.chooseProtocol(ctx) // where that fails, so does the next step, and says why
	db := d.open(full.Connections)
	below, err := sqlstore.Open(ctx, db, sqlstore.Postgres, full.shared())
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &Store{Store: below, db: db, hub: newHub(d, db, below.Settle)}, nil
}

// Examine looks at what decides whether the database can host leases, as
// sqlstore.Examine does, by connections of its own.
func Examine(ctx context.Context, config *pgxpool.Config, o *Options) ([]driver.Finding, error) {
	full, err := check(config, o)
	if err != nil {
		return nil, err
	}
	d := newDialer(config)
	d.chooseProtocol(ctx)
	db := d.open(full.Connections)
	defer func(db *sql.DB) { _ = db.Close() }(db)
	return sqlstore.Examine(ctx, db, sqlstore.Postgres, full.shared())
}

func check(config *pgxpool.Config, o *Options) (Options, error) {
	if config == nil || config.ConnConfig == nil {
		return Options{}, fmt.Errorf("%w call of package pgxstore: it needs what pgxpool.ParseConfig returns", fence.ErrInvalid)
	}
	return o.withDefaults()
}
