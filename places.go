package ringfence

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

const (
	// placeKept is how long a place in line lasts without a word of its owner: what one
	// that has vanished costs those behind it, however long any lease is. It has then
	// missed to say three times that it lives.
	placeKept = 10 * time.Second
	// placeAgain is how often a waiter says so.
	placeAgain = 3 * time.Second
	// placeAnswer is how long the answer may take, however long others may: the next word is
	// only sent after it, and has to come before a place lapses.
	placeAnswer = placeKept / 2
)

// places keeps the places of all that wait through a Locker, many with one request, and
// learns how many are before each. It has one timer, and none where nobody waits; what
// one waiter does, or fails to do, keeps no other's place from being kept.
type places struct {
	l        *Locker
	queue    driver.Queue      // nil where the store keeps no lines
	together driver.BatchQueue // nil where it keeps places one by one
	most     int               // places in a call
	atOnce   int               // calls under way

	mu      sync.Mutex
	all     []*line // in the order in which they came
	running bool    // a timer is set, or its work under way
}

func newPlaces(l *Locker) *places {
	p := &places{l: l, most: 1, atOnce: singlesAtOnce}
	p.queue, _ = l.store.(driver.Queue)
	if p.together, _ = l.store.(driver.BatchQueue); p.together != nil {
		p.most, p.atOnce = batchSize, batchesAtOnce
	}
	return p
}

// add begins to keep the place of n.
func (p *places) add(n *line, at driver.Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n.held, n.ahead, n.waited = true, at.Ahead, at.Waited
	p.all = append(p.all, n)
	if !p.running {
		p.running = true
		time.AfterFunc(placeAgain, p.keep)
	}
}

// drop ends that, and returns what is closed when nothing more can come of what was said
// of the place; nil where nothing can now.
func (p *places) drop(n *line) (asked chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !n.held {
		return nil
	}
	n.held = false
	p.all = slices.DeleteFunc(p.all, func(m *line) bool { return m == n })
	return n.asked
}

// advance notes that the first in the line for name was served.
func (p *places) advance(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.all {
		if n.req.Name == name {
			n.ahead = max(n.ahead-1, 0)
		}
	}
}

// freed tells the next in line, if it waits in this process, that the process has given
// the name back. Where the store gives hints it has one.
func (p *places) freed(name string) {
	if _, hinted := p.l.store.(driver.Watcher); hinted {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.all {
		if n.req.Name == name && n.ahead == 0 {
			n.tell()
		}
	}
}

func (p *places) has(n *line) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return n.held
}

func (p *places) ahead(n *line) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return n.ahead
}

// keep says of all places that their owners live, and does so again after a while. What
// could not be said is tried again sooner.
func (p *places) keep() {
	began := p.l.now()
	p.mu.Lock()
	lines := slices.Clone(p.all)
	p.mu.Unlock()
	failed := false
	var calls sync.WaitGroup
	free := make(chan struct{}, p.atOnce)
	for some := range slices.Chunk(lines, p.most) {
		free <- struct{}{}
		calls.Go(func() {
			if !p.say(some) {
				p.mu.Lock()
				failed = true
				p.mu.Unlock()
			}
			<-free
		})
	}
	calls.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running = len(p.all) > 0; !p.running {
		return
	}
	pause := placeAgain
	if failed {
		pause = placeAgain / 3
	}
	time.AfterFunc(max(pause-p.l.now().elapsed(began), firstPause), p.keep)
}

// say says of some places that their owners live, but for those that have left. It reports
// whether that was answered.
func (p *places) say(some []*line) bool {
	asked := make(chan struct{})
	defer close(asked)
	some, waits := p.asking(some, asked)
	if len(waits) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(p.l.opts.RequestTimeout, placeAnswer))
	defer cancel()
	placed := p.wait(ctx, waits)
	p.mu.Lock()
	defer p.mu.Unlock()
	ok := true
	for i, n := range some {
		n.asked = nil
		if placed[i].Err != nil {
			ok = false // ErrFull too: those who have a place get it back as soon as there is room
			continue
		}
		n.moved(placed[i].Place)
	}
	return ok
}

func (p *places) asking(some []*line, asked chan struct{}) (still []*line, waits []driver.Waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range some {
		if n.held {
			n.asked = asked
			still = append(still, n)
			waits = append(waits, driver.Waiting{Request: n.req, Keep: placeKept})
		}
	}
	return still, waits
}

func (p *places) wait(ctx context.Context, all []driver.Waiting) []driver.Placed {
	if p.together != nil {
		return p.together.WaitAll(ctx, all)
	}
	placed := make([]driver.Placed, len(all))
	for i, w := range all {
		placed[i].Place, placed[i].Err = p.queue.Wait(ctx, w.Request, w.Keep)
	}
	return placed
}

// moved notes where the place is, and tells its owner that it came near the head of the
// line, or is another one. places.mu is locked.
func (n *line) moved(to driver.Place) {
	anew := to.Ahead != n.ahead || to.Waited < n.waited
	n.ahead, n.waited = to.Ahead, to.Waited
	if anew && to.Ahead < pollers {
		n.tell()
	}
}

// tell has the owner of the place ask for the name soon.
func (n *line) tell() {
	select {
	case n.turn <- struct{}{}:
	default: // it has been told
	}
}

// leave gives up the place of r when nothing more can bring it back.
func (p *places) leave(r driver.Request, asked chan struct{}) {
	if asked != nil {
		<-asked
	}
	for try := range maxTries {
		if try > 0 && !sleep(p.l.ctx.Done(), jitter(firstPause<<try)) || p.left(r) {
			return
		}
	}
}

func (p *places) left(r driver.Request) bool {
	ctx, cancel := context.WithTimeout(p.l.ctx, p.l.opts.RequestTimeout)
	defer cancel()
	err := p.queue.Leave(ctx, r.Name, r.Attempt)
	return !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrUnknown)
}
