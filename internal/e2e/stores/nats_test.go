package stores

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/natsstore"
)

var natsColumn = column{
	name: "NATS", page: "nats.md",
	start: startNATS,
	lacks: map[string]string{"K": composed, "R13": noLine, "R26": noZones, "L3": quorum, "L6": notEvicting, "L7": noClock},
}

// natsFolder is the variable that makes the test binary a nats-server with its files
// in the given folder, and natsPort the port that it listens on.
const natsFolder, natsPort = "RINGFENCE_E2E_NATS_FOLDER", "RINGFENCE_E2E_NATS_PORT"

// TestNATSServerProcess is no test but a server, so that it can be killed. It ends
// with its standard input, which the end of the test binary closes.
func TestNATSServerProcess(t *testing.T) {
	folder := os.Getenv(natsFolder)
	if folder == "" {
		return
	}
	port := server.RANDOM_PORT
	if text := os.Getenv(natsPort); text != "" {
		_, _ = fmt.Sscan(text, &port)
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: folder, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		t.Fatal("the nats-server does not accept connections")
	}
	fmt.Println("address", s.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// natsServer is a nats-server in a process of its own.
type natsServer struct {
	t            *testing.T
	folder, addr string
	end          func()
}

func newNATS(t *testing.T) *natsServer {
	t.Helper()
	s := &natsServer{t: t, folder: t.TempDir()}
	s.start()
	t.Cleanup(func() { s.end() })
	return s
}

// start starts the server, at its address of before.
func (s *natsServer) start() {
	s.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestNATSServerProcess$")
	_, port, _ := strings.Cut(s.addr, ":")
	cmd.Env = append(os.Environ(), natsFolder+"="+s.folder, natsPort+"="+port)
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		s.t.Fatal(err)
	}
	s.end = func() {
		_ = cmd.Process.Kill()
		_ = stdin.Close()
		_ = cmd.Wait()
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if addr, ok := strings.CutPrefix(lines.Text(), "address "); ok {
			s.addr = addr
			return
		}
	}
	s.end()
	s.t.Fatal("the nats-server ended before it was up")
}

// replace kills the server and starts it on a copy of other files, or on none.
func (s *natsServer) replace(files string) {
	s.t.Helper()
	s.end()
	err := os.RemoveAll(s.folder)
	if files != "" {
		err = errors.Join(err, os.CopyFS(s.folder, os.DirFS(files)))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.start()
}

func startNATS(t *testing.T) func(*testing.T, bool) *site {
	shared := newNATS(t)
	return func(t *testing.T, own bool) *site {
		if own {
			return natsSite(t, newNATS(t), "ringfence")
		}
		return natsSite(t, shared, apart())
	}
}

func natsSite(t *testing.T, server *natsServer, bucket string) *site {
	at := &site{addr: server.addr}
	at.opens = func(t *testing.T, addr string) (driver.Store, error) {
		return natsstore.Open(t.Context(), dialNATS(t, addr), &natsstore.Options{Bucket: bucket})
	}
	at.behindProxy()
	at.kill = func() { server.end(); server.start() }
	at.keep = func() func() {
		older := filepath.Join(t.TempDir(), "older")
		server.end()
		if err := os.CopyFS(older, os.DirFS(server.folder)); err != nil {
			t.Fatal(err)
		}
		server.start()
		return func() { server.replace(older) }
	}
	at.age = func() { // the floor of a new bucket lies a minute ahead of the clock
		kv, err := dialNATS(t, at.addr).KeyValue(t.Context(), bucket)
		var found jetstream.KeyValueEntry
		if err == nil {
			found, err = kv.Get(t.Context(), "floor")
		}
		var record map[string]any
		if err == nil {
			err = json.Unmarshal(found.Value(), &record)
		}
		delete(record, "fresh")
		record["floor"] = "5"
		body, _ := json.Marshal(record)
		if err == nil {
			_, err = kv.Put(t.Context(), "floor", body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	at.flush = func() {
		stream, err := dialNATS(t, at.addr).Stream(t.Context(), "KV_"+bucket)
		if err == nil {
			err = stream.Purge(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	at.forget = func() {
		kv, err := dialNATS(t, at.addr).KeyValue(t.Context(), bucket)
		if err == nil {
			err = kv.Purge(t.Context(), "floor")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return at
}

func dialNATS(t *testing.T, addr string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect("nats://"+addr, nats.ReconnectWait(20*time.Millisecond), nats.MaxReconnects(-1), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
