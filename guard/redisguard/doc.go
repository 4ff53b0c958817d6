// Package redisguard guards data in a Redis or a Valkey: one Lua script compares
// the fence with the mark, applies the write's commands and stores the new mark.
//
//	g, err := redisguard.New(client, "report", guard.Sequenced, nil)
//	...
//	_, err = g.Establish(ctx, lease.Fence())
//	...
//	write := guard.Write{Fence: lease.Fence(), Seq: 1, Key: "first page"}
//	_, err = g.Do(ctx, write, redisguard.Command{"SET", "{report}:page:1", text})
//
// The mark is a key beside the data, in the same hash slot, without a time to
// live. It is as durable as the data: where it is lost, by a flush or an eviction,
// writes are refused as NotEstablished until a term establishes the resource again.
//
// The same decision comes as a library of Redis functions, so that a program in any
// language can be guarded: see [Library].
//
// # Errors
//
// A refused write is an error that matches fence.ErrRefused and is a
// *fence.RefusedError with the whole verdict. Every other failure is a
// *guard.Error that matches exactly one of guard.ErrRetry, ErrUnknown,
// ErrUnavailable and ErrUnfit, or it matches fence.ErrInvalid where the call
// itself is wrong.
package redisguard
