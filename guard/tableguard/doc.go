// Package tableguard puts the guard into the database itself: triggers refuse a
// write to a table unless the session carries a fence that may make it, whoever
// sends it. It is for tables that programs write to which nobody will change.
//
//	db := tableguard.On(sqlDB, tableguard.Postgres)
//	err := db.Install(ctx, tableguard.Table{Name: "reports", Lease: "nightly-report"})
//
// In PostgreSQL a session carries its fence in the setting ringfence.fence, which
// PGOPTIONS hands to every program that is built on libpq; in MySQL and MariaDB in the
// variable @ringfence_fence; in SQLite a transaction does, in a row that it deletes
// again. [DB.InTx] sees to each, for a program that can be changed.
//
// docs/guards/tables.md says which writes are covered, and who can still go around.
package tableguard
