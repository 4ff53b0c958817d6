// Package history makes sense of the events of a journal: the terms of a name, which
// of them overlapped, what is suspect, and in sentences what that comes to.
//
// It is pure: events in, an account out. What it says is what the record shows. Times
// are on the journal's clock; where two programs wrote files of their own, their clocks
// may differ.
package history
