// Package casstore hosts leases over any place that keeps one small value for each
// key, writes it under a condition on what was read, and shows its clock: a bucket of
// objects, a table of documents, a tree of nodes. Packages s3store and gcsstore stand
// on it. Whoever has another such service (Azure Blob Storage, DynamoDB, ...)
// implements [Bucket], three calls and the meaning of their
// errors, and has a store:
//
//	store, err := casstore.New(ctx, bucket, "Azure container leases", nil)
//
// Run storetest on it: it finds what the service doesn't keep.
//
// # A step is one conditional write
//
// The record of a name is one small value. A step reads it and writes it with the
// condition that it is still the one that was read, or that there is none. That write
// is the atomic step; the read before it only finds the condition and the time. A
// version may be a digest of the value, so every value carries a fresh nonce, and no
// two are alike. A write that meets its own first success is refused like any other;
// the nonce in the value then shows that it had succeeded.
//
// A value is never deleted. A release is a write, and the number stays.
//
// # Time
//
// The clock is the bucket's, as its answers show it, in whole units: seconds, say. A
// term ends one unit later than it was asked for, which makes up for the fraction that
// an answer leaves out, and is over when an answer's time has reached its end. A renewal
// or a release counts if the time that the bucket stamped on the value, in the write
// itself, lies before the end of the term; so one that arrives too late changes nothing,
// whoever reads it. See docs/adr/0007-object-stores.md.
package casstore
