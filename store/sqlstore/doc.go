// Package sqlstore hosts leases in a table of a database that a team already
// runs, through database/sql. It imports no driver: open the *sql.DB with the
// one you use.
//
//	db, err := sql.Open("pgx", url)
//	...
//	store, err := sqlstore.Open(ctx, db, sqlstore.Postgres, nil)
//
// # One statement a step
//
// An acquire, a renewal and a release are one statement each, which reads the
// database's own clock, judges the row, and makes the token. Where it did nothing,
// a second one takes its place and says why. The statements stand in the folders
// postgres, sqlite, mysql and mariadb.
//
// None of them waits for a row that somebody else has locked: it is left alone and
// asked for again, so that one guarded transaction that runs for long keeps nobody
// else waiting. A term that ends under such a transaction counts as held, in answer
// to an acquire, until that ends too. In SQLite, where one writer locks the whole
// file, an acquire reads the row before it asks for that lock: a name that is held
// is refused as held, however long somebody else writes.
//
// # Callers together
//
// A call that finds the database free goes to it at once, on its caller's own
// goroutine; the driver must heed the end of a context, as database/sql asks. What
// several goroutines ask for while it is busy goes as one statement (PostgreSQL) or
// one transaction (SQLite), and so shares one flush to disk. An answer is given
// only after the commit.
//
// # Another server at the address
//
// Each acquire compares, inside its statement, the server that answers with the
// one on record; a PostgreSQL by the moment of its start, for which the client has
// verified its identity. After a fail-over, a restore or the loss of the record the
// store first raises its floor above whatever the lost server can have granted,
// notes the change, and goes on; see [Options].
//
// What no client can see through database/sql: the warning with which PostgreSQL
// reports success although an administrator cancelled the wait for a synchronous
// standby. Treat such a cancel as a fail-over, or use package pgxstore, which sees it,
// meets the same tables, and tells waiters when a name is free.
package sqlstore
