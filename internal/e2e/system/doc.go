// Package system opens the real systems that proofs, scenarios and histories
// run on: a lease store and a guarded table in one database, used by this
// process or by child processes that can be stopped and killed.
//
// A child process is the test binary itself, started again with its job in the
// environment; a package whose tests start any has [Main] in its TestMain.
package system
