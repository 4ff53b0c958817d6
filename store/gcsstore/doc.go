// Package gcsstore hosts leases in a bucket of Google Cloud Storage. It uses the
// standard library alone; the client that is handed in adds the credentials.
//
//	client, err := google.DefaultClient(ctx, gcsstore.Scope) // of golang.org/x/oauth2/google
//	store, err := gcsstore.Open(ctx, client, "my-bucket", nil)
//
// The record of a name is one small object, and a step replaces it with the
// precondition that it is still of the generation that was read, or that there is
// none. The clock is the Date of the service's answers, whole seconds. How that makes a
// lease is told by package casstore, and why in docs/adr/0007-object-stores.md.
//
// Google takes about one write a second of one object. A write that comes too early is
// refused, and repeated by the store: so a lease that is held and handed on changes
// about once a second, and renewals belong some seconds apart.
package gcsstore
