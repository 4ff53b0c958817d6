package casstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/casstore"
)

// memory is a bucket in memory, with a clock that a test may set and requests that it
// may break.
type memory struct {
	mu      sync.Mutex
	unit    time.Duration
	now     func() time.Time
	ahead   time.Duration // of the answers' time, before the clock that stamps values
	values  map[string]casstore.Object
	written int
	reads   int
	writes  int

	ignore func(version string) bool // conditions that it doesn't keep
	before func(key string) error    // of a write; an error is the answer
	after  func(key string) error    // of a write that was applied; an error is the answer
}

func newMemory(unit time.Duration) *memory {
	return &memory{unit: unit, now: time.Now, values: map[string]casstore.Object{}}
}

// at is the time of an answer. The caller holds mu.
func (m *memory) at() time.Time { return m.now().Add(m.ahead).Truncate(m.unit) }

func (m *memory) Get(ctx context.Context, key string) (casstore.Object, error) {
	if err := ctx.Err(); err != nil {
		return casstore.Object{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	o := m.values[key]
	o.At = m.at()
	return o, nil
}

func (m *memory) Put(ctx context.Context, key, version string, data []byte) (time.Time, error) {
	m.mu.Lock()
	before, after := m.before, m.after
	m.mu.Unlock()
	if before != nil {
		if err := before(key); err != nil {
			return time.Time{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	at, err := m.put(key, version, data)
	if err == nil && after != nil {
		err = after(key)
	}
	return at, err
}

func (m *memory) put(key, version string, data []byte) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	if m.values[key].Version != version && (m.ignore == nil || !m.ignore(version)) {
		return time.Time{}, casstore.ErrMoved
	}
	m.written++
	m.values[key] = casstore.Object{Version: strconv.Itoa(m.written), Data: slices.Clone(data), Wrote: m.now()}
	return m.at(), nil
}

// List answers with small pages, so that more than one is asked for.
func (m *memory) List(_ context.Context, prefix, after string, limit int) (keys []string, more bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const page = 5
	for _, key := range slices.Sorted(maps.Keys(m.values)) {
		if !strings.HasPrefix(key, prefix) || key <= after {
			continue
		}
		if len(keys) == min(limit, page) {
			return keys, true, nil
		}
		keys = append(keys, key)
	}
	return keys, false, nil
}

func (m *memory) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// freeze stops the clock and returns what moves it.
func (m *memory) freeze() (move func(time.Duration)) {
	at := time.Now().Truncate(m.unit)
	m.set(func() { m.now = func() time.Time { return at } })
	return func(d time.Duration) { m.set(func() { at = at.Add(d) }) }
}

// onRecord calls f before each write of a name's record.
func (m *memory) onRecord(f func() error) {
	m.set(func() {
		m.before = func(key string) error {
			if !strings.Contains(key, "lease/") {
				return nil
			}
			return f()
		}
	})
}

var errLost = errors.New("connection lost")

// loseAnswers makes the next n answers to writes get lost.
func (m *memory) loseAnswers(n int) {
	m.set(func() {
		m.after = func(string) error {
			if n--; n >= 0 {
				return errLost
			}
			return nil
		}
	})
}

func (m *memory) heal() { m.set(func() { m.before, m.after = nil, nil }) }

// remove forgets the values whose keys hold part.
func (m *memory) remove(part string) {
	m.set(func() {
		maps.DeleteFunc(m.values, func(key string, _ casstore.Object) bool { return strings.Contains(key, part) })
	})
}

func (m *memory) open(t testing.TB, o casstore.Options) *casstore.Store {
	t.Helper()
	o.Unit = m.unit
	store, err := casstore.New(t.Context(), m, "memory", &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// frozen is a store on a clock of whole seconds that stands still.
func frozen(t testing.TB) (*memory, *casstore.Store, func(time.Duration)) {
	m := newMemory(time.Second)
	move := m.freeze()
	return m, m.open(t, casstore.Options{}), move
}

// slowly makes the clock move by d while the next write of a record is on its way.
func (m *memory) slowly(move func(time.Duration), d time.Duration) {
	m.onRecord(func() error {
		m.heal()
		move(d)
		return nil
	})
}

func request(name string, ttl time.Duration) driver.Request {
	return driver.Request{Name: name, Attempt: rand.Text(), Holder: "a test", TTL: ttl}
}

func take(t testing.TB, s driver.Store, name string, ttl time.Duration) driver.Term {
	t.Helper()
	term, err := s.Acquire(context.Background(), request(name, ttl))
	if err != nil {
		t.Fatalf("acquire %q: %v", name, err)
	}
	return term
}

func wantEnded(t testing.TB, err error, want driver.EndCause) {
	t.Helper()
	var end *driver.EndedError
	if !errors.As(err, &end) || end.Cause != want {
		t.Errorf("got %v; want an EndedError of cause %s", err, want)
	}
}

func wantError(t testing.TB, err, want error, says string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v; want %v that says %q", err, want, says)
	}
}
