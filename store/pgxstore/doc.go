// Package pgxstore hosts leases in a PostgreSQL, through pgx.
//
//	config, err := pgxpool.ParseConfig(url) // or the Config of a pool
//	...
//	store, err := pgxstore.Open(ctx, config, nil)
//
// It is the store of package sqlstore, with the same tables and the same statements:
// clients of either kind meet in one database. What database/sql can't do is added.
//
// # Hints
//
// Whoever waits for a name stands in line for it, in a table, and is told by NOTIFY when
// it may be free. The statement that ends a term looks for the first in line by an
// index, and notifies that one's process and nobody else's: a release wakes one waiter
// of all that there are anywhere, and one that nobody waits for takes no part in the lock
// of the whole database that a NOTIFY needs. A process listens on one connection for all
// of its waiters, and says every two seconds that it lives. If it dies, its waiters count
// no longer after six; until then, a hint that was meant for one of them is lost and those
// behind it get the name by asking, as they would without hints.
//
// # Poolers
//
// Where the other end turns out to be a connection pooler, statements are sent without
// preparing them, unless the address says otherwise. In transaction mode, notifications
// don't arrive: a listener sends itself one to see, and Watch then fails.
//
// # Standbys
//
// A commit that PostgreSQL calls a success, and warns of, because somebody cancelled
// its wait for a synchronous standby, is a doubt here: the same attempt is asked for
// again, and answered when the standbys have it.
package pgxstore
