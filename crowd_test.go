package ringfence

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// slow is a memory store whose renewals a test holds up.
type slow struct {
	driver.Store
	mu    sync.Mutex
	calls [][]string // the names of each
	// before and after may take their time; an error is the outcome of all.
	before, after func(ctx context.Context, names []string) error
}

func (s *slow) through(ctx context.Context, names []string, ask func()) error {
	s.mu.Lock()
	s.calls = append(s.calls, names)
	before, after := s.before, s.after
	s.mu.Unlock()
	if before != nil {
		if err := before(ctx, names); err != nil {
			return err
		}
	}
	ask()
	if after != nil {
		return after(ctx, names)
	}
	return nil
}

func (s *slow) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (u driver.Term, err error) {
	if lost := s.through(ctx, []string{t.Name}, func() { u, err = s.Store.Renew(ctx, t, ttl) }); lost != nil {
		return u, lost
	}
	return u, err
}

func (s *slow) set(before, after func(context.Context, []string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.after = before, after
}

// asked is the names of all calls.
func (s *slow) asked() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// holds reports whether a call has held that name.
func (s *slow) holds(name string) bool {
	return slices.ContainsFunc(s.asked(), func(names []string) bool { return slices.Contains(names, name) })
}

// slowBatch is one that renews many at once.
type slowBatch struct{ *slow }

func (s slowBatch) RenewAll(ctx context.Context, all []driver.Renewal) (done []driver.Renewed) {
	var names []string
	for _, r := range all {
		names = append(names, r.Term.Name)
	}
	if err := s.through(ctx, names, func() { done = s.Store.(driver.BatchRenewer).RenewAll(ctx, all) }); err != nil {
		done = make([]driver.Renewed, len(all))
		for i := range done {
			done[i].Err = err
		}
	}
	return done
}

// hangs is a hook that answers no call which holds one of these names before its time
// is up.
func hangs(names ...string) func(context.Context, []string) error {
	return func(ctx context.Context, all []string) error {
		if !slices.ContainsFunc(all, func(n string) bool { return slices.Contains(names, n) }) {
			return nil
		}
		<-ctx.Done()
		return &driver.Fault{Kind: ErrUnknown, Err: ctx.Err()}
	}
}

// takes is a hook that answers after d.
func takes(d time.Duration) func(context.Context, []string) error {
	return func(ctx context.Context, _ []string) error {
		if !sleep(ctx.Done(), d) {
			return &driver.Fault{Kind: ErrUnknown, Err: ctx.Err()}
		}
		return nil
	}
}

// crowd is a locker that holds many leases.
type crowd struct {
	*Locker
	link *slow
	mem  *memstore.Store
}

func newCrowd(t *testing.T, batch bool, o *Options) *crowd {
	t.Helper()
	c := &crowd{mem: memstore.New(nil)}
	c.link = &slow{Store: c.mem}
	store := driver.Store(c.link)
	if batch {
		store = slowBatch{c.link}
	}
	l, err := New(store, o)
	if err != nil {
		t.Fatal(err)
	}
	c.Locker = l
	return c
}

// take acquires n names that begin so, all at the same moment.
func (c *crowd) take(t *testing.T, what string, n int, h Hold) (all []*Lease) {
	t.Helper()
	for i := range n {
		le, err := c.TryAcquire(t.Context(), fmt.Sprint(what, i), h)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, le)
	}
	return all
}

// wantHeld checks that none of them has been lost, and gives them up.
func wantHeld(t *testing.T, all []*Lease) {
	t.Helper()
	lost := 0
	for _, le := range all {
		if le.Context().Err() != nil {
			lost++
			t.Logf("%s: %v", le.Fence().Name, context.Cause(le.Context()))
		}
		le.Abandon()
	}
	if lost != 0 {
		t.Errorf("%d of %d leases were lost", lost, len(all))
	}
}
