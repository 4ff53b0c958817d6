package realserver

import (
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// Proxy is a network between a client and a server that a test can break. It
// carries any protocol over TCP.
type Proxy struct {
	ln net.Listener

	mu       sync.Mutex
	upstream string
	mode     mode
	links    map[*link]struct{}
	scissors map[Way]*scissors
	tape     map[Way][]byte // nil where nothing is kept
}

type mode int

const (
	forwarding mode = iota
	blackholed
	replyless
	refusing
)

// link is one connection, in two halves. A half that has swallowed anything
// swallows all that follows: its stream makes no sense any more.
type link struct {
	client, server           net.Conn
	lostRequest, lostReplies bool
}

// NewProxy starts a proxy to upstream, a host and port, which ends with the test.
func NewProxy(t testing.TB, upstream string) *Proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("realserver: %v", err)
	}
	p := &Proxy{ln: ln, upstream: upstream, links: make(map[*link]struct{})}
	t.Cleanup(func() { ln.Close(); p.Refuse() })
	go p.serve()
	return p
}

// Addr is the host and port to connect to.
func (p *Proxy) Addr() string { return p.ln.Addr().String() }

// Blackhole swallows everything both ways and keeps all connections open, like
// a network that drops packets: a caller waits for ever.
func (p *Proxy) Blackhole() { p.set(blackholed) }

// DropReplies forwards every request and swallows every reply: what was asked
// for is done, and the caller never learns it.
func (p *Proxy) DropReplies() { p.set(replyless) }

// Dropped reports whether a reply was swallowed on a connection that is still open: only
// then does Heal not let through what has just been answered.
func (p *Proxy) Dropped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if l.lostReplies {
			return true
		}
	}
	return false
}

// Refuse resets all connections, and each new one as soon as it is made.
func (p *Proxy) Refuse() { p.set(refusing); p.Cut() }

// Cut resets all connections. New ones go through as the mode has it.
func (p *Proxy) Cut() { p.reset(func(*link) bool { return true }) }

// Heal forwards again. Connections that have lost bytes are reset, the others
// go on. A cut that has not come is called off.
func (p *Proxy) Heal() {
	p.set(forwarding)
	p.callOff()
	p.reset(func(l *link) bool { return l.lostRequest || l.lostReplies })
}

// Retarget sends new connections to another upstream; the others stay.
func (p *Proxy) Retarget(upstream string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.upstream = upstream
}

func (p *Proxy) set(m mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = m
}

func (p *Proxy) reset(which func(*link) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if which(l) {
			delete(p.links, l)
			hangUp(l.client)
			hangUp(l.server)
		}
	}
}

// hangUp closes with a reset, which a peer notices at once.
func hangUp(c net.Conn) {
	_ = c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

func (p *Proxy) serve() {
	for {
		client, err := p.ln.Accept()
		if err != nil {
			return
		}
		go p.connect(client)
	}
}

func (p *Proxy) connect(client net.Conn) {
	p.mu.Lock()
	upstream := p.upstream
	p.mu.Unlock()
	server, err := net.DialTimeout("tcp", upstream, 10*time.Second)
	if err != nil {
		hangUp(client)
		return
	}
	l := &link{client: client, server: server}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mode == refusing {
		hangUp(client)
		hangUp(server)
		return
	}
	p.links[l] = struct{}{}
	go p.carry(l, Requests, server, client, &l.lostRequest, blackholed)
	go p.carry(l, Replies, client, server, &l.lostReplies, blackholed, replyless)
}

// carry copies one half of a link until it ends, except in the given modes. The
// end of a stream is news like any other: a half that swallows keeps it quiet.
func (p *Proxy) carry(l *link, way Way, to, from net.Conn, lost *bool, except ...mode) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		*lost = *lost || slices.Contains(except, p.mode)
		swallow := *lost
		passes, cut := p.measure(way, buf[:n], swallow)
		p.mu.Unlock()
		if !swallow {
			_, _ = to.Write(passes) // when to is gone, its own half says so
		}
		if cut != nil {
			close(cut)
			p.endAll()
			return
		}
		if err != nil && !swallow {
			p.end(l)
		}
		if err != nil {
			return
		}
	}
}

// end closes both sides in order, so that what is on its way still arrives.
func (p *Proxy) end(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
	l.client.Close()
	l.server.Close()
}
