package redisguard

import (
	"context"
	"crypto/sha1"
	"embed"
	"encoding/hex"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var files embed.FS

// script is one step, which the server executes as a whole.
type script struct{ text, hash string }

var (
	admitScript     = load("admit")
	establishScript = load("establish")
)

// load reads a script; the decision and the steps are part of each.
func load(name string) script {
	text := join("decide", "apply", name)
	sum := sha1.Sum([]byte(text)) // by which Redis knows it; nothing rests on its strength
	return script{text, hex.EncodeToString(sum[:])}
}

func join(names ...string) (text string) {
	for _, name := range names {
		b, err := files.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err) // an embedded file is always there
		}
		text += string(b)
	}
	return text
}

// Library is the source of a library of functions for Redis 7 or later, which do
// what Establish and Do do, for programs in any language:
//
//	FCALL ringfence_establish 2 MARK TERMS name token
//	FCALL ringfence_admit 2 MARK TERMS rule name token seq key [words command...]...
//	FCALL ringfence_admit_fresh 2 MARK TERMS rule name token seq key as_of max_age [words command...]...
//
// docs/guards/redis.md says what they take and answer. [Load] loads it, and so does
// FUNCTION LOAD REPLACE.
func Library() string { return "#!lua name=ringfence\n" + join("decide", "apply", "library") }

// Load puts the library on the server, or on every primary of a cluster, in the
// place of an older release of it. It is written to the server's file and copied
// to its replicas like data.
func Load(ctx context.Context, client redis.UniversalClient) error {
	if cluster, ok := client.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			return node.FunctionLoadReplace(ctx, Library()).Err()
		})
	}
	return client.FunctionLoadReplace(ctx, Library()).Err()
}
