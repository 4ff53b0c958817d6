package ringfence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// This file searches for a reader and a writer that hold a name at the same time: holders with
// short leases on one memory, each of whose steps may be held up before it
// happens, for longer than a lease.

// tardy holds up some steps.
type tardy struct {
	driver.Store
	mu   sync.Mutex
	rand *rand.Rand
	one  int // step of so many is held up
}

func (s *tardy) pause() {
	s.mu.Lock()
	d := time.Duration(0)
	if s.rand.IntN(s.one) == 0 {
		d = time.Duration(s.rand.IntN(3000)) * time.Millisecond
	}
	s.mu.Unlock()
	time.Sleep(d)
}

func (s *tardy) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	s.pause()
	return s.Store.Acquire(context.WithoutCancel(ctx), r)
}

func (s *tardy) Release(ctx context.Context, t driver.Term) error {
	s.pause()
	return s.Store.Release(context.WithoutCancel(ctx), t)
}

// ttl is the length of all leases. The gate of a reader is held for a second at most.
const ttl = 4 * time.Second

// span is one holding, in the time that the store and all holders share.
type span struct {
	access   Access
	fence    fence.Fence
	from, to time.Time // from when the holder had it to when it gave it up, or trust ended
}

func (s span) String() string {
	return fmt.Sprintf("%s of access %d from %s to %s", s.fence.Token, s.access, s.from.Format("05.000"), s.to.Format("05.000"))
}

type entering func(ctx context.Context, l *Locker, access Access) (*Lease, error)

// mingle lets readers and writers come and go for a while.
func mingle(t *testing.T, seed uint64, enter entering) (spans []span) {
	synctest.Test(t, func(t *testing.T) {
		mem := memstore.New(nil)
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		var all sync.WaitGroup
		var mu sync.Mutex
		for i := range 5 {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			access, one := Shared, 3
			if i < 2 { // a writer takes ten times as many steps
				access, one = Exclusive, 100
			}
			l, err := New(&tardy{Store: mem.Share(), rand: rand.New(rand.NewPCG(seed, uint64(100+i))), one: one}, &Options{RequestTimeout: time.Second / 2})
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				for ctx.Err() == nil {
					if lease, err := enter(ctx, l, access); err == nil {
						s := span{access: access, fence: lease.Fence(), from: time.Now()}
						time.Sleep(time.Duration(r.Int64N(int64(ttl))))
						s.to = time.Now()
						if trusted := lease.TrustedUntil(); trusted.Before(s.to) {
							s.to = trusted
						}
						_ = lease.Release(context.WithoutCancel(ctx))
						if s.from.Before(s.to) {
							mu.Lock()
							spans = append(spans, s)
							mu.Unlock()
						}
					}
					time.Sleep(time.Duration(r.Int64N(int64(ttl))))
				}
				_ = l.Close(context.WithoutCancel(ctx))
			})
		}
		all.Wait()
	})
	return spans
}

// clash is a pair that breaks the promise, or "".
func clash(spans []span) string {
	for i, a := range spans {
		for _, b := range spans[:i] {
			if a.access == Shared && b.access == Shared {
				continue
			}
			switch {
			case a.from.Before(b.to) && b.from.Before(a.to):
				return fmt.Sprintf("both at once: %s, and %s", a, b)
			case a.from.Before(b.from) != (a.fence.Token < b.fence.Token):
				return fmt.Sprintf("tokens in another order: %s, and %s", a, b)
			}
		}
	}
	return ""
}

func theLocker(ctx context.Context, l *Locker, access Access) (*Lease, error) {
	return l.Acquire(ctx, "plan", 5*time.Second, Hold{TTL: ttl, Kind: Kind{Access: access}})
}

// uncheckedRelease lets a reader in whatever the release of its gate says.
func uncheckedRelease(ctx context.Context, l *Locker, access Access) (*Lease, error) {
	if access == Exclusive {
		return theLocker(ctx, l, access)
	}
	gate, err := l.single(ctx, "plan", 5*time.Second, l.brief(Hold{TTL: ttl}))
	if err != nil {
		return nil, err
	}
	slot, _, err := l.anyOf(ctx, "plan", slots("plan", MaxShared, sharedSlot), Hold{TTL: ttl})
	_ = gate.Release(ctx)
	if err == nil {
		slot.carries = gate.term.Fence
	}
	return slot, err
}

// undrained lets a writer in that holds the gate, whoever reads.
func undrained(ctx context.Context, l *Locker, access Access) (*Lease, error) {
	if access == Shared {
		return theLocker(ctx, l, access)
	}
	return l.single(ctx, "plan", 5*time.Second, Hold{TTL: ttl})
}

func TestNoReaderBesideAWriter(t *testing.T) {
	t.Parallel()
	readers, writers := 0, 0
	for seed := range uint64(60) {
		spans := mingle(t, seed, theLocker)
		if found := clash(spans); found != "" {
			t.Fatalf("seed %d: %s", seed, found)
		}
		for _, s := range spans {
			if s.access == Shared {
				readers++
			} else {
				writers++
			}
		}
	}
	if readers < 40 || writers < 100 {
		t.Errorf("%d readers and %d writers came: too few to find anything", readers, writers)
	}
}

func TestTheSearchFindsAReaderBesideAWriter(t *testing.T) {
	t.Parallel()
	for what, enter := range map[string]entering{
		"the release of the gate isn't looked at": uncheckedRelease, "nobody waits for readers": undrained,
	} {
		found := ""
		for seed := uint64(0); seed < 60 && found == ""; seed++ {
			found = clash(mingle(t, seed, enter))
		}
		if found == "" {
			t.Errorf("%s, and the search finds nothing", what)
		}
	}
}

// TestAStaleWriterIsRefusedOnceAReaderHasEstablished: the rule of the fence of a shared lease.
func TestAStaleWriterIsRefusedOnceAReaderHasEstablished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		writer, err := b.TryAcquire(t.Context(), "plan", Hold{TTL: time.Second, Kind: Kind{Access: Exclusive}})
		if err != nil {
			t.Fatal(err)
		}
		mark, _ := guard.Establish(guard.Mark{}, writer.Fence(), fence.MaxToken)
		time.Sleep(time.Minute) // it is paused
		var readers []*Lease
		for range 2 {
			reader, err := b.TryAcquire(t.Context(), "plan", Hold{TTL: time.Minute, Kind: Kind{Access: Shared}})
			if err != nil {
				t.Fatal(err)
			}
			readers = append(readers, reader)
		}
		mark, v := guard.Establish(mark, readers[1].Fence(), fence.MaxToken)
		if v.Outcome != fence.Admitted {
			t.Errorf("the reader establishes: %+v", v)
		}
		if _, v := guard.Decide(guard.Latest, mark, guard.Write{Fence: writer.Fence()}, fence.MaxToken); v.Cause != fence.Superseded {
			t.Errorf("the write of a stale writer after that: %+v", v)
		}
		// The reader that came first is told of a later one, which is all it needs to know.
		if _, v := guard.Establish(mark, readers[0].Fence(), fence.MaxToken); v.Cause != fence.Superseded || readers[0].Context().Err() != nil {
			t.Errorf("the first reader establishes: %+v", v)
		}
	})
}
