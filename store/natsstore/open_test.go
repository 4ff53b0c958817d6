package natsstore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/natsstore"
)

// TestUnfitBuckets: a bucket whose settings can lose a record is refused.
func TestUnfitBuckets(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	open(t, js, &natsstore.Options{Bucket: "good"})
	good, err := js.Stream(t.Context(), "KV_good")
	if err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func(*jetstream.StreamConfig){
		"forgets records":         func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"drops old records":       func(c *jetstream.StreamConfig) { c.Discard, c.MaxBytes = jetstream.DiscardOld, 1<<20 },
		"made by another":         func(c *jetstream.StreamConfig) { c.FirstSeq = 0 },
		"time to live":            func(c *jetstream.StreamConfig) { c.AllowMsgTTL = false },
		"and that alone":          func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 5 },
		"of each subject":         func(c *jetstream.StreamConfig) { c.AllowDirect = false },
		"the last message":        func(c *jetstream.StreamConfig) { c.Retention = jetstream.InterestPolicy },
		"at most 1000 bytes":      func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1000 },
		"acknowledges no":         func(c *jetstream.StreamConfig) { c.NoAck = true },
		"before they are":         func(c *jetstream.StreamConfig) { c.PersistMode = jetstream.AsyncPersistMode },
		"message of each subject": func(c *jetstream.StreamConfig) { c.AllowRollup = false },
	} {
		t.Run(what, func(t *testing.T) {
			config := good.CachedInfo().Config
			bucket := "bad"
			config.Name, config.Subjects = "KV_"+bucket, []string{"$KV." + bucket + ".>"}
			spoil(&config)
			if _, err := js.CreateStream(t.Context(), config); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = js.DeleteStream(t.Context(), config.Name) }()
			_, err := natsstore.Open(t.Context(), js, &natsstore.Options{Bucket: bucket})
			if !errors.Is(err, driver.ErrUnfit) || !strings.Contains(err.Error(), what) {
				t.Errorf("open: %v; want unfit, because it %q", err, what)
			}
		})
	}
}

// TestForeignBucket: a running store refuses a bucket that another program made
// in the place of its own.
func TestForeignBucket(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	store := open(t, js, nil)
	acquire(t, store, "x", "a")
	if err := js.DeleteKeyValue(t.Context(), "ringfence"); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "ringfence"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "new"} {
		if term, err := store.Acquire(t.Context(), request(name, "b")); !errors.Is(err, driver.ErrUnfit) {
			t.Errorf("acquire in a foreign bucket: %+v, %v; want unfit", term, err)
		}
	}
}

func TestOpenRefusesBadOptions(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	for _, o := range []natsstore.Options{
		{Bucket: "a.b"}, {Bucket: "a b"}, {Bucket: "a/b"}, {Bucket: ">"}, {Bucket: "š"}, {Replicas: -1}, {Replicas: 6}, {AnswerWithin: -1},
	} {
		if _, err := natsstore.Open(t.Context(), js, &o); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%+v: %v; want invalid", o, err)
		}
	}
	if _, err := natsstore.Open(t.Context(), nil, nil); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("no JetStream: %v; want invalid", err)
	}
	if _, err := natsstore.Open(t.Context(), js, &natsstore.Options{NoSetup: true}); !errors.Is(err, driver.ErrUnfit) {
		t.Errorf("no bucket and NoSetup: %v; want unfit", err)
	}
	if p := open(t, js, &natsstore.Options{Label: "leases"}).Properties(); p.Store != "leases" || !p.Durable {
		t.Errorf("properties %+v", p)
	}
	if _, err := natsstore.Open(t.Context(), s.connect(t, s.addr()), &natsstore.Options{NoSetup: true}); err != nil {
		t.Errorf("NoSetup with a bucket: %v", err)
	}
}

func TestClosedConnection(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	store := open(t, js, nil)
	js.Conn().Close()
	if _, err := store.Acquire(t.Context(), request("x", "a")); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("acquire after the connection was closed: %v; want closed", err)
	}
}

// TestPruneLeavesNothing: a removed record leaves a mark with a time to live, so
// that the bucket does not grow with the names that there ever were.
func TestPruneLeavesNothing(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	store := open(t, js, nil)
	if err := store.Release(t.Context(), acquire(t, store, "x", "a")); err != nil {
		t.Fatal(err)
	}
	if n, err := store.Prune(t.Context(), 0, 10); n != 1 || err != nil {
		t.Fatalf("prune: %d, %v; want 1", n, err)
	}
	stream, err := js.Stream(t.Context(), "KV_ringfence")
	if err != nil {
		t.Fatal(err)
	}
	mark, err := stream.GetLastMsgForSubject(t.Context(), "$KV.ringfence.lease.x")
	if err != nil || len(mark.Data) != 0 || mark.Header.Get("Nats-TTL") == "" {
		t.Errorf("the mark is %+v, %v; want one with a time to live", mark, err)
	}
	if n, err := store.Prune(t.Context(), 0, 10); n != 0 || err != nil {
		t.Errorf("prune again: %d, %v; want 0", n, err)
	}
}
