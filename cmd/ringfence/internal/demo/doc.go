// Package demo shows with two real processes what a lease alone can't prevent and
// a fence does: a holder that is paused past its lease, wakes up and overwrites
// newer work.
package demo
