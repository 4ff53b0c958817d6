package redisstore

import (
	"context"
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var files embed.FS

// script is what the server executes as a whole.
type script struct {
	text, hash string
	each       bool // it takes steps of names, any number at once
}

// The scripts are made of parts, of which the later ones use the earlier. A part that a
// script does not use would cost it time: each run makes all functions anew.
var (
	steps     = load("clock", "server", "record", "line", "hint", "acquire", "term", "place", "each")
	acquiring = load("clock", "server", "record", "line", "acquire", "each")
	lasting   = load("clock", "record", "line", "hint", "term", "each")
	standing  = load("clock", "record", "line", "hint", "place", "each")
	inspect   = load("clock", "record", "shown", "inspect")
	breaking  = load("clock", "record", "shown", "line", "hint", "break")
	waiting   = load("clock", "record", "line", "hint", "wait")
	turning   = load("clock", "record", "line", "hint", "turn")
	waiters   = load("clock", "line", "waiters")
	list      = load("clock", "record", "shown", "list")
	prune     = load("clock", "record", "prune")
	raise     = load("clock", "server", "raise")
	setup     = load("clock", "setup")
	identity  = load("clock", "server", "identity")
)

// load makes a script of its parts.
func load(parts ...string) script {
	var text string // one part after the other, with a line between
	for _, part := range parts {
		b, err := files.ReadFile("lua/" + part + ".lua")
		if err != nil {
			panic(err) // an embedded file is always there
		}
		text += string(b) + "\n"
	}
	sum := sha1.Sum([]byte(text)) // by which Redis knows it; nothing rests on its strength
	return script{text, hex.EncodeToString(sum[:]), parts[len(parts)-1] == "each"}
}

// parcel is one run of a script: that of one call, or of all steps that go together.
type parcel struct {
	script script
	args   []any // as EVALSHA takes them
	calls  []*call
}

// pack puts the steps among calls into one parcel, and each other call into its own.
func (l *link) pack(calls []*call) []*parcel {
	if len(calls) == 1 {
		return []*parcel{l.parcel(calls[0].script, calls)}
	}
	var all []*parcel
	together := calls
	if slices.ContainsFunc(calls, (*call).single) {
		together = slices.DeleteFunc(slices.Clone(calls), (*call).single)
	}
	if len(together) > 0 {
		all = append(all, l.parcel(shared(together), together))
	}
	for _, c := range calls {
		if c.single() {
			all = append(all, l.parcel(c.script, []*call{c}))
		}
	}
	return all
}

func (c *call) single() bool { return !c.script.each }

// shared is the script for steps that go together.
func shared(calls []*call) script {
	for _, c := range calls[1:] {
		if c.script.hash != calls[0].script.hash {
			return steps
		}
	}
	return calls[0].script
}

// parcel makes one run of a script.
func (l *link) parcel(s script, calls []*call) *parcel {
	args := make([]any, 0, 6+len(calls)*(1+len(calls[0].args)))
	args = append(args, "evalsha", s.hash, len(l.keys)+len(calls))
	args = append(args, l.keys...)
	for _, c := range calls {
		args = append(args, c.key)
	}
	if s.each {
		args = append(args, l.weak)
	}
	for _, c := range calls {
		args = append(args, c.args...)
	}
	return &parcel{s, args, calls}
}

// spellOut makes p send its script in full.
func (p *parcel) spellOut() { p.args[0], p.args[1] = "eval", p.script.text }

// settle tells each call of p its part of the answer.
func (p *parcel) settle(answer any, err error) {
	if err == nil && len(p.calls) > 1 {
		p.share(answer)
		return
	}
	for _, c := range p.calls {
		c.settle(answer, err)
	}
}

// share gives each step its own answer, which may be an error.
func (p *parcel) share(answer any) {
	answers, _ := answer.([]any)
	for i, c := range p.calls {
		switch {
		case len(answers) != len(p.calls):
			c.settle(answer, nil) // which nobody can read, and whoever tries says so
		default:
			err, _ := answers[i].(error)
			c.settle(answers[i], err)
		}
	}
}

// execute sends calls together, and once more in full those whose script the
// server does not know: after a restart, a promotion, SCRIPT FLUSH.
func (l *link) execute(ctx context.Context, calls []*call, alone bool) {
	node, err := l.node(ctx, alone)
	if err != nil {
		for _, c := range calls {
			c.settle(nil, err)
		}
		return
	}
	unknown := send(ctx, node, l.pack(calls))
	for _, p := range unknown {
		p.spellOut()
	}
	for _, p := range send(ctx, node, unknown) {
		p.settle(nil, unavailable("").because(errNoScript))
	}
}

var errNoScript = errors.New("the server does not know a script that it was just sent")

// send sends parcels in one pipeline, settles those that are answered, and
// returns those whose script the server does not know.
func send(ctx context.Context, node *redis.Client, all []*parcel) (unknown []*parcel) {
	replies := make([]*redis.Cmd, len(all))
	for i, p := range all {
		replies[i] = redis.NewCmd(ctx, p.args...)
	}
	if len(all) == 1 {
		_ = node.Process(ctx, replies[0])
	} else if len(all) > 1 {
		_, _ = node.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, r := range replies {
				_ = p.Process(ctx, r)
			}
			return nil
		})
	} // each reply has its own error
	for i, p := range all {
		reply, err := replies[i].Result()
		if err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT") {
			unknown = append(unknown, p)
			continue
		}
		p.settle(reply, err)
	}
	return unknown
}
