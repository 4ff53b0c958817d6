package casguard

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Options of a Guard. Nil means the defaults.
type Options struct {
	// Lease is the name of the only lease whose fences count at the object.
	// Defaults to the name in the fence that first establishes it.
	Lease string
	// Counter counts the verdicts; several guards may share one.
	// Defaults to a counter of the guard's own.
	Counter *guard.Counter
	// Try is how long one request may take, before the guard asks what came of it.
	// Defaults to 10 seconds.
	Try time.Duration
	// MaxAge is the greatest age of a write's inputs, in whole milliseconds: a write
	// that was computed from older ones is refused as Outdated, by the bucket's clock
	// when the object was read. It needs Write.AsOf, see [Guard.Now]. Defaults to no
	// limit.
	MaxAge time.Duration
}

// Guard judges writes to one object by the mark in it. It may be used by many
// goroutines. All guards of an object use the same rule.
type Guard struct {
	bucket   Bucket
	resource string
	key      string
	rule     guard.Rule
	o        Options
}

// maxKey leaves room below 1024 bytes for what is kept beside the object.
const maxKey = 1000

// New makes a guard of the object at key, which is called resource in verdicts and
// errors. It sends nothing. Below key + ".terms/" the guard keeps the last write of
// each earlier term, under the rule Sequenced.
func New(bucket Bucket, resource, key string, r guard.Rule, o *Options) (*Guard, error) {
	g := &Guard{bucket: bucket, resource: resource, key: key, rule: r}
	if o != nil {
		g.o = *o
	}
	switch {
	case bucket == nil || resource == "":
		return nil, fmt.Errorf("%w call of casguard.New: it needs a bucket and the name of a resource", fence.ErrInvalid)
	case key == "" || len(key) > maxKey:
		return nil, fmt.Errorf("%w key %s: want 1 to %d bytes", fence.ErrInvalid, fence.Quote(key), maxKey)
	case g.o.Try < 0:
		return nil, fmt.Errorf("%w option Try %s: want more than 0", fence.ErrInvalid, g.o.Try)
	}
	for _, err := range []error{r.Check(), guard.CheckMaxAge(g.o.MaxAge)} {
		if err != nil {
			return nil, err
		}
	}
	if g.o.Lease != "" {
		if err := fence.CheckName(g.o.Lease); err != nil {
			return nil, err
		}
	}
	if g.o.Counter == nil {
		g.o.Counter = new(guard.Counter)
	}
	if g.o.Try == 0 {
		g.o.Try = 10 * time.Second
	}
	return g, nil
}

// Counter is where the guard counts its verdicts.
func (g *Guard) Counter() *guard.Counter { return g.o.Counter }

// get reads an object. Its error is one of a call that applied nothing.
func (g *Guard) get(ctx context.Context, key string) (Object, error) {
	ctx, cancel := context.WithTimeout(ctx, g.o.Try)
	defer cancel()
	o, err := g.bucket.Get(ctx, key)
	return o, unsent(err)
}

// put writes an object under a condition.
func (g *Guard) put(ctx context.Context, key, version string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, g.o.Try)
	defer cancel()
	return g.bucket.Put(ctx, key, version, data)
}

// Read returns the data of the object, without the mark; nil where there is none.
func (g *Guard) Read(ctx context.Context) ([]byte, error) {
	s, err := g.load(ctx)
	if err != nil {
		return nil, g.failure(fence.Fence{}, err)
	}
	return s.Data, nil
}

// Mark reads the mark of the object. Where nothing was ever established, that is none.
func (g *Guard) Mark(ctx context.Context) (guard.Mark, error) {
	s, err := g.load(ctx)
	if err != nil {
		return guard.Mark{}, g.failure(fence.Fence{}, err)
	}
	return s.mark, nil
}

// Now reads the bucket's clock. Call it before the first input of a write is read, and
// put it into guard.Write.AsOf where the object limits the age of inputs
// (Options.MaxAge): no other clock says how old they are there. It costs a read of the
// object.
func (g *Guard) Now(ctx context.Context) (time.Time, error) {
	o, err := g.get(ctx, g.key)
	if err != nil {
		return time.Time{}, g.failure(fence.Fence{}, err)
	}
	return o.At, nil
}

// Establish begins a term at the object. It may be repeated, makes the object where
// there is none, and leaves the data as it is.
func (g *Guard) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return g.settle(ctx, write{
		fence: f, keep: true,
		decide: func(m guard.Mark, now time.Time) (guard.Mark, fence.Verdict) {
			return guard.Establish(m, f, futureLimit(now))
		},
		landed: func(v fence.Verdict, _ last) fence.Verdict { return v },
	})
}

// Write replaces the data if the guard admits w, and the mark with it. When w was
// applied before, it applies nothing, and the verdict is Duplicate. The error is nil
// exactly when the verdict is Admitted or Duplicate.
//
// Where the error is guard.ErrUnknown, send the same write again: under Once and
// Sequenced it is applied at most once.
func (g *Guard) Write(ctx context.Context, w guard.Write, data []byte) (fence.Verdict, error) {
	if len(data) > MaxBytes {
		err := fmt.Errorf("%w data of %d bytes: the most is %d; put it into objects of its own and guard the one that names them",
			fence.ErrInvalid, len(data), MaxBytes)
		v := fence.Verdict{Outcome: fence.Unavailable, Resource: g.resource, Fence: w.Fence}
		g.o.Counter.Count(v)
		return v, err
	}
	return g.settle(ctx, write{
		fence: w.Fence, data: data,
		decide: func(m guard.Mark, now time.Time) (guard.Mark, fence.Verdict) {
			return guard.DecideFresh(g.rule, m, w, futureLimit(now), guard.Freshness{MaxAge: g.o.MaxAge, Now: now})
		},
		landed: func(v fence.Verdict, l last) fence.Verdict { return guard.Landed(v, w, l.Seq, l.Key) },
	})
}

// futureLimit is the highest token that counts at a clock of the bucket.
func futureLimit(now time.Time) fence.Token { return fence.FutureLimit(fence.TickOf(now)) }

// write is what a call asks for.
type write struct {
	fence  fence.Fence
	data   []byte
	keep   bool // the data that is there
	decide func(m guard.Mark, now time.Time) (guard.Mark, fence.Verdict)
	landed func(fence.Verdict, last) fence.Verdict
}

const (
	// mostTurns bounds how often one write finds that another was faster.
	mostTurns = 50
	// mostLost is how many lost answers one call puts up with.
	mostLost = 3
)

var errBusy = errors.New("others write to the object all the time")

// settle decides on the mark that it reads, and writes in the place of just that.
func (g *Guard) settle(ctx context.Context, w write) (fence.Verdict, error) {
	nonce, lost := crand.Text(), 0
	for turn := range mostTurns {
		if err := pause(ctx, turn); err != nil {
			return g.failed(w.fence, lost > 0, err)
		}
		s, err := g.load(ctx)
		if err != nil {
			return g.failed(w.fence, lost > 0, err)
		}
		next, v := w.decide(s.mark, s.At)
		switch {
		case turn > 0 && (s.head.Nonce == nonce || s.head.Was == nonce): // the answer was lost
			return g.conclude(fence.Verdict{Outcome: fence.Admitted, Fence: w.fence, Mark: s.mark.Token})
		case v.Outcome != fence.Admitted:
			return g.refused(ctx, w, v, lost > 0)
		case w.keep && next == s.mark:
			return g.conclude(v)
		case w.keep:
			w.data = s.Data
		}
		err = g.replace(ctx, s, next, nonce, w.data)
		if err == nil {
			return g.conclude(v)
		}
		switch kind := judge(err).Kind; {
		case errors.Is(kind, guard.ErrUnknown) && lost < mostLost && ctx.Err() == nil:
			lost++
		case !errors.Is(kind, guard.ErrRetry):
			return g.failed(w.fence, lost > 0, err)
		}
	}
	return g.failed(w.fence, lost > 0, &guard.Error{Kind: guard.ErrRetry, Err: errBusy})
}

// refused concludes what was not admitted. Where an answer was lost, and the mark has
// moved on, the write may have been applied before that.
func (g *Guard) refused(ctx context.Context, w write, v fence.Verdict, lost bool) (fence.Verdict, error) {
	superseded := v.Cause == fence.Superseded
	switch {
	case superseded && g.rule == guard.Sequenced:
		l, _, err := g.findLast(ctx, w.fence.Token)
		if err != nil {
			return g.failed(w.fence, lost, err)
		}
		v = w.landed(v, l)
	case lost && (superseded || v.Cause == fence.Outdated && g.rule == guard.Latest):
		return g.failed(w.fence, true, errors.New("others have written since"))
	}
	return g.conclude(v)
}

func (g *Guard) conclude(v fence.Verdict) (fence.Verdict, error) {
	v.Resource = g.resource
	g.o.Counter.Count(v)
	return v, v.Err()
}

// failed is the answer where there is no verdict.
func (g *Guard) failed(f fence.Fence, lost bool, err error) (fence.Verdict, error) {
	e := g.failure(f, err)
	if lost {
		e.Kind, e.Hint = guard.ErrUnknown, again
	}
	v := e.Verdict()
	g.o.Counter.Count(v)
	return v, e
}

func (g *Guard) failure(f fence.Fence, err error) *guard.Error {
	e := judge(err)
	e.Resource, e.Fence = g.resource, f
	return &e
}

// pause spaces the turns of one write: none before the second, then 5 ms, twice that
// and so on up to 160 ms, each with jitter.
func pause(ctx context.Context, turn int) error {
	if err := ctx.Err(); err != nil {
		return unsent(err)
	}
	if turn < 2 {
		return nil
	}
	d := 5 * time.Millisecond << min(turn-2, 5)
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return unsent(ctx.Err())
	}
}
