// Package stores plays the scenarios that concern a store on every store, each on
// its real server, and writes what came of them into the table of
// docs/stores/README.md. Its test fails where a run and the table differ, and
//
//	go test ./internal/e2e/stores -update
//
// writes the table anew.
//
// It is a module of its own, since it links the client of every store.
package stores
