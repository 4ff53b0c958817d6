package redisstore

import (
	"context"
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var files embed.FS

// script is one step of a store, which the server executes as a whole.
type script struct{ text, hash string }

var (
	acquire  = load("acquire")
	renew    = load("renew")
	release  = load("release")
	inspect  = load("inspect")
	breaking = load("break")
	list     = load("list")
	prune    = load("prune")
	raise    = load("raise")
	setup    = load("setup")
	identity = load("identity")
)

// load reads a script; the prelude is part of each.
func load(name string) script {
	var text string
	for _, file := range []string{"prelude", name} {
		b, err := files.ReadFile("lua/" + file + ".lua")
		if err != nil {
			panic(err) // an embedded file is always there
		}
		text += string(b)
	}
	sum := sha1.Sum([]byte(text)) // by which Redis knows it; nothing rests on its strength
	return script{text, hex.EncodeToString(sum[:])}
}

// execute sends calls in one pipeline, and once more in full those whose script
// the server does not know: after a restart, a promotion, SCRIPT FLUSH.
func (l *link) execute(ctx context.Context, calls []*call) {
	node, err := l.node(ctx)
	if err != nil {
		for _, c := range calls {
			c.settle(nil, err)
		}
		return
	}
	unknown := pipeline(ctx, node, calls, func(p redis.Pipeliner, c *call) *redis.Cmd {
		return p.EvalSha(ctx, c.script.hash, c.keys, c.args...)
	})
	if len(unknown) == 0 {
		return
	}
	for _, c := range pipeline(ctx, node, unknown, func(p redis.Pipeliner, c *call) *redis.Cmd {
		return p.Eval(ctx, c.script.text, c.keys, c.args...)
	}) {
		c.settle(nil, unavailable("").because(errNoScript))
	}
}

var errNoScript = errors.New("the server does not know a script that it was just sent")

// pipeline sends calls together, settles those that are answered, and returns
// those whose script the server does not know.
func pipeline(ctx context.Context, node *redis.Client, calls []*call, eval func(redis.Pipeliner, *call) *redis.Cmd) (unknown []*call) {
	replies := make([]*redis.Cmd, len(calls))
	_, _ = node.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, c := range calls {
			replies[i] = eval(p, c)
		}
		return nil
	}) // each reply has its own error
	for i, c := range calls {
		reply, err := replies[i].Result()
		if err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT") {
			unknown = append(unknown, c)
			continue
		}
		c.settle(reply, err)
	}
	return unknown
}
