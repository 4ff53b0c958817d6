package zkstore

import (
	"context"
	"math"
	"sync"
	"time"
)

// places are those of this process in the lines for names.
type places struct {
	mu  sync.Mutex
	all map[waits]*place
}

// waits is who waits for what.
type waits struct{ name, attempt string }

// place is what is known of one.
type place struct {
	own     string        // its znode; "" where that is not known, or not there any more
	firstAt uint64        // the connection on which it was found to be first in line
	keep    time.Duration // for how long it was kept last
	since   time.Time
	until   *time.Timer   // removes it when nothing is heard of its owner
	changed chan struct{} // closed when own is another one
}

// hold says that an attempt waits, and for how long its place is kept; and returns what
// was known of it.
func (p *places) hold(s *Store, name, attempt string, keep time.Duration) (had place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	who := waits{name, attempt}
	own := p.all[who]
	if own == nil {
		own = &place{changed: make(chan struct{}), since: time.Now()}
		own.until = time.AfterFunc(math.MaxInt64, func() { s.life.Start(func() { s.lapse(name, attempt) }) })
		if p.all == nil {
			p.all = map[waits]*place{}
		}
		p.all[who] = own
	}
	had = *own
	own.keep = keep
	own.until.Reset(keep)
	return had
}

// note says which znode is the place of an attempt; "" where it has none.
func (p *places) note(name, attempt, znode string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.all[waits{name, attempt}]
	if own == nil || own.own == znode {
		return
	}
	own.own, own.firstAt, own.since = znode, 0, time.Now()
	close(own.changed)
	own.changed = make(chan struct{})
}

// found says that a place is the first in line, and will be while the connection lasts.
func (p *places) found(name, attempt, znode string, connection uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.all[waits{name, attempt}]; own != nil && own.own == znode {
		own.firstAt = connection
	}
}

// first is the znode of an attempt that is known to be the first in line, or "".
func (p *places) first(name, attempt string, connection uint64) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.all[waits{name, attempt}]; own != nil && own.firstAt == connection {
		return own.own
	}
	return ""
}

// changes is closed when an attempt gets another place; nil where nothing is known of it.
func (p *places) changes(name, attempt string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.all[waits{name, attempt}]; own != nil {
		return own.changed
	}
	return nil
}

// drop forgets the place of an attempt, and reports whether there was one.
func (p *places) drop(name, attempt string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	who := waits{name, attempt}
	own := p.all[who]
	if own == nil {
		return false
	}
	own.until.Stop()
	close(own.changed)
	delete(p.all, who)
	return true
}

// lapse removes a place whose owner has been silent for too long. One that stayed would be
// in the way of those behind it for as long as the session lasts, so it goes on until the
// znode is gone.
func (s *Store) lapse(name, attempt string) {
	ctx := s.life.Context()
	s.places.drop(name, attempt)
	for s.leaveLine(ctx, name, attempt) != nil {
		if pauseAfter(ctx); ctx.Err() != nil {
			return
		}
	}
}

// retryAfter is how long to pause after an error of what goes on in the background.
const retryAfter = 100 * time.Millisecond

// pauseAfter lets others go first. It is cut short by the end of ctx.
func pauseAfter(ctx context.Context) {
	select {
	case <-time.After(retryAfter):
	case <-ctx.Done():
	}
}
