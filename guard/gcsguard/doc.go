// Package gcsguard guards an object of Google Cloud Storage: the mark stands in the
// object itself, in a line before the data, and a write is admitted only in the place of
// the very generation on which it was decided. It uses the standard library alone; the
// client that is handed in adds the credentials.
//
//	g, err := gcsguard.New(client, "my-bucket", "reports/manifest", guard.Sequenced, nil)
//	...
//	_, err = g.Establish(ctx, lease.Fence()) // before the first read of a term
//	data, err := g.Read(ctx)
//	...
//	_, err = g.Write(ctx, guard.Write{Fence: lease.Fence(), Seq: 1, Key: "first page"}, data)
//
// It is made for an object that every writer must swap, such as a manifest: put large
// data into objects of fresh names first, and guard the one that names them. What a
// refused writer has put there is never named. Package casguard tells how a write is
// decided, and which errors there are.
//
// Google takes about one write a second of one object. A write that comes too early is
// refused, and repeated by the guard for some seconds.
package gcsguard
