package ringfence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

var errLink = errors.New("the link is cut")

// faulty is a store behind a link that a test cuts: before a call each hook may
// fail it, and afterwards take its answer away.
type faulty struct {
	driver.Store
	mu    sync.Mutex
	calls map[string]int
	// before and after say what the n-th call (from 1) of an op comes to; nil lets it through.
	before, after func(op string, n int) error
	hang          bool // acquires are not answered before their context ends
}

func (f *faulty) through(op string, call func() error) error {
	f.mu.Lock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	f.calls[op]++
	n, before, after := f.calls[op], f.before, f.after
	f.mu.Unlock()
	if before != nil {
		if err := before(op, n); err != nil {
			return err
		}
	}
	err := call()
	if after != nil {
		if lost := after(op, n); lost != nil {
			return lost
		}
	}
	return err
}

func (f *faulty) set(before, after func(op string, n int) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before, f.after, f.hang = before, after, false
}

func (f *faulty) hangs() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hang
}

func (f *faulty) count(op string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

func (f *faulty) Acquire(ctx context.Context, r driver.Request) (t driver.Term, err error) {
	if f.hangs() {
		<-ctx.Done()
		return t, &driver.Fault{Kind: ErrUnknown, Err: ctx.Err()}
	}
	err = f.through("acquire", func() (e error) { t, e = f.Store.Acquire(ctx, r); return e })
	return t, err
}

func (f *faulty) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (u driver.Term, err error) {
	err = f.through("renew", func() (e error) { u, e = f.Store.Renew(ctx, t, ttl); return e })
	return u, err
}

func (f *faulty) Release(ctx context.Context, t driver.Term) error {
	return f.through("release", func() error { return f.Store.Release(ctx, t) })
}

func on(op string, n int, kind error) func(string, int) error {
	return func(o string, i int) error {
		if o == op && i == n {
			return &driver.Fault{Kind: kind, Err: errLink}
		}
		return nil
	}
}

func always(kind error) func(string, int) error {
	return func(string, int) error { return &driver.Fault{Kind: kind, Err: errLink} }
}

// bench is a locker on a memory store behind a link, and what it was told.
type bench struct {
	*Locker
	link *faulty
	mem  *memstore.Store

	mu     sync.Mutex
	events []Event
	skew   time.Duration // of the holder's wall clock
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{mem: memstore.New(nil)}
	b.link = &faulty{Store: b.mem}
	l, err := New(b.link, &Options{Holder: "tester", OnEvent: b.record, Clock: b.clock})
	if err != nil {
		t.Fatal(err)
	}
	b.Locker = l
	t.Cleanup(func() {
		if err := l.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) record(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(e.Kind.Reasons(), e.Reason()) || !slices.Contains(EventKinds(), e.Kind) {
		panic(fmt.Sprintf("an event that no counter begins with: %s, %q (%v)", e.Kind, e.Reason(), e.Err))
	}
	b.events = append(b.events, e)
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.skew)
}

func (b *bench) setSkew(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.skew = d
}

func (b *bench) saw(kind EventKind) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func (b *bench) state(t *testing.T, name string) driver.State {
	t.Helper()
	r, err := b.mem.Inspect(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return r.State
}

// wantEnd checks why a context ended.
func wantEnd(t *testing.T, ctx context.Context, want EndCause) {
	t.Helper()
	ended, ok := errors.AsType[*EndedError](context.Cause(ctx))
	if !ok || ended.Cause != want {
		t.Fatalf("the context ended with %v, want %s", context.Cause(ctx), want)
	}
}
