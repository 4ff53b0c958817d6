package casguard_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
)

// memory is a bucket in memory, whose writes a test may break.
type memory struct {
	mu     sync.Mutex
	values map[string]casguard.Object
	count  int
	ahead  time.Duration          // of the machine's clock
	before func(key string) error // an error is the answer
	after  func(key string) error // the write was applied; an error is the answer
}

func newMemory() *memory { return &memory{values: map[string]casguard.Object{}} }

const unwritable = "a text that the bucket refuses"

func (m *memory) Get(ctx context.Context, key string) (casguard.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.values[key]
	o.Data, o.At = slices.Clone(o.Data), time.Now().Add(m.ahead)
	return o, ctx.Err()
}

func (m *memory) Put(ctx context.Context, key, version string, data []byte) error {
	m.mu.Lock()
	before, after := m.before, m.after
	m.mu.Unlock()
	if before != nil {
		if err := before(key); err != nil {
			return err
		}
	}
	if bytes.Contains(data, []byte(unwritable)) {
		return &guard.Error{Kind: guard.ErrUnavailable, Err: errors.New("refused")}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.put(key, version, data); err != nil || after == nil {
		return err
	}
	return after(key)
}

func (m *memory) put(key, version string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values[key].Version != version {
		return guard.ErrRetry
	}
	m.count++
	m.values[key] = casguard.Object{Version: strconv.Itoa(m.count), Data: slices.Clone(data)}
	return nil
}

// breakWrites calls f for the next n writes, before or after them.
func (m *memory) breakWrites(n int, before bool, f func(key string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hook := func(key string) error {
		if n--; n < 0 {
			return nil
		}
		return f(key)
	}
	if m.before, m.after = nil, hook; before {
		m.before, m.after = hook, nil
	}
}

func (m *memory) forward(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ahead += d
}

func (m *memory) heal() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before, m.after = nil, nil
}

func (m *memory) guard(t testing.TB, key string, r guard.Rule) *casguard.Guard {
	t.Helper()
	g, err := casguard.New(m, "memory/"+key, key, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func fenceOf(token fence.Token) fence.Fence { return fence.Fence{Name: "report", Token: token} }

func establish(t testing.TB, g *casguard.Guard, token fence.Token) {
	t.Helper()
	if v, err := g.Establish(t.Context(), fenceOf(token)); err != nil {
		t.Fatal(v, err)
	}
}
