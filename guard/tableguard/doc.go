// Package tableguard puts the guard into the database itself: triggers refuse a
// write to a table unless the session carries a fence that may make it, whoever
// sends it. It is for tables that programs write to which nobody will change.
//
// A session carries its fence in the setting ringfence.fence, which PGOPTIONS hands to
// every program that is built on libpq.
//
//	err := tableguard.Install(ctx, db, tableguard.Table{Name: "reports", Lease: "nightly-report"})
//
// docs/guards/tables.md says which writes are covered, and who can still go around.
package tableguard
