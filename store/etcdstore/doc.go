// Package etcdstore hosts leases in etcd, which a team already runs. The client
// is yours: open it with the endpoints and the credentials that you use, and
// close it after the store.
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints})
//	...
//	store, err := etcdstore.Open(ctx, client, nil)
//
// # One transaction a step
//
// An acquire, a renewal and a release are one Txn each, and that Txn alone
// decides. A name is held for as long as its live key exists; the key hangs on an
// etcd lease, so that etcd ends the term on its own clock. The etcd lease is
// granted before the Txn, and means nothing by itself: a Txn that does not win
// leaves an empty lease behind, which dies unseen. An etcd lease is lent to
// every term of the same length that begins within half a second, so that a
// busy program sends one request a step. Steps that come while two Txns are under
// way wait for one of them to end, and then share a Txn, in which each is a
// transaction of its own.
//
// A renewal moves the live key to a newer etcd lease and compares the exact
// term in the same Txn. It does not use etcd's KeepAlive, which knows no term and
// writes nothing to the cluster's log: on older servers a leader that was deposed
// and has not noticed answers it too, and revokes what its successor has
// prolonged (etcd issue 15247).
//
// # Tokens
//
// A token is the revision of the grant's own Txn above a base that is compared
// in it. It rises for ever within one history of the cluster. etcd lends no
// clock from outside of what a restore takes back, so a store that meets another
// history refuses to grant until `ringfence recover`; docs/stores/etcd.md says how
// it notices.
//
// # Waiters
//
// A waiter's place is a key, and the line is the order in which these were made. The Txn
// of a grant compares that no older key is there than the attempt's own, or none at all,
// and takes the own one away. A process watches for one of its waiters, who stands before
// its others: the live key if nobody is before it, else the key right before its own. So
// the end of a term wakes one waiter of all. The keys of a process hang on one etcd lease,
// which it keeps alive with a request, however many wait.
//
// # A member that stands still
//
// The client spreads calls over all members, also over one that is stopped and
// whose connection is open. Each call has a short deadline of its own, after
// which it is repeated, and so reaches the next member.
package etcdstore
