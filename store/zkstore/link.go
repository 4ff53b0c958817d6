package zkstore

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/store/internal/life"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
)

// link is the connection of a store to the ensemble. The client goes from server to
// server by itself, and opens a new session by itself where the old one has expired.
// It never gives up what it has seen: an ensemble whose state was put back to an
// older copy refuses it for ever. So one that finds no session for as long as a
// session lives is replaced.
type link struct {
	dial    func(zk.EventCallback) (*zk.Conn, error)
	auth    []Auth
	timeout time.Duration // of a session

	mu      sync.Mutex
	conn    *zk.Conn
	number  int       // of conn
	session bool      // conn has one
	trusted bool      // conn has sent its credentials
	refused error     // the ensemble does not take the credentials; they are sent again a session later
	since   time.Time // when the connection was last there
	epoch   uint64    // rises with each loss of a connection
	changed chan struct{}
	closed  bool
}

func newLink(servers []string, o Options) *link {
	l := &link{timeout: o.SessionTimeout, auth: o.Auth, epoch: 1, changed: make(chan struct{})}
	dialer := func(network, address string, timeout time.Duration) (net.Conn, error) {
		conn, err := o.Dial(network, address, timeout)
		return &greeting{Conn: conn, within: o.SessionTimeout * 2 / 3}, err
	}
	l.dial = func(callback zk.EventCallback) (*zk.Conn, error) {
		conn, _, err := zk.Connect(servers, o.SessionTimeout, zk.WithLogger(silent{}), zk.WithLogInfo(false),
			zk.WithHostProvider(new(hosts)), zk.WithDialer(dialer), zk.WithEventCallback(callback))
		return conn, err
	}
	return l
}

// greeting is a connection on which the client waits for the first answer no longer
// than for each later one. By itself it waits for seven sessions: a server that is stopped
// accepts connections, and would hold it up for that long.
type greeting struct {
	net.Conn
	within time.Duration
	over   bool
}

// SetReadDeadline is called by one goroutine after the other.
func (g *greeting) SetReadDeadline(t time.Time) error {
	if !g.over && !t.IsZero() {
		g.over = true
		if soon := time.Now().Add(g.within); soon.Before(t) {
			t = soon
		}
	}
	return g.Conn.SetReadDeadline(t)
}

// silent keeps the client's log out of the program's.
type silent struct{}

func (silent) Printf(string, ...any) {}

// hosts hands out the servers in turn. Their names are looked up at each connection.
type hosts struct {
	mu        sync.Mutex
	all       []string
	next      int
	connected int // the one before which a round has ended
}

func (h *hosts) Init(servers []string) error {
	h.all, h.connected = servers, -1
	return nil
}

func (h *hosts) Len() int { return len(h.all) }

// Next returns the next server. After a whole round without a connection it asks
// for a pause.
func (h *hosts) Next() (server string, pause bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	pause = h.next == h.connected
	if h.connected < 0 {
		h.connected = h.next
	}
	server = h.all[h.next]
	h.next = (h.next + 1) % len(h.all)
	return server, pause
}

// Connected begins a new round, which ends with this server.
func (h *hosts) Connected() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.connected = (h.next + len(h.all) - 1) % len(h.all)
}

func (l *link) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open()
}

// open connects anew. The caller holds the lock.
func (l *link) open() error {
	l.number++
	number := l.number
	conn, err := l.dial(func(e zk.Event) { l.happened(number, e) })
	if err != nil {
		return err
	}
	if l.conn != nil {
		go l.conn.Close() // it waits for an answer
	}
	l.conn, l.session, l.trusted, l.refused, l.since = conn, false, len(l.auth) == 0, nil, time.Now()
	l.epoch++
	if !l.trusted {
		go l.introduce(conn, number)
	}
	return nil
}

// introduce sends the credentials, which the client then repeats by itself.
func (l *link) introduce(conn *zk.Conn, number int) {
	for _, a := range l.auth {
		err := zk.ErrConnectionClosed
		for err == zk.ErrConnectionClosed || err == zk.ErrNoServer {
			if err = conn.AddAuth(a.Scheme, []byte(a.Secret)); err != nil && l.over(number) {
				return
			}
		}
		if err != nil {
			l.change(number, func() { l.refused = judge(err) })
			return
		}
	}
	l.change(number, func() { l.trusted = true })
}

// over reports whether conn has been replaced or closed.
func (l *link) over(number int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed || l.number != number
}

// happened notes what the client tells of a connection.
func (l *link) happened(number int, e zk.Event) {
	if e.Type != zk.EventSession {
		return
	}
	l.change(number, func() {
		has := e.State == zk.StateHasSession
		if l.session && !has {
			l.epoch++
			l.since = time.Now()
		}
		l.session = has
		if e.State == zk.StateAuthFailed {
			l.refused = judge(zk.ErrAuthFailed)
		}
	})
}

// change makes a change that those who wait for one shall see.
func (l *link) change(number int, f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.number != number || l.closed {
		return
	}
	f()
	close(l.changed)
	l.changed = make(chan struct{})
}

// get returns a connection that has a session, and waits for one while ctx lasts.
func (l *link) get(ctx context.Context) (*zk.Conn, uint64, error) {
	for {
		conn, epoch, changed, err := l.look()
		if conn != nil || err != nil {
			return conn, epoch, err
		}
		t := time.NewTimer(l.timeout)
		select {
		case <-changed:
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return nil, 0, errCut
		}
		t.Stop()
	}
}

// look is get as it is now: without a session conn is nil, and changed says when to
// look again.
func (l *link) look() (conn *zk.Conn, epoch uint64, changed <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, 0, nil, life.ErrClosed
	case l.refused != nil && time.Since(l.since) < l.timeout:
		return nil, 0, nil, l.refused
	case l.session && l.trusted:
		return l.conn, l.epoch, nil, nil
	case (!l.session || l.refused != nil) && time.Since(l.since) >= l.timeout:
		if err := l.open(); err != nil {
			return nil, 0, nil, ruling.Unavailable(err)
		}
	}
	return nil, 0, l.changed, nil
}

// now is the number of the present connection.
func (l *link) now() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.epoch
}

func (l *link) close() {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.closed = true
	conn := l.conn
	close(l.changed)
	l.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
}
