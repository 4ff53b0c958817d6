// Package s3guard guards an object of Amazon S3, or of a compatible service that
// honours conditional writes: the mark stands in the object itself, in a line before
// the data, and a write is admitted only in the place of the very object on which it
// was decided.
//
//	g, err := s3guard.New(client, "my-bucket", "reports/manifest", guard.Sequenced, nil)
//	...
//	_, err = g.Establish(ctx, lease.Fence()) // before the first read of a term
//	data, err := g.Read(ctx)
//	...
//	_, err = g.Write(ctx, guard.Write{Fence: lease.Fence(), Seq: 1, Key: "first page"}, data)
//
// It is made for an object that every writer must swap, such as a manifest: put large
// data into objects of fresh names first, and guard the one that names them. What a
// refused writer has put there is never named. The condition of a write is If-Match with
// the ETag of what was read, or If-None-Match where there was nothing. Package casguard
// tells how a write is decided, and which errors there are.
package s3guard
