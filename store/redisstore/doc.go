// Package redisstore hosts leases in a Redis or a Valkey that a team already
// runs. It takes the client that you have:
//
//	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
//	...
//	store, err := redisstore.Open(ctx, client, nil)
//
// # One script a step
//
// Each step is one Lua script, which Redis executes as a whole: it reads the
// server's clock once, judges the record of the name, and makes the token. The
// scripts stand in the folder lua. A record has no time to live of Redis's own:
// it says when its term ends, and stays until [Store.Prune], since it carries
// the last token.
//
// # Callers together
//
// What several goroutines ask for while the server is busy goes to it as one run
// of a script, which takes each step by itself and answers each. Nobody waits for
// company: a request that finds the store idle, or one other under way, is sent at once,
// by its caller. Renewals and releases go before acquires.
//
// # Those who wait
//
// Who waits for a name has a place in its line, beside the record of the name. The
// script that grants serves the first whose place has not lapsed, and nobody else; the
// one that releases tells that one, through a channel of its process.
//
// # Another server at the address
//
// Each acquire compares, inside its script, the replication id of the server that
// answers with the one on record. After a restart, a promotion or the loss of
// the record the store first raises its floor above whatever was granted, notes
// the change, and goes on; see [Options].
//
// # One hash slot
//
// All keys of a store begin with its prefix as a hash tag, {ringfence} by
// default, so that a cluster keeps them on one shard. Stores with different
// prefixes are different stores, and may lie on different shards.
package redisstore
