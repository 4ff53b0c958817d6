// Package history lets several clients contend for one lease and a guarded
// register under faults, on real stores, and checks what they saw: that the
// register is linearizable, that tokens rise, and that the store never had two
// live terms of a name.
//
// A run is random. It prints its seed; the flag -seed repeats the same choices,
// as far as a real server lets them be the same, and -for says how long to run:
//
//	go test ./history -run TestRandom -seed 42 -for 5m
package history
