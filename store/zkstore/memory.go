package zkstore

import (
	"sync"

	"github.com/ringfence-go/ringfence/fence"
)

// memory is what this store has read or written last, so that a step needs no read
// before its write: the write has it as its condition. All of it belongs to one
// connection and one version of the store's record. A clean-up changes that version,
// and so a version of a znode that was removed and made again never meets its like.
type memory struct {
	mu       sync.Mutex
	floor    *floor
	views    map[string]view
	identity string      // the last one
	highest  fence.Token // the highest floor
}

const maxViews = 4096

// at returns the floor, or nil where it is not known on the present connection.
func (m *memory) at(epoch uint64) *floor {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.floor == nil || m.floor.epoch != epoch {
		return nil
	}
	return m.floor
}

// learn keeps a floor. Another one than before makes all else forgotten. One that lies
// below what was known is not kept, and reported as false.
func (m *memory) learn(f *floor) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.Value < m.highest {
		return false
	}
	if old := m.floor; old == nil || old.epoch != f.epoch || old.version != f.version || old.Identity != f.Identity {
		m.views = nil
	}
	m.floor, m.identity, m.highest = f, f.Identity, f.Value
	return true
}

// last is the identity and the highest floor that were known before.
func (m *memory) last() (string, fence.Token) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.identity, m.highest
}

func (m *memory) forgetAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.floor, m.views = nil, nil
}

func (m *memory) view(name string, epoch uint64) (view, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.views[name]
	return v, ok && v.epoch == epoch
}

// keep remembers what was read or written, under the floor that was known before.
func (m *memory) keep(v view) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.floor != v.floor || v.epoch != v.floor.epoch {
		return
	}
	if m.views == nil || len(m.views) >= maxViews {
		m.views = map[string]view{}
	}
	m.views[v.Name] = v
}

func (m *memory) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.views, name)
}
