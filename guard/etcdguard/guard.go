package etcdguard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Options of a Guard. Nil means the defaults.
type Options struct {
	// Prefix begins every key of the guard. Keep it apart from the data and from
	// the prefix of a lease store. Defaults to "ringfence.guard/".
	Prefix string
	// Lease is the name of the only lease whose fences count at the resource.
	// Defaults to the name in the fence that first establishes it.
	Lease string
	// Counter counts the verdicts; several guards may share one.
	// Defaults to a counter of the guard's own.
	Counter *guard.Counter
	// Try is how long one request may take, so that a member that stands still
	// delays a write and does not hang it. Defaults to 1 second.
	Try time.Duration
	// Clock bounds tokens: one that lies a day ahead of it is refused, since it
	// would poison the mark. etcd has no clock to ask. Defaults to time.Now.
	Clock func() time.Time
}

// Guard judges writes to one resource by a mark in the same etcd as the data. It
// may be used by many goroutines. All guards of a resource use the same rule and
// the same prefix.
type Guard struct {
	client   *clientv3.Client
	resource string
	rule     guard.Rule
	o        Options

	mu    sync.Mutex
	known state // what was last read or written: a guess that a transaction verifies
}

// New makes a guard of the resource of that name, which is any text that your
// program gives it. It sends nothing.
func New(client *clientv3.Client, resource string, r guard.Rule, o *Options) (*Guard, error) {
	g := &Guard{client: client, resource: resource, rule: r}
	if o != nil {
		g.o = *o
	}
	if client == nil {
		return nil, fmt.Errorf("%w call of etcdguard.New: it needs a *clientv3.Client", fence.ErrInvalid)
	}
	for _, err := range []error{guard.CheckResource(resource), r.Check()} {
		if err != nil {
			return nil, err
		}
	}
	if g.o.Lease != "" {
		if err := fence.CheckName(g.o.Lease); err != nil {
			return nil, err
		}
	}
	if g.o.Prefix == "" {
		g.o.Prefix = "ringfence.guard/"
	}
	if g.o.Counter == nil {
		g.o.Counter = new(guard.Counter)
	}
	if g.o.Try == 0 {
		g.o.Try = time.Second
	}
	if g.o.Clock == nil {
		g.o.Clock = time.Now
	}
	if g.o.Try < 0 {
		return nil, fmt.Errorf("%w option Try %s: want more than 0", fence.ErrInvalid, g.o.Try)
	}
	return g, nil
}

// Counter is where the guard counts its verdicts.
func (g *Guard) Counter() *guard.Counter { return g.o.Counter }

// Establish begins a term at the resource. It may be repeated, and creates the
// mark where there is none.
func (g *Guard) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return g.settle(ctx, guard.Write{Fence: f}, nil, func(m guard.Mark) (guard.Mark, fence.Verdict) {
		return guard.Establish(m, f, g.limit())
	})
}

// Write applies ops if the guard admits w, in one transaction with the new mark.
// When w was applied before, it applies nothing, and the verdict is Duplicate. ops
// must not touch the guard's own keys. The error is nil exactly when the verdict
// is Admitted or Duplicate.
//
// Where the error is guard.ErrUnknown, send the same write again: under Once and
// Sequenced it is applied at most once.
func (g *Guard) Write(ctx context.Context, w guard.Write, ops ...clientv3.Op) (fence.Verdict, error) {
	return g.settle(ctx, w, ops, func(m guard.Mark) (guard.Mark, fence.Verdict) {
		return guard.Decide(g.rule, m, w, g.limit())
	})
}

// mostTurns bounds how often one write finds that another was faster.
const mostTurns = 100

// settle decides on the mark and changes it together with the data, in a
// transaction that holds only while the mark is the one decided on.
func (g *Guard) settle(
	ctx context.Context, w guard.Write, ops []clientv3.Op, decide func(guard.Mark) (guard.Mark, fence.Verdict),
) (fence.Verdict, error) {
	at := g.guess()
	for turn := range mostTurns {
		next, v := decide(at.mark)
		switch {
		case v.Cause == fence.Invalid && at.mark.Lease == g.o.Lease: // before anything is sent
			return g.conclude(v)
		case v.Outcome == fence.Admitted && at.read:
			changed, err := g.replace(ctx, at, next, w, ops)
			if err != nil {
				return g.failed(w.Fence, err)
			}
			if changed == nil {
				return g.conclude(v)
			}
			at = *changed
			continue
		case turn > 0 && at.read: // as it is now, not as it was guessed
			return g.conclude(g.landed(v, w, at))
		}
		fresh, err := g.load(ctx, w.Fence.Token)
		if err != nil {
			return g.failed(w.Fence, err)
		}
		at = fresh
	}
	return g.failed(w.Fence, failure{guard.ErrRetry, errors.New("others write to the resource all the time"), ""})
}

func (g *Guard) landed(v fence.Verdict, w guard.Write, at state) fence.Verdict {
	if v.Cause == fence.Superseded && g.rule == guard.Sequenced {
		return guard.Landed(v, w, at.lastSeq, at.lastKey)
	}
	return v
}

func (g *Guard) limit() fence.Token { return fence.FutureLimit(fence.TickOf(g.o.Clock())) }

func (g *Guard) conclude(v fence.Verdict) (fence.Verdict, error) {
	v.Resource = g.resource
	g.o.Counter.Count(v)
	return v, v.Err()
}

// failed is the answer where there is no verdict.
func (g *Guard) failed(f fence.Fence, err error) (fence.Verdict, error) {
	e := &guard.Error{Kind: guard.ErrUnavailable, Resource: g.resource, Fence: f, Err: err}
	var known failure
	if errors.As(err, &known) {
		e.Kind, e.Err, e.Hint = known.kind, known.err, known.hint
	}
	v := e.Verdict()
	g.o.Counter.Count(v)
	return v, e
}
