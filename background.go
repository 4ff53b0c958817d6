package ringfence

import "sync"

// background counts what goes on behind the callers of a Locker. Unlike a WaitGroup it may
// be added to while somebody waits: a Locker is closed while its last waiters leave.
type background struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n comes to 0; nil where nobody waits for that
}

// Go calls f in a goroutine of its own.
func (b *background) Go(f func()) {
	b.mu.Lock()
	b.n++
	b.mu.Unlock()
	go func() {
		defer b.done()
		f()
	}()
}

func (b *background) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n--; b.n == 0 && b.idle != nil {
		close(b.idle)
		b.idle = nil
	}
}

// over is closed when nothing goes on, or nothing did for a moment.
func (b *background) over() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n == 0 {
		none := make(chan struct{})
		close(none)
		return none
	}
	if b.idle == nil {
		b.idle = make(chan struct{})
	}
	return b.idle
}
