// Package ringfence leases names from a store that the team already runs, and
// hands out with every grant a token that only ever rises.
//
// # The protocol
//
// A lock over a network is a lease: its holder can be paused past its end, wake
// up and write as if nothing had happened. The holder can't notice that in time,
// and no lock service can prevent it. Two things together do:
//
//   - The store grants, renews and ends a term in one atomic step on its own
//     clock. Of two terms of one name the later has the higher token, for ever.
//   - The written resource compares the token in the same atomic step as the
//     write, and refuses one that is older than what it has seen.
//
// The lease decides when another may take over. The token decides whose write
// counts. Packages guard and guard/sqlguard are the second half; a lease whose
// fence reaches no guard protects against nothing but politeness.
//
// # The life of a term, as its holder sees it
//
//	       Acquire                      work                      Release
//	t0 ──────┬───────────────────────────┬──────────────────────────┬──▶ t
//	 │ sent  │ granted by the store      │                          │ the name is free
//	 │       └── the store's lease: ttl from its own step ──────────────────┐
//	 └────────── TrustedUntil: t0 + what the store says is left - margin ─┐ │
//
// The holder counts from before the request was sent, so that its own view ends
// before the store's does, however long the reply took. It counts on the
// monotonic or the wall clock, whichever has moved more: a machine that was
// asleep has lost the time. No clock of the caller is ever sent to the store.
//
// Bounded work gets a lease of its timeout plus the grace it needs to stop, and
// no heartbeat. Unbounded work is renewed at a third of its lease, with one request
// for all leases of a Locker that are due; a renewal that fails or hangs is tried again
// until trust runs out, in smaller company. [Lease.Context] ends when the
// holder may no longer work, and context.Cause says why: expired, superseded,
// released, forced, unreachable.
//
// # Don't know
//
// A call that was sent and not answered is neither done nor failed. An acquire
// carries a random attempt id, so that asking again returns the same grant; when
// nobody is left to ask, the Locker gives back in the background whatever the
// attempt may have been granted. A release that could not be told leaves the
// name held until its lease ends, and says until when.
package ringfence
