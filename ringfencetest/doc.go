// Package ringfencetest puts a program's own tests through what happens to leases: they
// run out, somebody else takes them, the store can't be reached, the holder stands still.
// Each happens when the test says so.
//
//	store := ringfencetest.New(t)
//	ledger := ringfencetest.NewDestination(t, guard.Latest)
//	err := store.Locker(nil).Run(ctx, "payout", work, func(ctx context.Context, lease *ringfence.Lease) error {
//		store.Steal("payout")                     // another holds it now, and nobody has told us
//		return payOut(ctx, lease.Fence(), ledger) // the code under test
//	})
//	ledger.AssertFenced()
//
// [Store] is a memory of leases with a switch for each fault, [Destination] something to
// write to that remembers who wrote what, and complains of every write that no fence
// protected. To test a write path of your own against the contract of a guard, take
// guard/guardtest.
//
// # Time
//
// Everything here reads one [Clock], which a test moves with [Store.Pause]. It runs in a
// bubble of testing/synctest and outside of one. In a bubble time passes as soon as
// everybody waits, so that leases run out and are renewed at once; outside it passes as
// ever, and Pause jumps ahead. A lease's context then ends within a second.
package ringfencetest
