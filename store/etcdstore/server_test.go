package etcdstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

func connect(t *testing.T, etcd *realserver.Etcd) *clientv3.Client {
	t.Helper()
	return connectTo(t, clientv3.Config{Endpoints: etcd.Endpoints()})
}

func connectTo(t *testing.T, c clientv3.Config) *clientv3.Client {
	t.Helper()
	c.Logger = zap.NewNop()
	client, err := clientv3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func open(t *testing.T, client *clientv3.Client, o *etcdstore.Options) *etcdstore.Store {
	t.Helper()
	var s *etcdstore.Store
	until(t, "a server that answers", func() (opened bool) {
		var err error
		if s, err = etcdstore.Open(t.Context(), client, o); err != nil && !errors.Is(err, driver.ErrUnavailable) {
			t.Fatal(err)
		}
		return err == nil
	})
	t.Cleanup(func() { s.Close() })
	return s
}

func request(name string, ttl time.Duration) driver.Request {
	return driver.Request{Name: name, Attempt: rand.Text(), Holder: "test", TTL: ttl}
}

func acquire(t *testing.T, s driver.Store, r driver.Request) driver.Term {
	t.Helper()
	term, err := s.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return term
}

func release(t *testing.T, s driver.Store, term driver.Term) {
	t.Helper()
	if err := s.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
}

// until polls what a server decides.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited for %s", what)
		}
	}
}

func wants(t *testing.T, err, want error, what string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v; want %v", what, err, want)
	}
}

func withCancel(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}
