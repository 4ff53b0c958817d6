package natsjournal_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/journaltest"
	"github.com/ringfence-go/ringfence/store/natsstore/natsjournal"
)

// start starts a server in this process, for a user who may publish to the subjects.
func start(t *testing.T, maxPayload int32, subjects ...string) jetstream.JetStream {
	t.Helper()
	o := &server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, MaxPayload: maxPayload,
		Users: []*server.User{{Username: "jobs", Password: "secret", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: subjects}, Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
		}}},
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the nats-server does not accept connections")
	}
	quiet := nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
	nc, err := nats.Connect(s.ClientURL(), nats.UserInfo("jobs", "secret"), quiet)
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

func open(t *testing.T, js jetstream.JetStream, o *natsjournal.Options) *natsjournal.Journal {
	t.Helper()
	j, err := natsjournal.Open(js, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJournal(t *testing.T) {
	t.Parallel()
	js := start(t, 0, ">")
	var last atomic.Int64
	journaltest.Run(t, func(t *testing.T) journal.Journal {
		return open(t, js, &natsjournal.Options{Bucket: fmt.Sprint("suite", last.Add(1))})
	})
	t.Run("a message of somebody else", func(t *testing.T) {
		t.Parallel()
		j := open(t, js, &natsjournal.Options{Bucket: "odd"})
		if err := j.Append(t.Context(), granted(1)); err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(t.Context(), "odd.journal", []byte("hello")); err != nil {
			t.Fatal(err)
		}
		events, corrupt := 0, 0
		for _, err := range j.Read(t.Context(), journal.Query{}) {
			if errors.Is(err, journal.ErrCorrupt) {
				corrupt++
			} else if err == nil {
				events++
			}
		}
		if events != 1 || corrupt != 1 {
			t.Errorf("%d events, %d corrupt messages", events, corrupt)
		}
	})
}

func granted(n int) (events []journal.Event) {
	for i := range n {
		events = append(events, journal.Event{ID: fmt.Sprint(i), Kind: journal.Granted, Name: "job", Token: 1, At: time.Now()})
	}
	return events
}

// rights are those that docs/stores/nats.md names for a journal.
var rights = []string{
	"ringfence.journal",
	"$JS.API.STREAM.CREATE.ringfence-journal",
	"$JS.API.STREAM.INFO.ringfence-journal",
	"$JS.API.STREAM.PURGE.ringfence-journal",
	"$JS.API.CONSUMER.CREATE.ringfence-journal.>",
	"$JS.API.CONSUMER.MSG.NEXT.ringfence-journal.>",
	"$JS.API.CONSUMER.DELETE.ringfence-journal.>",
}

// TestRights: they are enough, and without each of two the error says what to do. The
// server takes no message as large as the batch.
func TestRights(t *testing.T) {
	t.Parallel()
	j := open(t, start(t, 4096, rights...), nil)
	if err := j.Append(t.Context(), granted(100)); err != nil {
		t.Fatal(err)
	}
	if n, err := j.Prune(t.Context(), journal.Bounds{Age: time.Hour, Events: 1}); n < 50 || n > 99 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
	for _, err := range j.Read(t.Context(), journal.Query{}) {
		if err != nil {
			t.Error(err)
		}
	}
	for what, without := range map[string]int{"publish": 0, "make the stream": 1} {
		o := &natsjournal.Options{NoSetup: without == 1}
		j := open(t, start(t, 0, append(append([]string{}, rights[:without]...), rights[without+1:]...)...), o)
		if err := j.Append(t.Context(), granted(1)); !errors.Is(err, driver.ErrUnfit) || !strings.Contains(err.Error(), "let the user publish to ringfence.journal") {
			t.Errorf("who may not %s: %v", what, err)
		}
	}
}
