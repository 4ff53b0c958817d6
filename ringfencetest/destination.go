package ringfencetest

import (
	"context"
	"slices"
	"sync"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Destination is something to write to: one text in memory, with a guard before it that
// decides as every guard does, and with a way around the guard. It remembers every write,
// and its assertions tell those that no fence protected.
type Destination struct {
	store *Store
	rule  guard.Rule

	mu    sync.Mutex
	mark  guard.Mark
	last  map[fence.Token]guard.Mark // the last write of each term
	value string
	log   []Entry
}

// Entry is one write that reached a [Destination].
type Entry struct {
	Write   guard.Write // the zero Write when it came past the guard
	Value   string
	Verdict fence.Verdict
}

// Guarded reports whether the write came through the guard.
func (e Entry) Guarded() bool { return e.Write.Fence != fence.Fence{} }

// NewDestination returns an empty destination under rule r, for fences of s. It has no
// mark: the first writer establishes its term.
func NewDestination(s *Store, r guard.Rule) *Destination {
	s.tb.Helper()
	if err := r.Check(); err != nil {
		s.tb.Fatalf("a destination: %v", err)
	}
	return &Destination{store: s, rule: r, last: map[fence.Token]guard.Mark{}}
}

// Establish begins a term: nothing older is admitted from then on.
func (d *Destination) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v, err := asked(ctx, f); err != nil {
		return v, err
	}
	next, v := guard.Establish(d.mark, f, d.limit())
	d.mark = next
	return told(v)
}

// Write replaces the text if the guard admits w.
func (d *Destination) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v, err := asked(ctx, w.Fence); err != nil {
		return v, err
	}
	next, v := guard.Decide(d.rule, d.mark, w, d.limit())
	if v.Outcome == fence.Admitted {
		d.mark, d.value, d.last[w.Fence.Token] = next, value, next
	}
	if d.rule == guard.Sequenced {
		v = guard.Landed(v, w, d.last[w.Fence.Token].Seq, d.last[w.Fence.Token].Key)
	}
	v, err := told(v)
	d.log = append(d.log, Entry{w, value, v})
	return v, err
}

// Put replaces the text past the guard, as a writer does that knows of no fence. It
// always succeeds, and [Destination.AssertFenced] complains of it.
func (d *Destination) Put(value string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.value = value
	d.log = append(d.log, Entry{Value: value, Verdict: fence.Verdict{Outcome: fence.Admitted, Resource: resource}})
}

// Read returns the text, "" before the first write.
func (d *Destination) Read(context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.value, nil
}

// Log is every write so far, in order.
func (d *Destination) Log() []Entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.log)
}

// resource is what verdicts call a destination.
const resource = "the destination of the test"

func (d *Destination) limit() fence.Token {
	return fence.FutureLimit(fence.TickOf(d.store.clock.Now()))
}

// asked refuses a call whose context has ended: nothing was sent.
func asked(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	if err := context.Cause(ctx); err != nil {
		e := &guard.Error{Kind: guard.ErrUnavailable, Resource: resource, Fence: f, Err: err}
		return e.Verdict(), e
	}
	return fence.Verdict{}, nil
}

func told(v fence.Verdict) (fence.Verdict, error) {
	v.Resource = resource
	return v, v.Err()
}
