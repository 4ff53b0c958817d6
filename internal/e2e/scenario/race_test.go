//go:build race

package scenario

// slowed: the race detector makes SQLite, which is Go here, some twenty times slower.
const slowed = true
