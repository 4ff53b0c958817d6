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
// refused writer has put there is never named.
//
// A comparison of ETags is one of equality: it says that nothing has changed since
// the read, not which token is higher. So each write reads the object, decides by
// its mark, and writes with If-Match; where another was faster it begins again. An
// ETag follows the content, so each body carries a fresh nonce. A write whose answer
// was lost is found by it.
//
// # Errors
//
// A refused write is an error that matches fence.ErrRefused and is a
// *fence.RefusedError with the whole verdict. Every other failure is a
// *guard.Error that matches exactly one of guard.ErrRetry, ErrUnknown,
// ErrUnavailable and ErrUnfit, or it matches fence.ErrInvalid where the call
// itself is wrong.
package s3guard
