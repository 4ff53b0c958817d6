package etcdstore_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

func leases(t *testing.T, client *clientv3.Client) int {
	t.Helper()
	resp, err := client.Leases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(resp.Leases)
}

// TestEtcdLeasesAreShared: two terms hang on one etcd lease. The end of one
// leaves it to the other, and the end of both revokes it.
func TestEtcdLeasesAreShared(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	until(t, "the lease of Open to be revoked", func() bool { return leases(t, client) == 0 })
	var a, b driver.Term
	until(t, "two terms that begin within a moment", func() bool {
		a, b = acquire(t, s, request("a", time.Minute)), acquire(t, s, request("b", time.Minute))
		if leases(t, client) == 1 {
			return true
		}
		release(t, s, a)
		release(t, s, b)
		return false
	})
	release(t, s, a)
	until(t, "a newer etcd lease", func() bool {
		release(t, s, acquire(t, s, request("a", time.Minute)))
		return leases(t, client) == 2
	})
	b, err := s.Renew(t.Context(), b, time.Minute)
	if err != nil {
		t.Fatalf("the end of a term took another along: %v", err)
	}
	until(t, "the first etcd lease to be revoked", func() bool { return leases(t, client) == 1 })
	release(t, s, b)
	s.Close()
	if n := leases(t, client); n != 0 {
		t.Errorf("%d etcd leases are left of a closed store", n)
	}
}

// TestRenewalOutlivesTheFirstLease: the live key is moved, and a term never ends
// before what its holder was told.
func TestRenewalOutlivesTheFirstLease(t *testing.T) {
	t.Parallel()
	s := open(t, connect(t, realserver.NewEtcd(t, nil)), nil)
	term := acquire(t, s, request("job", time.Second))
	start := time.Now()
	for time.Since(start) < 4*time.Second {
		before := time.Now()
		renewed, err := s.Renew(t.Context(), term, 2*time.Second)
		if err != nil {
			t.Fatalf("after %s: %v", time.Since(start), err)
		}
		if renewed.Remaining < time.Second || renewed.Remaining > 2*time.Second {
			t.Errorf("%s is left of a lease of 2s", renewed.Remaining)
		}
		until(t, "a while", func() bool { return time.Since(before) > 700*time.Millisecond })
	}
	told := time.Now()
	term, err := s.Renew(t.Context(), term, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the end", func() bool {
		rec, err := s.Inspect(t.Context(), "job")
		return err == nil && rec.State != driver.Held
	})
	if lasted := time.Since(told); lasted < term.Remaining || lasted > 5*time.Second {
		t.Errorf("a lease of which the holder was told %s lasted %s", term.Remaining, lasted)
	}
}

// TestWaitingWritesNothing: who is refused again and again adds nothing to the
// cluster's log.
func TestWaitingWritesNothing(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	s := open(t, client, nil)
	acquire(t, s, request("job", time.Minute))
	refuse := func() {
		_, err := s.Acquire(t.Context(), request("job", time.Minute))
		wants(t, err, driver.ErrHeld, "acquire")
	}
	refuse()
	index := func() uint64 {
		status, err := client.Status(t.Context(), etcd.Endpoints()[0])
		if err != nil {
			t.Fatal(err)
		}
		return status.RaftIndex
	}
	before := index()
	acquire(t, s, request("another", time.Minute)) // an etcd lease is at hand now, so that nothing else makes it look first
	for range 50 {
		refuse()
	}
	if entries := index() - before; entries > 10 {
		t.Errorf("%d entries in the log for one grant and 50 refusals", entries)
	}
}

// TestRefusalsAskOnceForTheTime: how long a term still lasts is asked for once.
func TestRefusalsAskOnceForTheTime(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	s := open(t, connect(t, etcd), nil)
	acquire(t, s, request("job", time.Minute))
	for range 20 {
		_, err := s.Acquire(t.Context(), request("job", time.Minute))
		held, ok := errors.AsType[*driver.HeldError](err)
		if !ok || held.Remaining < 10*time.Second || held.Remaining > time.Minute {
			t.Fatalf("%v; want it held for what is left of a minute", err)
		}
	}
	resp, err := http.Get("http://" + etcd.Endpoints()[0] + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	metrics, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	const asked = `grpc_server_started_total{grpc_method="LeaseTimeToLive",grpc_service="etcdserverpb.Lease",grpc_type="unary"} `
	if !strings.Contains(string(metrics), asked+"1\n") {
		t.Errorf("asked more than once for the time of one etcd lease")
	}
}

func TestWatchWakesOne(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s, other := open(t, client, nil), open(t, client, nil)
	term := acquire(t, other, request("job", time.Minute))
	first, err := s.Watch(t.Context(), "job")
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Watch(t.Context(), "job")
	if err != nil {
		t.Fatal(err)
	}
	release(t, other, term)
	var next <-chan struct{}
	select {
	case <-first:
		next = second
	case <-second:
		next = first
	case <-time.After(10 * time.Second):
		t.Fatal("no hint")
	}
	release(t, other, acquire(t, other, request("job", time.Minute)))
	until(t, "a hint for the other waiter, whose turn it is", func() bool { return len(next) == 1 })
}

func TestWatchPassesItsHintOn(t *testing.T) {
	t.Parallel()
	s := open(t, connect(t, realserver.NewEtcd(t, nil)), nil)
	term := acquire(t, s, request("job", time.Minute))
	ctx, leave := withCancel(t)
	first, err := s.Watch(ctx, "job")
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Watch(t.Context(), "job")
	if err != nil {
		t.Fatal(err)
	}
	release(t, s, term)
	until(t, "a hint", func() bool { return len(first) == 1 })
	if len(second) != 0 {
		t.Error("one release woke two waiters")
	}
	leave()
	until(t, "the hint to pass on", func() bool { return len(second) == 1 })
	brief := acquire(t, s, request("brief", time.Second))
	third, err := s.Watch(t.Context(), brief.Name)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "a hint of a lease that ran out", func() bool { return len(third) == 1 })
}

// TestShortestLeaseIsTheServers: a server with the usual pace grants 2 seconds
// where 1 is asked for.
func TestShortestLeaseIsTheServers(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, &realserver.EtcdOptions{Settings: []string{"--heartbeat-interval=100", "--election-timeout=1000"}})
	s := open(t, connect(t, etcd), nil)
	if least := s.Properties().MinTTL; least != 2*time.Second {
		t.Errorf("the shortest lease is %s; want 2s", least)
	}
	_, err := s.Acquire(t.Context(), request("job", time.Second))
	wants(t, err, fence.ErrInvalid, "acquire for a second")
	if term := acquire(t, s, request("job", 2*time.Second)); term.Remaining != 2*time.Second {
		t.Errorf("%s is left of a lease of 2s", term.Remaining)
	}
}

// TestPruneMany: more names than go in one transaction, under a limit.
func TestPruneMany(t *testing.T) {
	t.Parallel()
	s := open(t, connect(t, realserver.NewEtcd(t, nil)), nil)
	const all = 230
	for n := range all {
		release(t, s, acquire(t, s, request(fmt.Sprint("job ", n), time.Minute)))
	}
	held := acquire(t, s, request("held", time.Minute))
	for _, want := range []int{150, all - 150, 0} {
		if n, err := s.Prune(t.Context(), 0, 150); n != want || err != nil {
			t.Errorf("prune: %d, %v; want %d", n, err, want)
		}
	}
	release(t, s, held)
	var next driver.Term
	n, err := s.ForgetAsSeen(t.Context(), "held", func() { next = acquire(t, s, request("held", time.Minute)) })
	if n != 0 || err != nil {
		t.Errorf("prune of a name that was granted meanwhile: %d, %v; want 0", n, err)
	}
	release(t, s, next)
}

// TestOlderNoteSaysNothing: how an older term ended is nothing that the next one shows.
func TestOlderNoteSaysNothing(t *testing.T) {
	t.Parallel()
	s := open(t, connect(t, realserver.NewEtcd(t, nil)), nil)
	acquire(t, s, request("job", time.Minute))
	if _, err := s.Break(t.Context(), "job", "operator"); err != nil {
		t.Fatal(err)
	}
	term := acquire(t, s, request("job", time.Second))
	rec, err := s.Inspect(t.Context(), "job")
	if err != nil || rec.State != driver.Held || rec.EndedBy != "" {
		t.Errorf("%+v, %v; want it held, and nobody who ended it", rec, err)
	}
	until(t, "the end", func() bool {
		rec, err = s.Inspect(t.Context(), "job")
		return err == nil && rec.State != driver.Held
	})
	if rec.State != driver.Expired || rec.Token != term.Token || rec.EndedBy != "" {
		t.Errorf("%+v; want it expired", rec)
	}
}
