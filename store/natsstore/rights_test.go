package natsstore_test

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/store/natsstore"
)

// TestRights: the rights that docs/stores/nats.md names are enough.
func TestRights(t *testing.T) {
	t.Parallel()
	s := &natsServer{options: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Users: []*server.User{{Username: "jobs", Password: "secret", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: []string{
				"$KV.ringfence.>",
				"$JS.API.STREAM.CREATE.KV_ringfence",
				"$JS.API.STREAM.INFO.KV_ringfence",
				"$JS.API.STREAM.MSG.GET.KV_ringfence",
				"$JS.API.DIRECT.GET.KV_ringfence",
				"$JS.API.CONSUMER.CREATE.KV_ringfence.>",
				"$JS.API.CONSUMER.DELETE.KV_ringfence.>",
				"$JS.API.CONSUMER.MSG.NEXT.KV_ringfence.>",
			}},
			Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
		}}},
	}}
	s.start(t)
	t.Cleanup(s.stop)
	nc, err := nats.Connect("nats://jobs:secret@"+s.addr(), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		t.Errorf("the server refuses: %v", err)
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	store := open(t, js, nil)
	hints := watch(t, t.Context(), store, "x")
	term := acquire(t, store, "x", "a")
	if _, err := store.Renew(t.Context(), term, lease); err != nil {
		t.Error(err)
	}
	if err := store.Release(t.Context(), term); err != nil {
		t.Error(err)
	}
	await(t, hints, "the release")
	if page, err := store.List(t.Context(), "", "", 10); err != nil || len(page) != 1 {
		t.Errorf("list: %+v, %v", page, err)
	}
	acquire(t, store, "x", "b")
	if _, err := store.Break(t.Context(), "x", "operator"); err != nil {
		t.Error(err)
	}
	if _, err := store.Raise(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if n, err := store.Prune(t.Context(), 0, 10); n != 1 || err != nil {
		t.Errorf("prune: %d, %v", n, err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if _, err := natsstore.Open(t.Context(), js, &natsstore.Options{NoSetup: true}); err != nil {
		t.Error(err)
	}
}
