// Package lock is the model that rules are written against: what the code of a unit
// does with locks.
//
// A unit is what belongs together, the files of one language in one folder. For
// each function it finds the calls that have to do with a lock (an Op), by the
// client they are made through: a Redis command, an SQL statement, a lock library.
// Ops on the same key are a Lock, if they are one at all: a key that is set once to
// mark a message as seen is set the same way as a lock, and is none. What runs
// while a lock is held is a Section, with the effects in it, through the helpers
// that it calls.
//
// Nothing here reports anything. A rule is a small function over the model.
package lock
