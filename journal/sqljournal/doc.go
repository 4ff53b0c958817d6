// Package sqljournal keeps a journal in a table of a database, best of the one that
// hosts the leases: the events are then on the same clock as they. It imports no
// driver: open the *sql.DB with the one you use.
//
//	j, err := sqljournal.Open(db, sqljournal.Postgres, nil)
//
// The table is ringfence.journal in PostgreSQL and ringfence_journal elsewhere, and each
// row of it is a batch; see package bundle. It is made by the first append, where the role
// may; [Schema] is for whoever makes it by hand. A role that records needs INSERT, SELECT
// and DELETE on it, SELECT and DELETE for the clean-up alone.
package sqljournal
