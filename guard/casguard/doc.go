// Package casguard guards a value in any place that writes under a condition on what
// was read: a bucket of objects, a table of documents. Packages s3guard and gcsguard
// stand on it. The mark stands in the value itself, in a line before the data, and a
// write is admitted only in the place of the very value on which it was decided.
//
// It is made for a value that every writer must swap, such as a manifest: put large data
// into objects of fresh names first, and guard the one that names them. What a refused
// writer has put there is never named.
//
// A condition is one of equality: it says that nothing has changed since the read, not
// which token is higher. So each write reads the value, decides by its mark, and writes
// in the place of just that; where another was faster it begins again. A version may be
// a digest of the value, so each value carries a fresh nonce. A write whose answer was
// lost is found by it.
//
// # Errors
//
// A refused write is an error that matches fence.ErrRefused and is a
// *fence.RefusedError with the whole verdict. Every other failure is a
// *guard.Error that matches exactly one of guard.ErrRetry, ErrUnknown,
// ErrUnavailable and ErrUnfit, or it matches fence.ErrInvalid where the call
// itself is wrong.
package casguard
