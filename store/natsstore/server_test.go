package natsstore_test

import (
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// natsServer is a real nats-server in this process.
type natsServer struct {
	options server.Options
	*server.Server
}

// startServer starts a server with JetStream on a free loopback port, which ends
// with the test.
func startServer(t testing.TB) *natsServer {
	t.Helper()
	s := &natsServer{options: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
	}}
	s.start(t)
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *natsServer) start(t testing.TB) {
	t.Helper()
	options := s.options // the server changes its own
	running, err := server.NewServer(&options)
	if err != nil {
		t.Fatalf("make a nats-server: %v", err)
	}
	running.Start()
	if !running.ReadyForConnections(20 * time.Second) {
		t.Fatal("the nats-server does not accept connections")
	}
	s.Server = running
	s.options.Port = running.Addr().(*net.TCPAddr).Port // the same one after a restart
}

func (s *natsServer) stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

func (s *natsServer) restart(t testing.TB) {
	t.Helper()
	s.stop()
	s.start(t)
}

func (s *natsServer) addr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.options.Port))
}

// connect opens a connection of the test's own to an address of the server.
func (s *natsServer) connect(t testing.TB, addr string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect("nats://"+addr, nats.ReconnectWait(20*time.Millisecond), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatalf("connect to the nats-server: %v", err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
