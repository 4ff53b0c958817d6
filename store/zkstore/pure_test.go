package zkstore

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

var start = fence.Epoch.Add(1000 * time.Hour)

// TestClockBetweenWrites: what is known of the leader's time between two writes lies
// never behind it, and is good for a second.
func TestClockBetweenWrites(t *testing.T) {
	t.Parallel()
	local := start.Add(time.Hour) // an hour off
	c := newClock(func() time.Time { return local })
	far := start.Add(time.Hour)
	if _, known := c.tells(far, 0); known {
		t.Error("a time is known before any write")
	}
	c.note(start, local, 1)
	local = local.Add(300 * time.Millisecond)
	c.note(start.Add(-time.Minute), local.Add(-time.Second), 1) // an older answer that comes late
	at, known := c.tells(far, 1)
	least := start.Add(300 * time.Millisecond)
	if !known || at.Before(least.Add(unit)) || at.After(least.Add(2*unit)) {
		t.Errorf("300 ms after a write that was stamped %s: %s, %t", start, at, known)
	}
	if _, known = c.tells(least, 1); known {
		t.Error("the leader's clock is known to have reached what it may not have")
	}
	if at, known = c.tells(start, 1); !known || !at.Equal(start) {
		t.Errorf("what a stamp has reached: %s, %t", at, known)
	}
	if _, known = c.tells(far, 2); known {
		t.Error("the stamp is good for another connection")
	}
	local = local.Add(time.Second)
	if _, known = c.tells(far, 1); known {
		t.Error("the stamp is good for longer than a second")
	}
}

func TestNamesOfZnodes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, name := range []string{".", "..", "...", "a/b", "a//b", "%2E", "%", "a b", "ä", "\ue000", "zookeeper", "Job", "job"} {
		znode := encode(name)
		if back, ok := decode(znode); back != name || !ok || seen[znode] || znode == "." || znode == ".." {
			t.Errorf("%q is %q, and back %q, %t", name, znode, back, ok)
		}
		seen[znode] = true
	}
	for _, znode := range []string{"a/b", ".", "%2e", "%", "a b"} {
		if name, ok := decode(znode); ok {
			t.Errorf("%q is taken for the name %q", znode, name)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	servers, chroot, err := split("zk1,zk2:2182,[::1]/a/b/")
	if err != nil || len(servers) != 3 || servers[0] != "zk1:2181" || servers[1] != "zk2:2182" || servers[2] != "[::1]:2181" || chroot != "/a/b" {
		t.Errorf("%q, %q, %v", servers, chroot, err)
	}
	for _, bad := range []string{"", "a,,b", "a, b", "a/../b", "a//b//c"} {
		if _, _, err := split(bad); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("address %q: %v", bad, err)
		}
	}
	for _, bad := range []Options{{Prefix: "/a"}, {Prefix: "a/../b"}, {SessionTimeout: time.Millisecond}, {AnswerWithin: time.Hour}} {
		if _, err := bad.withDefaults("a"); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestHostsInTurn: after a round without a connection there is a pause.
func TestHostsInTurn(t *testing.T) {
	t.Parallel()
	h := new(hosts)
	if err := h.Init([]string{"a", "b", "c"}); err != nil || h.Len() != 3 {
		t.Fatal(err, h.Len())
	}
	check := func(want string, pauses bool) {
		t.Helper()
		if server, pause := h.Next(); server != want || pause != pauses {
			t.Errorf("%s, %t; want %s, %t", server, pause, want, pauses)
		}
	}
	check("a", false)
	check("b", false)
	h.Connected()
	check("c", false)
	check("a", false)
	check("b", true)
	check("c", false)
}

// TestGreetingInTime: a server that accepts a connection and says nothing holds the
// client up for as long as it was given, not for as long as the client would wait.
func TestGreetingInTime(t *testing.T) {
	t.Parallel()
	client, server := net.Pipe()
	defer server.Close()
	g := &greeting{Conn: client, within: 10 * time.Millisecond}
	later := time.Now().Add(time.Minute)
	if err := g.SetReadDeadline(later); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || !time.Now().Before(later) {
		t.Errorf("the greeting: %v", err)
	}
	if err := g.SetReadDeadline(later); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = server.Write([]byte{1}) }()
	if _, err := g.Read(make([]byte, 1)); err != nil {
		t.Errorf("what comes after the greeting: %v", err)
	}
}

func TestNoTokenLeft(t *testing.T) {
	t.Parallel()
	if r := judge(stamp.ErrExhausted); r.Kind != driver.ErrUnfit || r.Hint == "" {
		t.Errorf("%+v; want unfit, and what to do", r)
	}
}

// TestRefusedCredentialsAreSentAgain: what an ensemble refuses today it may take after
// its operator has put it right, and no process is started anew for that.
func TestRefusedCredentialsAreSentAgain(t *testing.T) {
	t.Parallel()
	nowhere := func(string, string, time.Duration) (net.Conn, error) { return nil, os.ErrDeadlineExceeded }
	l := newLink([]string{"127.0.0.1:1"}, Options{SessionTimeout: time.Hour, Dial: nowhere})
	if err := l.begin(); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	l.change(l.number, func() { l.refused = errElsewhere })
	if _, _, _, err := l.look(); err != errElsewhere {
		t.Errorf("soon after: %v; want the refusal", err)
	}
	l.since = time.Now().Add(-2 * time.Hour)
	if _, _, changed, err := l.look(); err != nil || changed == nil || l.number != 2 {
		t.Errorf("a session later: %v on connection %d; want another try on connection 2", err, l.number)
	}
}
