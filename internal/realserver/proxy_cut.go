package realserver

import "maps"

// Way is a direction through a [Proxy].
type Way uint8

const (
	Requests Way = iota
	Replies
)

// scissors cut when left bytes have passed and another one comes.
type scissors struct {
	left int
	cut  chan struct{}
}

// CutAfter lets n more bytes pass that way, over all connections, and ends all of them
// when the next one comes: at any byte of what a protocol says. What has passed still
// arrives, and new connections go through. The channel is closed when that byte has
// come, before anybody can notice.
func (p *Proxy) CutAfter(way Way, n int) <-chan struct{} {
	s := &scissors{left: n, cut: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.scissors == nil {
		p.scissors = make(map[Way]*scissors)
	}
	p.scissors[way] = s
	return s.cut
}

func (p *Proxy) callOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.scissors)
}

// Tape keeps what passes from now on, until it is called to return that.
func (p *Proxy) Tape() (stop func() map[Way][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tape = make(map[Way][]byte)
	return func() map[Way][]byte {
		p.mu.Lock()
		defer p.mu.Unlock()
		tape := p.tape
		p.tape = nil
		return tape
	}
}

// measure says how much of what has come passes, and whether that is the end: then it
// returns the channel to close. The lock is held.
func (p *Proxy) measure(way Way, data []byte, swallow bool) (passes []byte, cut chan struct{}) {
	if swallow {
		return data, nil
	}
	if s := p.scissors[way]; s != nil {
		if len(data) > s.left {
			delete(p.scissors, way)
			data, cut = data[:s.left], s.cut
		} else {
			s.left -= len(data)
		}
	}
	if p.tape != nil {
		p.tape[way] = append(p.tape[way], data...)
	}
	return data, cut
}

// endAll ends every connection in order, so that what has passed still arrives.
func (p *Proxy) endAll() {
	p.mu.Lock()
	links := maps.Clone(p.links)
	p.mu.Unlock()
	for l := range links {
		p.end(l)
	}
}
