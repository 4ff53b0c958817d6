package realserver

import (
	"io"
	"testing"
	"time"
)

// TestProxyCutsAtAByte: what comes before the byte arrives, on either side, and
// nothing after it. What has passed is on the tape.
func TestProxyCutsAtAByte(t *testing.T) {
	t.Parallel()
	for way, want := range map[Way]struct{ asked, answered string }{
		Requests: {"one\ntw", "s:one\n"},
		Replies:  {"one\ntwo\n", "s:one\ns:"},
	} {
		addr, reached := echoServer(t, "s")
		p := NewProxy(t, addr)
		c := dial(t, p)
		stop := p.Tape()
		cut := p.CutAfter(way, map[Way]int{Requests: len("one\ntw"), Replies: len("s:one\ns:")}[way])
		c.mustGet(t, "one", "s:one")
		if got := <-reached; got != "one" {
			t.Errorf("the server got %q", got)
		}
		select {
		case <-cut:
			t.Error("cut too early")
		default:
		}
		if _, err := io.WriteString(c, "two\n"); err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		rest, err := io.ReadAll(c.in)
		if got := "s:one\n" + string(rest); got != want.answered {
			t.Errorf("the client got %q, %v; want %q", got, err, want.answered)
		}
		<-cut
		if tape := stop(); string(tape[Requests]) != want.asked || string(tape[Replies]) != want.answered {
			t.Errorf("passed: %q; want %+v", tape, want)
		}
		dial(t, p).mustGet(t, "new", "s:new")
	}
}

func TestProxyHealCallsACutOff(t *testing.T) {
	t.Parallel()
	addr, _ := echoServer(t, "s")
	p := NewProxy(t, addr)
	c := dial(t, p)
	p.CutAfter(Requests, 0)
	p.Heal()
	c.mustGet(t, "one", "s:one")
}
