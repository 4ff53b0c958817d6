package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
)

// Options change how a store is opened. A nil *Options means the defaults. All
// clients of one store should agree on RefuseNewIdentity.
type Options struct {
	// Label names the store for people, in errors and logs. Defaults to the
	// dialect, the database and its address.
	Label string

	// RefuseNewIdentity makes the store refuse to grant, with driver.ErrUnfit,
	// when another server answers than the one on record, until an operator
	// accepts it with `ringfence recover`. Defaults to false: the store raises
	// its floor, notes the change and goes on.
	RefuseNewIdentity bool

	// WeakIdentity is for a PostgreSQL that hides pg_control_system from the
	// store's role: a server is then known by its timeline and the moment of its
	// start, so that each restart counts as a change of server. That is safe, and
	// puts tokens up to a minute ahead of the clock. All clients of one store must
	// agree on it. Defaults to false: such a role is refused.
	WeakIdentity bool

	// NoSetup makes Open refuse a database without the tables instead of creating
	// them. Defaults to false.
	NoSetup bool

	// Workers is how many statements of this client PostgreSQL executes at once,
	// 1 to 64. When more calls than that come, a quarter as many statements, or
	// two, carry all of them together. Defaults to 8: with 8 callers that did 0.85 of
	// what the bare statements do, 2 did half of it. It becomes 2, which is what a
	// *sql.DB keeps idle by default, from the moment when the pool is seen to close
	// a connection: see SetMaxIdleConns. SQLite has one writer whatever it says.
	Workers int
}

func (o *Options) withDefaults() (Options, error) {
	full := Options{}
	if o != nil {
		full = *o
	}
	if full.Workers < 0 || full.Workers > 64 {
		return full, fmt.Errorf("%w option Workers %d: want 1 to 64", fence.ErrInvalid, full.Workers)
	}
	return full, nil
}

// Open returns a store in db, which stays the caller's: close the store first,
// then db. It creates the tables where they are missing. The error is
// driver.ErrUnavailable where the database could not be asked, and
// driver.ErrUnfit where it can't host leases as it is; its text says what to do.
func Open(ctx context.Context, db *sql.DB, d Dialect, o *Options) (*Store, error) {
	if db == nil || d == nil {
		return nil, fmt.Errorf("%w call of sqlstore.Open: it needs a *sql.DB and a dialect", fence.ErrInvalid)
	}
	full, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*Store, error) {
		return nil, before(d.judge(err)).fault("open the " + d.String() + " store")
	}
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	b, err := apart(ctx, func() {}, func() (backend, error) { return d.open(ctx, db, full) })
	if err != nil {
		return fail(err)
	}
	return newStore(b, d, full), nil
}
