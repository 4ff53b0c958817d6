package redisguard

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Options of a Guard. Nil means the defaults.
type Options struct {
	// Lease is the name of the only lease whose fences count at the resource.
	// Defaults to the name in the fence that first establishes it.
	Lease string
	// Tag is the hash tag that the keys of the data share, without its braces: in a
	// cluster the mark has to lie in their slot. Defaults to the resource's name.
	Tag string
	// Counter counts the verdicts; several guards may share one.
	// Defaults to a counter of the guard's own.
	Counter *guard.Counter
	// MaxAge is the greatest age of a write's inputs, in whole milliseconds: a write
	// that was computed from older ones is refused as Outdated, by the server's clock. It
	// needs Write.AsOf, see [Guard.Now]. Defaults to no limit.
	MaxAge time.Duration
}

// Guard judges writes to one resource by a mark in the same Redis as the data. It
// may be used by many goroutines. All guards of a resource use the same rule and tag.
type Guard struct {
	link     *link
	resource string
	rule     guard.Rule
	lease    string
	maxAge   time.Duration
	keys     []string
	counter  *guard.Counter
}

// New makes a guard of the resource of that name, which is any text that your
// program gives it. client is a *redis.Client or a *redis.ClusterClient and stays
// the caller's. New sends nothing.
func New(client redis.UniversalClient, resource string, r guard.Rule, o *Options) (*Guard, error) {
	if o == nil {
		o = new(Options)
	}
	for _, err := range []error{guard.CheckResource(resource), r.Check(), guard.CheckMaxAge(o.MaxAge)} {
		if err != nil {
			return nil, err
		}
	}
	if o.Lease != "" {
		if err := fence.CheckName(o.Lease); err != nil {
			return nil, err
		}
	}
	tag := o.Tag
	if tag == "" {
		tag = resource
	}
	if strings.ContainsAny(tag, "{}") {
		return nil, fmt.Errorf("%w hash tag %s of the resource %s: it has a brace; set Options.Tag to the tag that the keys of the data share",
			fence.ErrInvalid, fence.Quote(tag), fence.Quote(resource))
	}
	mark := "{" + tag + "}:ringfence:mark:" + resource
	l, err := connect(client, mark)
	if err != nil {
		return nil, err
	}
	g := &Guard{link: l, resource: resource, rule: r, lease: o.Lease, maxAge: o.MaxAge, counter: o.Counter,
		keys: []string{mark, "{" + tag + "}:ringfence:terms:" + resource}}
	if g.counter == nil {
		g.counter = new(guard.Counter)
	}
	return g, nil
}

// Keys are the two keys of the resource's own, its mark and the last write of each
// term, for programs that call the functions of [Library].
func (g *Guard) Keys() (mark, terms string) { return g.keys[0], g.keys[1] }

// Counter is where the guard counts its verdicts.
func (g *Guard) Counter() *guard.Counter { return g.counter }

// Command is one command of Redis and its arguments, at most 1,000 words in all:
// {"SET", key, value}. A word is a string, a []byte, a number or anything else that
// go-redis takes as an argument.
type Command []any

// maxWords is what Lua can pass on.
const maxWords = 1000

// Establish begins a term at the resource: when it returns, nothing older can land
// any more. Read what you will change after that, not before. It may be repeated,
// and creates the mark where there is none.
func (g *Guard) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	if _, v := guard.Establish(guard.Mark{Lease: g.lease}, f, fence.MaxToken); v.Cause == fence.Invalid {
		return g.conclude(v) // before anything is sent
	}
	return g.run(ctx, guard.Write{Fence: f}, establishScript, f.Name, f.Token.String())
}

// Do judges w, and applies the commands where it is admitted, all in one step. When
// w was applied before, nothing is done and the verdict is Duplicate. All keys of
// the commands lie in one hash slot with the mark.
//
// Redis can't take a command back. Where the first one fails, nothing is applied
// and the mark is as it was. Where a later one does, those before it stay: the
// error then is guard.ErrUnknown and says so, nothing of an older term can land,
// and w may be sent again. One command, such as MSET or a HSET of many fields, has
// no such middle.
func (g *Guard) Do(ctx context.Context, w guard.Write, commands ...Command) (fence.Verdict, error) {
	args, err := words(commands)
	if err != nil {
		v := fence.Verdict{Outcome: fence.Unavailable, Resource: g.resource, Fence: w.Fence}
		g.counter.Count(v)
		return v, err
	}
	if _, v := guard.DecideFresh(g.rule, guard.Mark{Lease: g.lease}, w, fence.MaxToken, guard.Freshness{MaxAge: g.maxAge}); v.Cause == fence.Invalid {
		return g.conclude(v) // before anything is sent
	}
	head := []any{g.rule.String(), w.Fence.Name, w.Fence.Token.String(), fmt.Sprint(w.Seq), w.Key, milliseconds(w.AsOf), fmt.Sprint(g.maxAge.Milliseconds())}
	return g.run(ctx, w, admitScript, append(head, args...)...)
}

// milliseconds is a time as the script takes it: since 1970, 0 for none.
func milliseconds(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}

// words writes commands as the script takes them: a count before each.
func words(commands []Command) ([]any, error) {
	if len(commands) == 0 {
		return nil, fmt.Errorf("%w write without a command: a check apart from the write is no fence", fence.ErrInvalid)
	}
	var all []any
	for _, c := range commands {
		if len(c) < 1 || len(c) > maxWords {
			return nil, fmt.Errorf("%w command of %d words: want 1 to %d", fence.ErrInvalid, len(c), maxWords)
		}
		all = append(append(all, len(c)), c...)
	}
	return all, nil
}

// Now reads the clock of the server that has the resource. Call it before the first
// input of a write is read, and put it into guard.Write.AsOf where the resource limits
// the age of inputs (Options.MaxAge): no other clock says how old they are there.
func (g *Guard) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	node, err := g.link.node(ctx)
	if err == nil {
		now, err = node.Time(ctx).Result()
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("the clock of %s: %w: %w", fence.Quote(g.resource), guard.ErrUnavailable, err)
	}
	return now, nil
}

func (g *Guard) conclude(v fence.Verdict) (fence.Verdict, error) {
	v.Resource = g.resource
	g.counter.Count(v)
	return v, v.Err()
}

// fail is the answer where there is no verdict about the write.
func (g *Guard) fail(w guard.Write, kind, err error, hint string) (fence.Verdict, error) {
	e := &guard.Error{Kind: kind, Resource: g.resource, Fence: w.Fence, Err: err, Hint: hint}
	v := e.Verdict()
	g.counter.Count(v)
	return v, e
}
