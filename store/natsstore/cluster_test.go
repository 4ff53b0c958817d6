package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/natsstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

// cluster is three real servers in this process.
type cluster [3]*natsServer

func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{}
	var routes []*url.URL
	var ports []int
	for range c {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		routes = append(routes, &url.URL{Scheme: "nats-route", Host: l.Addr().String()})
		l.Close()
	}
	for i := range c {
		c[i] = &natsServer{options: server.Options{
			ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: t.TempDir(),
			Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: ports[i]}, Routes: routes,
		}}
		c[i].start(t)
		t.Cleanup(c[i].stop)
	}
	return c
}

// connect connects to all three.
func (c *cluster) connect(t *testing.T) jetstream.JetStream {
	t.Helper()
	var urls []string
	for _, s := range c {
		urls = append(urls, "nats://"+s.addr())
	}
	nc, err := nats.Connect(strings.Join(urls, ","), nats.ReconnectWait(20*time.Millisecond), nats.MaxReconnects(-1))
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

// open opens a store that three servers keep, when they have found each other.
func (c *cluster) open(ctx context.Context, t *testing.T) (*natsstore.Store, error) {
	js := c.connect(t)
	o := &natsstore.Options{Replicas: 3, Label: "three servers", AnswerWithin: time.Second}
	for {
		s, err := natsstore.Open(ctx, js, o)
		if err == nil || !errors.Is(err, driver.ErrUnavailable) || ctx.Err() != nil {
			return s, err
		}
	}
}

// leader is the server that leads the bucket.
func (c *cluster) leader(t *testing.T) *natsServer {
	t.Helper()
	var found *natsServer
	until(t, "a leader of the bucket", func() bool {
		for _, s := range c {
			if s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, "KV_ringfence") {
				found = s
			}
		}
		return found != nil
	})
	return found
}

// TestCluster runs the suite on three replicas, of which any answers a read. A
// restart is one of the bucket's leader.
func TestCluster(t *testing.T) {
	c := startCluster(t)
	storetest.Run(t, storetest.Target{
		Open: func(ctx context.Context) (driver.Store, error) { return c.open(ctx, t) },
		Restart: func(context.Context) error {
			c.leader(t).restart(t)
			c.leader(t)
			return nil
		},
	})
}

// TestLeaderIsLost: the servers that remain go on with the leases and the numbers.
func TestLeaderIsLost(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	store, err := c.open(t.Context(), t)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	term := acquire(t, store, "x", "a")
	c.leader(t).stop()
	until(t, "the lease to be renewed by another leader", func() bool {
		_, err := store.Renew(t.Context(), term, lease)
		if errors.Is(err, driver.ErrEnded) {
			t.Fatalf("renew after the loss of the leader: %v", err)
		}
		return err == nil
	})
	if err := store.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	if next := acquire(t, store, "x", "b"); next.Token <= term.Token {
		t.Errorf("token %s after %s", next.Token, term.Token)
	}
}
