// Package fileguard guards a file, or a folder, on a file system that several
// writers share: it is replaced whole, and only by a writer whose fence counts.
//
//	g, err := fileguard.New("/srv/reports/today.csv", guard.Latest, nil)
//	v, err := g.Publish(ctx, guard.Write{Fence: lease.Fence()}, func(w io.Writer) error { ... })
//
// The mark stands beside the file, in a folder named after it: .today.csv.ringfence.
// Readers need none of this: they open the file, and see it whole, as it was before
// or as it is now. docs/guards/files.md says what a crash leaves, and what NFS can't
// promise.
package fileguard
