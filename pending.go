package ringfence

import "sync"

// pending counts what is under way for a lease, and lets others wait for its end.
type pending struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when count falls to 0; nil while nobody waits for that
}

func (p *pending) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
}

func (p *pending) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count--; p.count == 0 && p.none != nil {
		close(p.none)
		p.none = nil
	}
}

func (p *pending) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count > 0
}

// await returns when nothing is under way, or done is closed.
func (p *pending) await(done <-chan struct{}) {
	none := p.ended()
	if none == nil {
		return
	}
	select {
	case <-none:
	case <-done:
	}
}

// ended is closed at the end of what is under way, and nil where nothing is.
func (p *pending) ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count > 0 && p.none == nil {
		p.none = make(chan struct{})
	}
	return p.none
}
