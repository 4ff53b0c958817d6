package natsstore_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// serverFolder is the variable that makes the test binary a nats-server with its
// files in the given folder.
const serverFolder = "NATSSTORE_TEST_SERVER_FOLDER"

// TestServerProcess is no test but the server of the tests below. It ends with
// its standard input, which the end of the test binary closes.
func TestServerProcess(t *testing.T) {
	folder := os.Getenv(serverFolder)
	if folder == "" {
		return
	}
	s := &natsServer{options: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: folder, NoSigs: true, NoLog: true,
	}}
	s.start(t)
	fmt.Println("address", s.addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// startProcess starts a server as a process of its own, to be killed.
func startProcess(t *testing.T, folder string) (addr string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestServerProcess$")
	cmd.Env = append(os.Environ(), serverFolder+"="+folder)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = stdin.Close()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if addr, ok := strings.CutPrefix(lines.Text(), "address "); ok {
			return addr, kill
		}
	}
	t.Fatal("the server's process ended before it was up")
	return "", nil
}

// TestKilledServer: what was acknowledged is there after the server was killed,
// with the settings that it has by default.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	addr, kill := startProcess(t, folder)
	var none natsServer
	store := open(t, none.connect(t, addr), nil)
	term := acquire(t, store, "held", "a")
	gone := acquire(t, store, "released", "a")
	if err := store.Release(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	kill()
	addr, _ = startProcess(t, folder)
	store = open(t, none.connect(t, addr), nil)
	if _, err := store.Renew(t.Context(), term, lease); err != nil {
		t.Errorf("renew after the server was killed: %v", err)
	}
	if rec, err := store.Inspect(t.Context(), "released"); err != nil || rec.State != driver.Released || rec.Token != gone.Token {
		t.Errorf("the record of a released name is %+v, %v", rec, err)
	}
	if next := acquire(t, store, "released", "b"); next.Token <= gone.Token {
		t.Errorf("token %s after %s", next.Token, gone.Token)
	}
}

// restored starts a server on a copy of files that it had before.
func restored(t *testing.T, folder, older string) (addr string, kill func()) {
	t.Helper()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(folder, os.DirFS(older)); err != nil {
		t.Fatal(err)
	}
	return startProcess(t, folder)
}

// TestOlderCopy: an older copy of the bucket comes back, twice, to programs that
// know nothing of what was lost. The clock lends the floor. (The numbers of a new
// bucket are ahead of the clock for a minute; here its floor is taken back.)
func TestOlderCopy(t *testing.T) {
	t.Parallel()
	folder, older := t.TempDir(), t.TempDir()+"/older"
	var none natsServer
	addr, kill := startProcess(t, folder)
	js := none.connect(t, addr)
	store := open(t, js, nil)
	id, err := store.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "$KV.ringfence.floor", []byte(`{"floor":"5","bucket":"`+id.Current+`"}`)); err != nil {
		t.Fatal(err)
	}
	first := acquire(t, store, "x", "a")
	kill()
	if err := os.CopyFS(older, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	last := first
	for round := range 2 {
		addr, kill = restored(t, folder, older)
		store := open(t, none.connect(t, addr), nil)
		if err := store.Release(t.Context(), first); err != nil {
			t.Fatalf("the copy holds the first lease: %v", err)
		}
		next := acquire(t, store, "x", fmt.Sprint("b", round))
		if next.Token <= last.Token {
			t.Errorf("round %d: token %s after %s", round, next.Token, last.Token)
		}
		last = next
		kill()
	}
}

// TestLossUnderAClient: the client has seen what an older copy lacks. It notices
// that at the reconnect, also while the numbers are ahead of the clock.
func TestLossUnderAClient(t *testing.T) {
	t.Parallel()
	folder, older := t.TempDir(), t.TempDir()+"/older"
	var none natsServer
	addr, kill := startProcess(t, folder)
	proxy := realserver.NewProxy(t, addr)
	store := open(t, none.connect(t, proxy.Addr()), nil)
	kill()
	if err := os.CopyFS(older, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	var last driver.Term
	for round := range 3 {
		addr, kill = restored(t, folder, older)
		proxy.Retarget(addr)
		var next driver.Term
		until(t, "a grant after the reconnect", func() (ok bool) {
			var err error
			next, err = store.Acquire(t.Context(), request("x", fmt.Sprint("a", round)))
			return err == nil
		})
		if next.Token <= last.Token {
			t.Errorf("round %d: token %s after %s", round, next.Token, last.Token)
		}
		last = next
		kill()
	}
}

// TestLossBehindAWrite: the connection comes back between a step's look at the bucket
// and its write, which then stands in the place of a grant that was lost.
func TestLossBehindAWrite(t *testing.T) {
	t.Parallel()
	folder, older := t.TempDir(), t.TempDir()+"/older"
	var none natsServer
	addr, kill := startProcess(t, folder)
	proxy := realserver.NewProxy(t, addr)
	js := none.connect(t, proxy.Addr())
	store := open(t, js, nil)
	kill()
	if err := os.CopyFS(older, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	addr, kill = restored(t, folder, older)
	proxy.Retarget(addr)
	var lost driver.Term
	until(t, "a grant after the reconnect", func() (ok bool) {
		var err error
		lost, err = store.Acquire(t.Context(), request("lost", "a"))
		return err == nil
	})
	var once sync.Once
	store.BeforeWrite(func(name string) {
		if name != "stray" {
			return
		}
		once.Do(func() {
			before := js.Conn().Stats().Reconnects
			kill()
			addr, kill = restored(t, folder, older)
			proxy.Retarget(addr)
			until(t, "the reconnect", func() bool { return js.Conn().Stats().Reconnects > before && js.Conn().IsConnected() })
		})
	})
	until(t, "a grant of another name", func() bool {
		_, err := store.Acquire(t.Context(), request("stray", "b"))
		return err == nil
	})
	until(t, "a grant of the lost name", func() bool {
		next, err := store.Acquire(t.Context(), request("lost", "c"))
		if err == nil && next.Token <= lost.Token {
			t.Errorf("token %s after %s", next.Token, lost.Token)
		}
		return err == nil
	})
	kill()
}

// TestAnotherBucketIsNoticed: after a reconnect the bucket's record turns out to
// be that of another bucket, as on a mirror that was made a stream of its own.
func TestAnotherBucketIsNoticed(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	store := open(t, js, nil)
	const was = "KV_ringfence of 2020-01-01T00:00:00Z"
	record := func() error {
		_, err := js.Publish(t.Context(), "$KV.ringfence.floor", []byte(`{"floor":"5","bucket":"`+was+`"}`), jetstream.WithRetryAttempts(20))
		return err
	}
	if err := record(); err != nil {
		t.Fatal(err)
	}
	s.restart(t)
	until(t, "a grant after the reconnect", func() bool {
		_, err := store.Acquire(t.Context(), driver.Request{Name: "x", Attempt: "a", TTL: lease})
		return err == nil
	})
	id, err := store.Identity(t.Context())
	if err != nil || id.Previous != was || id.Current == was || id.ChangedAt.IsZero() || id.Floor <= 5 {
		t.Errorf("identity %+v, %v; want the change, with a new floor", id, err)
	}
}
