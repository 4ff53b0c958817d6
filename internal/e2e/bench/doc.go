// Package bench compares ringfence, in one run and as ratios, with the least
// that could do the same and with other locks on the same store: acquire and
// release by 1, 8 and 64 callers, a name that 16 waiters hand over to each other, the
// calls that this costs the store, and 200 waiters that wait. BenchmarkSoak holds
// 10,000 leases in one process.
//
//	GOWORK=off go test -run '^$' -bench . -benchtime 1x -table performance.md
//
// All sides take turns in short rounds and the median counts, so that a busy
// machine slows each of them. Each benchmark adds rows to the table of its question.
//
// It is a module of its own, outside of the workspace, so that the versions that
// other locks need bind nothing that is built or tested.
package bench
