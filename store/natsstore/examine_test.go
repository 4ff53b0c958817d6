package natsstore_test

import (
	"context"
	"errors"
	"slices"
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

func examine(t *testing.T, js jetstream.JetStream, o *natsstore.Options) []driver.Finding {
	t.Helper()
	found, err := natsstore.Examine(t.Context(), js, o)
	return storetest.Findings(t, found, err)
}

func TestExamine(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	found := examine(t, js, nil)
	storetest.WantFinding(t, found, "version", driver.Fit, "nats-server 2.")
	storetest.WantFinding(t, found, "bucket", driver.Fit, "none called ringfence yet")
	storetest.WantFinding(t, examine(t, js, &natsstore.Options{NoSetup: true}), "bucket", driver.Unfit, "without NoSetup")
	if _, err := js.Stream(t.Context(), "KV_ringfence"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("the examination has made the bucket: %v", err)
	}

	acquire(t, open(t, js, nil), "x", "a")
	state := func() jetstream.StreamState {
		stream, err := js.Stream(t.Context(), "KV_ringfence")
		if err != nil {
			t.Fatal(err)
		}
		return stream.CachedInfo().State
	}
	before := state().LastSeq
	found = examine(t, js, nil)
	if after := state().LastSeq; after != before {
		t.Errorf("the examination has written: revision %d, before %d", after, before)
	}
	storetest.WantFinding(t, found, "bucket", driver.Fit, "KV_ringfence")
	storetest.WantFinding(t, found, "storage", driver.Fit, "file")
	storetest.WantFinding(t, found, "replicas", driver.Warning, "sync_interval")
	storetest.WantFinding(t, found, "rights", driver.Fit, "may read and write")
	storetest.WantFinding(t, found, "clock", driver.Fit, "takes no part")

	open(t, js, &natsstore.Options{Bucket: "memory", InMemory: true})
	storetest.WantFinding(t, examine(t, js, &natsstore.Options{Bucket: "memory"}), "storage", driver.Warning, "all leases are gone")
}

func TestExamineCluster(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	store, err := c.open(ctx, t)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	js := c.connect(t)
	subject := func(name string, found []driver.Finding) (f driver.Finding) {
		if i := slices.IndexFunc(found, func(f driver.Finding) bool { return f.Subject == name }); i >= 0 {
			f = found[i]
		}
		return f
	}
	// a cluster under load answers late now and then
	try := func(words string, grade driver.Grade) {
		until(t, words, func() bool {
			found, err := natsstore.Examine(ctx, js, nil)
			f := subject("replicas", found)
			return err == nil && f.Grade == grade && strings.Contains(f.Means, words)
		})
	}
	try("1 of them can be lost", driver.Fit)
	for _, s := range c {
		if s != c.leader(t) {
			s.stop()
			break
		}
	}
	try("one more may be one too many", driver.Warning)
}

// TestExamineUnfitBuckets: what Open refuses is found, and so is what is nearly full.
func TestExamineUnfitBuckets(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	for _, bucket := range []string{"good", "foreign"} {
		open(t, js, &natsstore.Options{Bucket: bucket})
	}
	good, err := js.Stream(t.Context(), "KV_good")
	if err != nil {
		t.Fatal(err)
	}
	for words, spoil := range map[string]func(*jetstream.StreamConfig){
		"forgets records after 1h": func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"drops old records":        func(c *jetstream.StreamConfig) { c.Discard, c.MaxBytes = jetstream.DiscardOld, 1<<20 },
		"made by another program":  func(c *jetstream.StreamConfig) { c.FirstSeq = 0 },
		"and that alone":           func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 5 },
		"the last message of each": func(c *jetstream.StreamConfig) {
			c.Subjects, c.Mirror = nil, &jetstream.StreamSource{Name: "KV_good"}
			c.FirstSeq, c.DenyDelete, c.AllowRollup = 0, false, false
		},
	} {
		bucket := strings.Map(func(r rune) rune {
			if r == ' ' {
				return '-'
			}
			return r
		}, words)
		config := good.CachedInfo().Config
		config.Name, config.Subjects = "KV_"+bucket, []string{"$KV." + bucket + ".>"}
		spoil(&config)
		if _, err := js.CreateStream(t.Context(), config); err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		subject := driver.Unfit
		want := words
		if config.FirstSeq == 0 {
			want = "delete it and let Ringfence make it"
		}
		storetest.WantFinding(t, examine(t, js, &natsstore.Options{Bucket: bucket}), "bucket", subject, want)
	}
	config := good.CachedInfo().Config
	config.MaxMsgs = 1
	if _, err := js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, examine(t, js, &natsstore.Options{Bucket: "good"}), "room", driver.Warning, "1 of 1 records")
	if _, err := js.Publish(t.Context(), "$KV.foreign.floor", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, examine(t, js, &natsstore.Options{Bucket: "foreign"}), "records", driver.Unfit, "a bucket of Ringfence's own")
}

func TestExamineWithoutJetStream(t *testing.T) {
	t.Parallel()
	s := &natsServer{options: server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true}}
	s.start(t)
	t.Cleanup(s.stop)
	js := s.connect(t, s.addr())
	storetest.WantFinding(t, examine(t, js, nil), "bucket", driver.Unfit, "enable JetStream")
	s.stop()
	if found, err := natsstore.Examine(t.Context(), js, nil); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("a server that is down: %v, %v; want ErrUnavailable", found, err)
	}
}

func TestExamineRights(t *testing.T) {
	t.Parallel()
	user := func(name string, denied ...string) *server.User {
		return &server.User{Username: name, Password: "secret", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: []string{">"}, Deny: denied},
		}}
	}
	s := &natsServer{options: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Users: []*server.User{user("all"), user("noinfo", "$JS.API.STREAM.INFO.>"), user("noread", "$JS.API.DIRECT.GET.>"), user("nowrite", "$KV.>")},
	}}
	s.start(t)
	t.Cleanup(s.stop)
	as := func(name string) jetstream.JetStream {
		nc, err := nats.Connect("nats://"+name+":secret@"+s.addr(), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
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
	open(t, as("all"), nil)
	storetest.WantFinding(t, examine(t, as("all"), nil), "rights", driver.Fit, "may read and write")
	o := &natsstore.Options{AnswerWithin: 500 * time.Millisecond}
	for _, name := range []string{"noinfo", "noread", "nowrite"} {
		storetest.WantFinding(t, examine(t, as(name), o), "rights", driver.Unfit, "let the user publish to $KV")
	}
}
