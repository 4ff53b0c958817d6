// Package s3store hosts leases in a bucket of Amazon S3, or of a compatible
// service that honours conditional writes.
//
//	client := s3.NewFromConfig(cfg)
//	store, err := s3store.Open(ctx, client, "my-bucket", nil)
//
// # A step is one conditional write
//
// The record of a name is one small object. A step reads it and writes it with the
// precondition that it is still the one that was read: If-Match with its ETag, or
// If-None-Match where there was none. That write is the atomic step; the read
// before it only finds the precondition and the time. An ETag follows the content,
// so every body carries a fresh nonce, and no two bodies are alike. A write that
// meets its own first success is refused like any other; the nonce in the body then
// shows that it had succeeded.
//
// An object is never deleted. A release is a write, and the number stays.
//
// # Time
//
// The clock is the endpoint's: the Date of its answers, whole seconds. A term ends
// one second later than it was asked for, which makes up for the fraction that
// Date leaves out, and is over when a Date has reached its end. A renewal or a
// release counts if the object's Last-Modified, which the endpoint stamps in the
// write itself, lies before the end of the term; so one that arrives too late
// changes nothing, whoever reads it. See docs/adr/0007-object-stores.md.
package s3store
