package ringfencetest

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// Store is one client of leases in memory, as one process is of a real store. It has the
// link to the leases in its hand: [Store.CutOff] and its like concern this client alone.
// What concerns the leases, such as [Store.Steal], goes past the link and works on any
// client. It implements driver.Store and every optional ability of package memstore.
type Store struct {
	*memstore.Store
	tb     testing.TB
	clock  *Clock
	grants *grants
	lines  *lines
	link   link
}

// New returns the first client of an empty memory.
func New(tb testing.TB) *Store {
	clock := new(Clock)
	return &Store{Store: memstore.New(&memstore.Options{Clock: clock.Now}), tb: tb, clock: clock, grants: new(grants), lines: new(lines)}
}

// Share returns one more client of the same leases, with a link of its own: another process.
func (s *Store) Share() *Store {
	return &Store{Store: s.Store.Share(), tb: s.tb, clock: s.clock, grants: s.grants, lines: s.lines}
}

// Clock is the clock of the leases and of all their holders.
func (s *Store) Clock() *Clock { return s.clock }

// Locker returns a Locker on this client that reads the same clock, and closes it with the
// test. o may be nil; its Clock is replaced.
func (s *Store) Locker(o *ringfence.Options) *ringfence.Locker {
	s.tb.Helper()
	var opts ringfence.Options
	if o != nil {
		opts = *o
	}
	opts.Clock = s.clock.Now
	l, err := ringfence.New(s, &opts)
	if err != nil {
		s.tb.Fatalf("a Locker on the store of the test: %v", err)
	}
	s.tb.Cleanup(func() {
		s.Reconnect() // what was cut off is given back at once
		if err := l.Close(context.Background()); err != nil {
			s.tb.Errorf("close the Locker: %v", err)
		}
	})
	return l
}

// Expire lets the lease of name run out now. Its holder learns of it at its next renewal
// or release. It fails the test when nobody holds the name.
func (s *Store) Expire(name string) {
	s.tb.Helper()
	was, err := s.Store.Expire(context.Background(), name)
	switch {
	case err != nil:
		s.tb.Fatalf("expire %s: %v", fence.Quote(name), err)
	case was.State != driver.Held:
		s.tb.Fatalf("expire %s: nobody holds it; it is %s", fence.Quote(name), was.State)
	}
}

// Steal lets the lease of name run out now and grants the name to somebody else, for a
// day, or until it is expired or broken. It returns the thief's fence. The holder from
// before learns of it at its next renewal or release. It fails the test when nobody holds
// the name.
func (s *Store) Steal(name string) fence.Fence {
	s.tb.Helper()
	s.Expire(name)
	s.lines.clear(s, name)
	t, err := s.Store.Acquire(context.Background(), driver.Request{
		Name: name, Attempt: rand.Text(), Holder: "thief", TTL: 24 * time.Hour,
	})
	if err != nil {
		s.tb.Fatalf("steal %s: %v", fence.Quote(name), err)
	}
	s.grants.add(t.Fence)
	return t.Fence
}

// Pause stops every holder for d, as the garbage collector or a suspended machine does:
// d passes on the clock, and meanwhile nothing ran and nothing was renewed. What d makes
// run out has run out, and for a moment after Pause no holder knows.
func (s *Store) Pause(d time.Duration) { s.clock.Advance(d) }

// grants are the fences that were handed out, over all clients.
type grants struct{ all sync.Map }

func (g *grants) add(f fence.Fence)      { g.all.Store(f, true) }
func (g *grants) has(f fence.Fence) bool { _, ok := g.all.Load(f); return ok }
