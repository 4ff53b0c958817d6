// Package etcdguard guards keys of etcd: the mark of a resource is a key beside
// them, compared and raised in the same transaction in which they are written.
//
// There are two shapes. [Guard.Admit] is a comparison for a transaction of your
// own, under the rule Latest, in one round trip:
//
//	a, err := g.Admit(lease.Fence())
//	...
//	resp, err := client.Txn(ctx).If(a.If...).Then(append(a.Then, clientv3.OpPut(key, value))...).Else(a.Else...).Commit()
//	verdict, err := a.Verdict(resp, err)
//
// [Guard.Write] is for every rule: it decides on the mark that it knows, and sends
// the new mark and your operations in one transaction that holds only while the
// mark is that one.
//
// A term begins with [Guard.Establish]. Nothing older can land when it returns:
// read what you will change after that.
//
// # Errors
//
// A refused write is an error that matches fence.ErrRefused and is a
// *fence.RefusedError with the whole verdict. Every other failure is a
// *guard.Error that matches exactly one of guard.ErrRetry, ErrUnknown,
// ErrUnavailable and ErrUnfit, or it matches fence.ErrInvalid where the call
// itself is wrong.
package etcdguard
