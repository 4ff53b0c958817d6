package cases

import "sync"

// A ring keeps its values in the process.
type ring struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (r *ring) Exists(k string) bool { return r.keys[k] }
func (r *ring) Set(k string)         { r.keys[k] = true }
func (r *ring) Delete(k string)      { delete(r.keys, k) }

type owner struct{ lockedKeys *ring }

// tryLock is about a lock of this process alone.
func (o *owner) tryLock(k string, work func()) bool {
	o.lockedKeys.mu.Lock()
	if o.lockedKeys.Exists(k) {
		o.lockedKeys.mu.Unlock()
		return false
	}
	o.lockedKeys.Set(k)
	o.lockedKeys.mu.Unlock()
	work()
	o.lockedKeys.Delete(k)
	return true
}
