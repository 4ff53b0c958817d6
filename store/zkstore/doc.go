// Package zkstore hosts leases in ZooKeeper, which a team already runs.
//
//	store, err := zkstore.Open(ctx, "zk1:2181,zk2:2181,zk3:2181", nil)
//
// # A step is one conditional write
//
// The record of a name is one znode. What is written there is not the outcome of a
// step but the step, and the term before it; the condition is that the znode is still
// the version that was read. The leader stamps its time on the write, and a pure
// function of both gives the outcome to every reader alike: a grant over a term that
// the stamp shows to be live is no grant, a renewal that was stamped too late changes
// nothing. The writer gets the stamp in the answer, so that a step on a name that this
// store knows is one request. Tokens and ends are made of the stamp too: nobody needs
// the time before the write.
//
// # No lease hangs on a session
//
// A session ends when its client is silent for as long as the ensemble allows, 2 to 20
// ticks, and not before, whatever the work does. A lease is a promise of another
// length. So leases are records, and the sessions carry those who wait: each has an
// ephemeral sequential znode and watches the one before it, so a release wakes
// exactly one waiter of all processes, in the order in which they came.
//
// # The line
//
// Whoever gets a place first marks the record of the name. An acquire that finds the mark
// reads the line, and is refused while anybody is before it. The grant removes its own
// znode in the same transaction, or where it has none the folder of the line, which
// ZooKeeper refuses while there is anybody in it. A name that nobody waits for has no mark,
// and costs nothing more: to set it changes the version that a grant is conditional on.
//
// # The connection
//
// The store has a session of its own. The client library takes no context, opens new
// sessions by itself, and writes to the program's log; here a call ends with its
// context, a write belongs to the connection of its read, and the log is silent. See
// docs/adr/0009-zookeeper.md.
package zkstore
