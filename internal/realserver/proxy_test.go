package realserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// quiet is how long a test listens to hear nothing.
const quiet = 100 * time.Millisecond

// echoServer answers every line with its name and the line, and reports each
// line that reached it.
func echoServer(t *testing.T, name string) (addr string, reached <-chan string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	lines := make(chan string, 100)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for in := bufio.NewScanner(conn); in.Scan(); {
					lines <- in.Text()
					fmt.Fprintf(conn, "%s:%s\n", name, in.Text())
				}
			}()
		}
	}()
	return ln.Addr().String(), lines
}

// caller is one connection through the proxy.
type caller struct {
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, p *Proxy) caller {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return caller{conn, bufio.NewReader(conn)}
}

// ask sends a line and returns the answer to it.
func (c caller) ask(line string, limit time.Duration) (string, error) {
	if _, err := fmt.Fprintln(c, line); err != nil {
		return "", err
	}
	if err := c.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return "", err
	}
	answer, err := c.in.ReadString('\n')
	return answer, err
}

func (c caller) mustGet(t *testing.T, line, want string) {
	t.Helper()
	if got, err := c.ask(line, 10*time.Second); err != nil || got != want+"\n" {
		t.Errorf("ask %q: got %q, %v, want %q", line, got, err, want)
	}
}

func (c caller) mustHearNothing(t *testing.T, line string) {
	t.Helper()
	if got, err := c.ask(line, quiet); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("ask %q: got %q, %v, want silence", line, got, err)
	}
}

func (c caller) mustBeReset(t *testing.T) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err := c.in.ReadString('\n')
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v, want a reset connection", err)
	}
}

func TestProxyForwards(t *testing.T) {
	t.Parallel()
	addr, _ := echoServer(t, "s")
	c := dial(t, NewProxy(t, addr))
	c.mustGet(t, "one", "s:one")
	c.mustGet(t, "two", "s:two")
}

func TestProxyPassesOnTheEndOfAStream(t *testing.T) {
	t.Parallel()
	addr, _ := echoServer(t, "s")
	p := NewProxy(t, addr)
	c := dial(t, p)
	c.mustGet(t, "one", "s:one")
	p.mu.Lock()
	for l := range p.links {
		l.server.Close()
	}
	p.mu.Unlock()
	if _, err := c.in.ReadString('\n'); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want the end of the stream", err)
	}
}

func TestProxyBlackholeSwallowsBothWays(t *testing.T) {
	t.Parallel()
	addr, reached := echoServer(t, "s")
	p := NewProxy(t, addr)
	used, idle := dial(t, p), dial(t, p)
	used.mustGet(t, "before", "s:before")
	idle.mustGet(t, "idle before", "s:idle before")
	<-reached
	<-reached
	p.Blackhole()
	used.mustHearNothing(t, "lost")
	fresh := dial(t, p)
	fresh.mustHearNothing(t, "lost too")
	select {
	case line := <-reached:
		t.Errorf("the server got %q", line)
	default:
	}
	p.Heal()
	used.mustBeReset(t)
	fresh.mustBeReset(t)
	idle.mustGet(t, "after", "s:after")
	dial(t, p).mustGet(t, "new", "s:new")
}

func TestProxyDropRepliesForwardsRequests(t *testing.T) {
	t.Parallel()
	addr, reached := echoServer(t, "s")
	p := NewProxy(t, addr)
	p.DropReplies()
	c := dial(t, p)
	for _, line := range []string{"first", "second"} {
		c.mustHearNothing(t, line)
		if got := <-reached; got != line {
			t.Errorf("the server got %q, want %q", got, line)
		}
	}
	p.Heal()
	c.mustBeReset(t)
	dial(t, p).mustGet(t, "new", "s:new")
}

func TestProxyCutResetsWhatIsOpen(t *testing.T) {
	t.Parallel()
	addr, _ := echoServer(t, "s")
	p := NewProxy(t, addr)
	c := dial(t, p)
	c.mustGet(t, "one", "s:one")
	p.Cut()
	c.mustBeReset(t)
	dial(t, p).mustGet(t, "new", "s:new")
}

func TestProxyRefuseResetsWhatComes(t *testing.T) {
	t.Parallel()
	addr, reached := echoServer(t, "s")
	p := NewProxy(t, addr)
	p.Refuse()
	mustHangUp(t, p)
	p.Heal()
	dial(t, p).mustGet(t, "new", "s:new")
	if got := <-reached; got != "new" {
		t.Errorf("the server got %q, want only what came after", got)
	}
}

func TestProxyRetargetMovesNewConnections(t *testing.T) {
	t.Parallel()
	one, _ := echoServer(t, "one")
	two, _ := echoServer(t, "two")
	p := NewProxy(t, one)
	old := dial(t, p)
	old.mustGet(t, "x", "one:x")
	p.Retarget(two)
	old.mustGet(t, "y", "one:y")
	dial(t, p).mustGet(t, "z", "two:z")
}

func TestProxyWithoutUpstreamHangsUp(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	mustHangUp(t, NewProxy(t, addr))
}

// mustHangUp connects and is reset, at once or when it listens.
func mustHangUp(t *testing.T, p *Proxy) {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err == nil {
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		_, err = io.ReadAll(conn)
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a reset connection", err)
	}
}
