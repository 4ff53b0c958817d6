package broken

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// memory is a guarded text in memory. Its steps are fields, which a fault
// replaces one by one; what is not replaced is right.
type memory struct {
	rule   guard.Rule
	maxAge time.Duration

	mu   sync.Mutex
	mark guard.Mark
	last map[fence.Token]guard.Mark // the last write of each term
	data string
	text string // what the write being decided on carries

	decide    func(m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict)
	establish func(m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict)
	landed    func(v fence.Verdict, w guard.Write, last guard.Mark) fence.Verdict
	clock     func() fence.Tick
	unlocked  func(m guard.Mark, f fence.Fence, writes bool) // where set, runs between reading the mark and deciding, without the lock
	ended     func(ctx context.Context) bool
	cut       func(v fence.Verdict) fence.Outcome // what a caller is told whose context ended after the step
	failed    func(r *memory, next guard.Mark)    // the data refused a write that was admitted
	answer    func(v fence.Verdict) (fence.Verdict, error)
	begin     func(ctx context.Context, f fence.Fence) (fence.Verdict, error)
}

// unwritable is the text that the data refuses.
const unwritable = "unwritable"

var errUnwritable = errors.New("the data refuses this text")

func newMemory(lease string, r guard.Rule, establishes bool) *memory {
	m := &memory{rule: r, mark: guard.Mark{Lease: lease}, last: make(map[fence.Token]guard.Mark)}
	m.decide = func(mark guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
		return guard.DecideFresh(r, mark, w, limit, guard.Freshness{MaxAge: m.maxAge, Now: present()})
	}
	m.establish = guard.Establish
	m.landed = func(v fence.Verdict, w guard.Write, last guard.Mark) fence.Verdict {
		return guard.Landed(v, w, last.Seq, last.Key)
	}
	m.clock = func() fence.Tick { return fence.TickOf(present()) }
	m.ended = func(ctx context.Context) bool { return ctx.Err() != nil }
	m.cut = func(fence.Verdict) fence.Outcome { return fence.Unknown }
	m.failed = func(*memory, guard.Mark) {}
	m.answer = func(v fence.Verdict) (fence.Verdict, error) { return v, v.Err() }
	m.begin = m.raise
	if !establishes {
		m.mark.Token = 1 // open to the first term that writes
		m.begin = func(_ context.Context, f fence.Fence) (fence.Verdict, error) {
			return fence.Verdict{Outcome: fence.Unavailable, Fence: f}, errors.ErrUnsupported
		}
	}
	return m
}

// present is the time, also in a test whose own clock begins in the year 2000,
// before there were tokens.
func present() time.Time {
	now, first := time.Now(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if now.Before(first) {
		return first
	}
	return now
}

// Now implements guardtest.Aging.
func (r *memory) Now(context.Context) (time.Time, error) { return present(), nil }

// latency is how long a write is under way, there and back.
const latency = 200 * time.Microsecond

func (r *memory) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return r.begin(ctx, f)
}

func (r *memory) raise(_ context.Context, f fence.Fence) (fence.Verdict, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next, v := r.establish(r.load(f, false), f, fence.FutureLimit(r.clock()))
	if v.Outcome == fence.Admitted {
		r.mark = next
	}
	v.Resource = "memory"
	return r.answer(v)
}

func (r *memory) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	travel(ctx)
	if r.ended(ctx) {
		return fence.Verdict{Outcome: fence.Unavailable, Resource: "memory", Fence: w.Fence}, context.Cause(ctx)
	}
	v, err := r.apply(w, value)
	travel(ctx)
	if err == nil && r.ended(ctx) {
		v.Outcome, v.Cause, err = r.cut(v), fence.NoCause, context.Cause(ctx)
	}
	return v, err
}

func travel(ctx context.Context) {
	if _, limited := ctx.Deadline(); !limited {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(latency):
	}
}

// apply is the atomic step.
func (r *memory) apply(w guard.Write, value string) (fence.Verdict, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	mark := r.load(w.Fence, true)
	r.text = value
	next, v := r.decide(mark, w, fence.FutureLimit(r.clock()))
	v.Resource = "memory"
	if v.Outcome == fence.Admitted {
		if value == unwritable {
			r.failed(r, next)
			return fence.Verdict{Outcome: fence.Unavailable, Resource: "memory", Fence: w.Fence}, errUnwritable
		}
		r.mark, r.data = next, value
		r.last[w.Fence.Token] = next
	}
	if r.rule == guard.Sequenced {
		v = r.landed(v, w, r.last[w.Fence.Token])
	}
	return r.answer(v)
}

// load reads the mark. A fault lets go of the lock in between.
func (r *memory) load(f fence.Fence, writes bool) guard.Mark {
	mark := r.mark
	if r.unlocked != nil {
		r.mu.Unlock()
		r.unlocked(mark, f, writes)
		r.mu.Lock()
	}
	return mark
}

func (r *memory) Read(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.data, nil
}
