// Package local locks inside of one process.
package local

import "sync"

// A Counter counts.
type Counter struct {
	mu sync.Mutex
	n  int
}

// Acquire takes the lock.
func (c *Counter) Acquire() {
	c.mu.Lock()
	c.n++
}

// Release gives it back.
func (c *Counter) Release() { c.mu.Unlock() }
