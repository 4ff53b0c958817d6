package zkstore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

// roundTrips: a step on a name that this store knows is one request, and a refused
// acquire writes nothing while the leader's time is known.
func roundTrips(t *testing.T, at *site) {
	var c counter
	s := at.open(t, zkstore.Options{Dial: c.dial})
	other := at.open(t, zkstore.Options{})
	release(t, s, take(t, s, "job")) // its shard is there
	release(t, s, take(t, s, "job"))
	var term driver.Term
	check := func(what string, want int64, f func()) {
		t.Helper()
		if got := c.of(f); got != want {
			t.Errorf("%s: %d requests; want %d", what, got, want)
		}
	}
	check("acquire of a name it knows", 1, func() { term = take(t, s, "job") })
	check("renewal", 1, func() {
		if _, err := s.Renew(t.Context(), term, time.Minute); err != nil {
			t.Fatal(err)
		}
	})
	check("release", 1, func() { release(t, s, term) })
	release(t, other, take(t, other, "unknown"))
	check("acquire of a name it does not know", 2, func() { take(t, s, "unknown") })
	elsewhere := take(t, other, "held")
	until(t, "a refusal by two reads, since the leader's time is known for a second", func() bool {
		n := c.of(func() {
			_, err := s.Acquire(t.Context(), request(elsewhere.Name, time.Minute))
			wants(t, err, driver.ErrHeld, "acquire")
		})
		return n == 2
	})
}

func lostReplies(t *testing.T, at *site) {
	proxy := realserver.NewProxy(t, at.address)
	lossy := at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 4 * time.Second})
	s := at.open(t, zkstore.Options{})
	gone := take(t, lossy, "gone")
	kept := take(t, lossy, "kept")
	release(t, lossy, take(t, lossy, "job")) // known: the next acquire is one write

	proxy.DropReplies()
	r := request("job", time.Minute)
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	var both sync.WaitGroup
	both.Go(func() {
		_, err := lossy.Acquire(ctx, r)
		wants(t, err, driver.ErrUnknown, "acquire")
	})
	both.Go(func() { wants(t, lossy.Release(ctx, gone), driver.ErrUnknown, "release") })
	state := func(name string) driver.State {
		rec, err := s.Inspect(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return rec.State
	}
	until(t, "what has no reply", func() bool { return state("job") == driver.Held && state("gone") == driver.Released })
	giveUp()
	both.Wait()
	proxy.Heal()
	var first driver.Term
	var err error
	until(t, "the attempt's grant", func() bool {
		first, err = lossy.Acquire(t.Context(), r)
		return err == nil
	})
	if again := acquire(t, s, r); again.Token != first.Token {
		t.Errorf("one attempt got tokens %s and %s", first.Token, again.Token)
	}
	if _, err := lossy.Renew(t.Context(), kept, time.Minute); err != nil {
		t.Error(err)
	}
}

// replyLostOnce: the answer to a release is lost, and the read after it gets through,
// at once or after somebody else got the name.
func replyLostOnce(t *testing.T, at *site) {
	proxy := realserver.NewProxy(t, at.address)
	lossy := at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 4 * time.Second})
	other := at.open(t, zkstore.Options{})
	term := take(t, lossy, "job")
	proxy.DropReplies()
	time.AfterFunc(100*time.Millisecond, proxy.Heal)
	release(t, lossy, term)

	term = take(t, lossy, "job")
	proxy.DropReplies()
	released := make(chan error)
	go func() { released <- lossy.Release(t.Context(), term) }()
	until(t, "the name", func() bool {
		_, err := other.Acquire(t.Context(), request("job", time.Minute))
		return err == nil
	})
	proxy.Heal()
	if err := <-released; err != nil {
		t.Errorf("a release that came in time: %v", err)
	}
}

// anotherConnection: what was read on a connection is not written on the next one,
// which may lead to an older copy of the ensemble's state.
func anotherConnection(t *testing.T, at *site) {
	proxy := realserver.NewProxy(t, at.address)
	s := at.openAt(t, proxy.Addr(), zkstore.Options{})
	err := s.WriteAsRead(t.Context(), request("job", time.Minute), func() {
		before := s.Connection()
		proxy.Cut()
		until(t, "another connection", func() bool {
			_, err := s.Inspect(t.Context(), "job")
			return err == nil && s.Connection() != before
		})
	})
	wants(t, err, zkstore.ErrElsewhere, "a write on another connection")
}

// leaseOutlivesSession: a lease does not hang on a session.
func leaseOutlivesSession(t *testing.T, at *site) {
	proxy := realserver.NewProxy(t, at.address)
	s := at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 2 * time.Second})
	term := take(t, s, "job")
	wait(t, s, driver.MaxKeep, 0)
	inLine := at.inLine(t)
	proxy.Blackhole()
	until(t, "the end of the session", func() bool { return inLine() == 0 })
	proxy.Heal()
	until(t, "a renewal", func() bool {
		_, err := s.Renew(t.Context(), term, time.Minute)
		if errors.Is(err, driver.ErrEnded) {
			t.Fatalf("the lease ended with the session: %v", err)
		}
		return err == nil
	})
}

// versionsThatMeet: a record is removed and made again until its znode has the
// version that another client remembers.
func versionsThatMeet(t *testing.T, at *site) {
	s, other := at.open(t, zkstore.Options{}), at.open(t, zkstore.Options{})
	old := take(t, s, "job")
	release(t, s, old)
	expired := acquire(t, s, request("lapsed", 10*time.Millisecond))
	conn := at.conn(t)
	version := func(name string) int32 {
		v, err := s.Version(conn, name)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	want, wantLapsed := version("job"), version("lapsed")
	until(t, "the end of both", func() bool {
		n, err := other.Prune(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		_, e := conn.Sync("/")
		_, missing := s.Version(conn, "lapsed")
		_, missingJob := s.Version(conn, "job")
		return n >= 0 && e == nil && errors.Is(missing, zk.ErrNoNode) && errors.Is(missingJob, zk.ErrNoNode)
	})
	job, lapsed := take(t, other, "job"), take(t, other, "lapsed")
	for version("job") < want {
		if _, err := other.Renew(t.Context(), job, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if version("job") != want || version("lapsed") != wantLapsed {
		t.Fatalf("versions %d and %d; want %d and %d", version("job"), version("lapsed"), want, wantLapsed)
	}
	_, err := s.Acquire(t.Context(), request("job", time.Minute))
	wants(t, err, driver.ErrHeld, "acquire with what was known before the clean-up")
	_, err = s.Renew(t.Context(), expired, time.Minute)
	wants(t, err, driver.ErrEnded, "renewal with what was known before the clean-up")
	for _, term := range []driver.Term{job, lapsed} {
		if _, err := other.Renew(t.Context(), term, time.Minute); err != nil {
			t.Errorf("the holder of %s: %v", term.Fence, err)
		}
	}
	if job.Token <= old.Token {
		t.Errorf("token %s after %s", job.Token, old.Token)
	}
}

// removedRecord: a store whose own record is removed, with its name or without,
// goes on above all its numbers.
func removedRecord(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	conn := at.conn(t)
	last := take(t, s, "job")
	release(t, s, last)
	store := "/" + at.prefix + "/store"
	for what, more := range map[string][]string{"its record": nil, "its name": {store}, "anything": {store, s.Record("job")}} {
		before, err := s.Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range append([]string{store + "/" + before.Current}, more...) {
			if err := conn.Delete(p, -1); err != nil {
				t.Fatalf("delete %s: %v", p, err)
			}
		}
		next := take(t, s, "job")
		release(t, s, next)
		after, err := s.Identity(t.Context())
		if err != nil || after.Current == before.Current || after.Previous != before.Current || after.ChangedAt.IsZero() {
			t.Errorf("without %s: %+v, %v after %+v", what, after, err, before)
		}
		if next.Token <= last.Token || next.Token <= after.Floor || after.Floor <= before.Floor {
			t.Errorf("without %s: token %s above floor %s, after %s above %s", what, next.Token, after.Floor, last.Token, before.Floor)
		}
		last = next
	}
}

func foreignRecord(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	if _, err := at.conn(t).Set(s.Record("job"), []byte("mine"), -1); err != nil {
		t.Fatal(err)
	}
	_, err := s.Acquire(t.Context(), request("job", time.Minute))
	wants(t, err, driver.ErrUnfit, "acquire")
	wants(t, s.Release(t.Context(), term), driver.ErrUnfit, "release")
	if _, err := at.conn(t).Set("/"+at.prefix+"/store", []byte("mine"), -1); err != nil {
		t.Fatal(err)
	}
	_, err = zkstore.Open(t.Context(), at.address, &zkstore.Options{Prefix: at.prefix})
	wants(t, err, driver.ErrUnfit, "open")
}

func rightsOfOthers(t *testing.T, at *site) {
	const secret = "jobs:s3cret"
	mine := at.open(t, zkstore.Options{Auth: []zkstore.Auth{{Scheme: "digest", Secret: secret}}})
	take(t, mine, "job")
	take(t, at.open(t, zkstore.Options{Auth: []zkstore.Auth{{Scheme: "digest", Secret: secret}}}), "another")
	_, err := zkstore.Open(t.Context(), at.address, &zkstore.Options{Prefix: at.prefix})
	wants(t, err, driver.ErrUnfit, "open without credentials")
	_, err = zkstore.Open(t.Context(), at.address, &zkstore.Options{Prefix: at.prefix, Auth: []zkstore.Auth{{Scheme: "none", Secret: secret}}})
	wants(t, err, driver.ErrUnfit, "open with credentials that the server does not know")
}

func batch(t *testing.T, at *site) {
	var c counter
	s := at.open(t, zkstore.Options{Dial: c.dial})
	var all []driver.Renewal
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		all = append(all, driver.Renewal{Term: take(t, s, name), TTL: 2 * time.Minute})
	}
	if n := c.of(func() {
		for i, r := range s.RenewAll(t.Context(), all) {
			if r.Err != nil || r.Term.Fence != all[i].Term.Fence || r.Term.Remaining <= time.Minute {
				t.Errorf("renewal %d: %+v", i, r)
			}
		}
	}); n != 1 {
		t.Errorf("renewing five terms took %d requests; want 1", n)
	}
	release(t, at.open(t, zkstore.Options{}), all[1].Term) // unseen by s
	all[3].TTL = 0
	all = append(all, driver.Renewal{Term: all[0].Term, TTL: time.Minute})
	for i, r := range s.RenewAll(t.Context(), all) {
		switch {
		case i == 1:
			wants(t, r.Err, driver.ErrEnded, "the released one")
		case i == 3:
			if r.Err == nil {
				t.Error("a lease of 0 was renewed")
			}
		case r.Err != nil:
			t.Errorf("renewal %d: %v", i, r.Err)
		}
	}
}

// manyNames: a page holds what the shards hold together.
func manyNames(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	want := 0
	for a := 'a'; a <= 'z'; a++ {
		for _, b := range "/.%" {
			acquire(t, s, request(string(a)+string(b), 10*time.Minute))
			want++
		}
	}
	seen, after := 0, ""
	for {
		page, err := s.List(t.Context(), "", after, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			if r.Name <= after {
				t.Errorf("%q comes after %q", r.Name, after)
			}
			after = r.Name
		}
		if seen += len(page); len(page) < 10 {
			break
		}
	}
	if seen != want {
		t.Errorf("%d of %d names are listed", seen, want)
	}
}
