package stores

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// column is one store of the table.
type column struct {
	name string // of the column
	page string // in docs/stores
	// start starts a server that ends with the column, and returns what makes a place
	// for the leases of one cell, apart from all others. Where own is set, that has a
	// server of its own, which the cell may break.
	start func(t *testing.T) func(t *testing.T, own bool) *site
	// alone is a row that needs a server of its own only on this store.
	alone string
	// lacks says, by the ids of rows, why a row can't concern this store.
	lacks map[string]string
	// remains says why a number can come again in a row. The row must find that.
	remains map[string]string
}

// site is where the leases of one cell are kept, and what a test can do to it. What
// is nil can't be done there, and the column says why.
type site struct {
	// opens makes a client with connections of its own to a server at the address.
	opens func(t *testing.T, addr string) (driver.Store, error)
	addr  string        // of the server; "" where there is none
	tick  time.Duration // after which a renewal shows in the record. Defaults to 2 ms
	// lossy makes a client, and what lets it have no answer to what the server did.
	lossy func(t *testing.T) (s driver.Store, lose, heal func())
	// stall lets no step through for a while.
	stall func(t *testing.T) (s driver.Store, stop, goOn func())
	// zoned makes a client in another time zone.
	zoned func(t *testing.T, zone string) (driver.Store, error)

	kill    func()                          // ends the server as a crash does, and starts it again
	keep    func() (restore func())         // copies what is kept now, to be put back later
	age     func()                          // lets the first minute of a store pass
	standby func() (follow, promote func()) // an asynchronous copy: no longer fed, and put in charge
	flush   func()                          // empties the place
	forget  func()                          // removes the store's own record
	clock   func(ahead time.Duration)       // moves the server's clock
	evict   func() error                    // opens the store on a server that may evict
}

// behindProxy fills in what a proxy in front of the server can do.
func (s *site) behindProxy() *site {
	through := func(t *testing.T) (driver.Store, *realserver.Proxy) {
		p := realserver.NewProxy(t, s.addr)
		return s.open(t, p.Addr()), p
	}
	if s.lossy == nil {
		s.lossy = func(t *testing.T) (driver.Store, func(), func()) {
			store, p := through(t)
			return store, p.DropReplies, p.Heal
		}
	}
	s.stall = func(t *testing.T) (driver.Store, func(), func()) {
		store, p := through(t)
		return store, p.Blackhole, p.Heal
	}
	return s
}

// open makes a client that is closed with the test.
func (s *site) open(t *testing.T, addr string) driver.Store {
	t.Helper()
	store, err := s.opens(t, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// direct is a client without a proxy.
func (s *site) direct(t *testing.T) driver.Store {
	t.Helper()
	return s.open(t, s.addr)
}

// brief is a lease to see the end of, though not before its grant is known.
func brief(s driver.Store) time.Duration {
	p := s.Properties()
	return max(400*time.Millisecond, p.MinTTL) + 2*p.Resolution
}

// lasting is a lease to keep alive by renewals.
func lasting(s driver.Store) time.Duration { return 3*time.Second + 3*s.Properties().Resolution }

const long = time.Minute

// patience is how long anything may take that has to happen, on a busy machine.
const patience = 60 * time.Second

// until polls what only a server's clock can bring.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for deadline := time.Now().Add(patience); !done(); <-every.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: it did not happen in %s", what, patience)
		}
	}
}

func untilState(t *testing.T, s driver.Store, name string, want driver.State) {
	t.Helper()
	until(t, name+" is "+string(want), func() bool {
		rec, err := s.Inspect(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return rec.State == want
	})
}

func request(name string, ttl time.Duration) driver.Request {
	return driver.Request{Name: name, Attempt: rand.Text(), Holder: "a test", TTL: ttl}
}

func take(t *testing.T, s driver.Store, name string, ttl time.Duration) driver.Term {
	t.Helper()
	term, err := s.Acquire(t.Context(), request(name, ttl))
	if err != nil {
		t.Fatalf("acquire %q: %v", name, err)
	}
	return term
}

func release(t *testing.T, s driver.Store, term driver.Term) {
	t.Helper()
	if err := s.Release(t.Context(), term); err != nil {
		t.Fatalf("release %q: %v", term.Name, err)
	}
}

// newLocker is a locker that is closed with the test.
func newLocker(t *testing.T, s driver.Store, o *ringfence.Options) *ringfence.Locker {
	t.Helper()
	l, err := ringfence.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close(t.Context()) }) // whose end says not to wait
	return l
}

func hold(t *testing.T, l *ringfence.Locker, name string, h ringfence.Hold) *ringfence.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), name, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lease.Abandon)
	return lease
}

// wantEnded checks that a term is over, and why.
func wantEnded(t *testing.T, what string, err error, causes ...driver.EndCause) {
	t.Helper()
	ended, ok := errors.AsType[*driver.EndedError](err)
	for _, cause := range causes {
		if ok && ended.Cause == cause {
			return
		}
	}
	t.Errorf("%s: got %v; want an end by %s", what, err, causes)
}

// within bounds a call whose answer is not to come.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// apart is a name that nothing else on a shared server has.
func apart() string { return strings.ToLower(rand.Text()) }
