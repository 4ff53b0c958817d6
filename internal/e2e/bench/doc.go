// Package bench compares ringfence, in one run and as ratios, with the least
// that could do the same: a lease with the two bare statements that would keep
// one, on the same database, with the same number of callers.
//
//	go test ./bench -run '^$' -bench . -benchtime 1x -table performance.md
//
// Both sides take turns in short rounds and the median counts, so that a busy
// machine slows both. Each benchmark is a comparison that adds one row.
package bench
