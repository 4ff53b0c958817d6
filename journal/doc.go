// Package journal keeps what happened to leases: who was granted which token, how
// the term ended, what a guard refused, and which work is suspect. It answers "what
// happened?" on the morning after two runs of a job both ran.
//
// A [Journal] is an append-only record. Package journal/sqljournal keeps one in a
// table beside the leases, journal/filejournal in a file. A [Recorder] stands
// between the work and the journal: it takes events without ever waiting, and writes
// them in the background in batches. What it could not keep it counts, and the count
// is itself an event, a [Gap].
//
// A journal decides nothing. No lease waits for it, no guard reads it, and the loss of
// all of it changes no grant. What it doesn't say proves nothing either: it knows what
// was recorded, by programs that record.
package journal
