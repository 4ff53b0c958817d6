// Package s3store hosts leases in a bucket of Amazon S3, or of a compatible
// service that honours conditional writes.
//
//	client := s3.NewFromConfig(cfg)
//	store, err := s3store.Open(ctx, client, "my-bucket", nil)
//
// The record of a name is one small object. A step reads it and writes it with the
// precondition that it is still the one that was read: If-Match with its ETag, or
// If-None-Match where there was none. The clock is the endpoint's: the Date of its
// answers, whole seconds, and the Last-Modified that it stamps on what is written. How
// that makes a lease is told by package casstore, and why in
// docs/adr/0007-object-stores.md.
package s3store
