package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

// TestPausedLeader: the client's connection to a member that is stopped stays
// open. A holder that renews keeps its lease all the same, for longer than the
// lease lasts, and others are served.
func TestPausedLeader(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, &realserver.EtcdOptions{Members: 3})
	s := open(t, connect(t, etcd), &etcdstore.Options{Try: 300 * time.Millisecond})
	const ttl = 4 * time.Second
	term := acquire(t, s, request("job", ttl))
	leader := etcd.Leader()
	etcd.Pause(leader)
	var last time.Time
	for start := time.Now(); time.Since(start) < ttl+2*time.Second; {
		before := time.Now()
		renewed, err := s.Renew(t.Context(), term, ttl)
		switch {
		case err == nil && renewed.Token == term.Token:
			last = before
		case errors.Is(err, driver.ErrEnded):
			t.Fatalf("the lease was lost after %s: %v", time.Since(start), err)
		}
	}
	if time.Since(last) > ttl/2 {
		t.Errorf("the last renewal that was answered is %s old", time.Since(last))
	}
	other := acquire(t, s, request("other", ttl))
	if other.Token <= term.Token {
		t.Errorf("under the new leader token %s after %s", other.Token, term.Token)
	}
	etcd.Resume(leader) // it finds the first lease over by its own clock, and has it revoked
	for start := time.Now(); time.Since(start) < 2*time.Second; {
		if _, err := s.Renew(t.Context(), term, ttl); errors.Is(err, driver.ErrEnded) {
			t.Fatalf("the lease was lost %s after the old leader woke up: %v", time.Since(start), err)
		}
	}
	release(t, s, term)
}

func TestKilledLeader(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, &realserver.EtcdOptions{Members: 3})
	s := open(t, connect(t, etcd), &etcdstore.Options{Try: 300 * time.Millisecond})
	term := acquire(t, s, request("job", 10*time.Second))
	etcd.Kill(etcd.Leader())
	until(t, "a renewal", func() bool {
		_, err := s.Renew(t.Context(), term, 10*time.Second)
		if errors.Is(err, driver.ErrEnded) {
			t.Fatal(err)
		}
		return err == nil
	})
	release(t, s, term)
	if next := acquire(t, s, request("job", 10*time.Second)); next.Token <= term.Token {
		t.Errorf("token %s after %s", next.Token, term.Token)
	}
}

func TestLostReplies(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	proxy := realserver.NewProxy(t, etcd.Endpoints()[0])
	lossy := open(t, connectTo(t, clientv3.Config{Endpoints: []string{proxy.Addr()}}), &etcdstore.Options{Try: 100 * time.Millisecond})
	s := open(t, connect(t, etcd), nil)
	held := acquire(t, lossy, request("held", time.Minute))
	warm := func(name string) driver.Term { return acquire(t, lossy, request(name, time.Minute)) }
	warm("warm") // an etcd lease is at hand, so that the next acquire is one request

	proxy.DropReplies()
	r := request("job", time.Minute)
	_, err := lossy.Acquire(t.Context(), r)
	if !errors.Is(err, driver.ErrUnknown) && !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("acquire: %v; want unknown, or unavailable where it had only looked", err)
	}
	wants(t, lossy.Release(t.Context(), held), driver.ErrUnknown, "release")
	if rec, err := s.Inspect(t.Context(), "held"); err != nil || rec.State != driver.Released {
		t.Errorf("after a release without a reply: %+v, %v", rec, err)
	}
	proxy.Heal()
	first := acquire(t, lossy, r)
	if again := acquire(t, s, r); again.Token != first.Token {
		t.Errorf("one attempt got tokens %s and %s", first.Token, again.Token)
	}

	again := warm("again") // the reply to a release is lost, and the next try gets through
	proxy.DropReplies()
	time.AfterFunc(150*time.Millisecond, proxy.Heal)
	if err := lossy.Release(t.Context(), again); err != nil {
		t.Errorf("release whose first reply was lost: %v", err)
	}
}

// deaf loses the answer to its first write.
type deaf struct {
	clientv3.KV
	lost atomic.Bool
}

func (k *deaf) Txn(ctx context.Context) clientv3.Txn { return &deafTxn{Txn: k.KV.Txn(ctx), of: k} }

type deafTxn struct {
	clientv3.Txn
	of     *deaf
	writes bool
}

func (t *deafTxn) If(all ...clientv3.Cmp) clientv3.Txn { t.Txn = t.Txn.If(all...); return t }

func (t *deafTxn) Then(all ...clientv3.Op) clientv3.Txn {
	t.Txn, t.writes = t.Txn.Then(all...), slices.ContainsFunc(all, clientv3.Op.IsPut)
	return t
}

func (t *deafTxn) Else(all ...clientv3.Op) clientv3.Txn { t.Txn = t.Txn.Else(all...); return t }

func (t *deafTxn) Commit() (*clientv3.TxnResponse, error) {
	resp, err := t.Txn.Commit()
	if t.writes && t.of.lost.CompareAndSwap(false, true) {
		return nil, context.DeadlineExceeded
	}
	return resp, err
}

// TestLostBreak: who has broken a term is not told that there was none.
func TestLostBreak(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	s := open(t, connect(t, etcd), nil)
	acquire(t, s, request("job", time.Minute))
	client := connect(t, etcd)
	lossy := open(t, client, nil)
	client.KV = &deaf{KV: client.KV}
	if was, err := lossy.Break(t.Context(), "job", "op"); err != nil || was.State != driver.Held {
		t.Errorf("%+v, %v; want the term as it was", was, err)
	}
	if rec, err := s.Inspect(t.Context(), "job"); err != nil || rec.State != driver.Forced {
		t.Errorf("%+v, %v; want it broken", rec, err)
	}
}

// TestLostReleaseOfANameThatWasGrantedSince: its owner is not told that it was late, since
// nothing tells any more.
func TestLostReleaseOfANameThatWasGrantedSince(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	proxy := realserver.NewProxy(t, etcd.Endpoints()[0])
	lossy := open(t, connectTo(t, clientv3.Config{Endpoints: []string{proxy.Addr()}}), &etcdstore.Options{Try: 500 * time.Millisecond})
	s := open(t, connect(t, etcd), nil)
	term := acquire(t, lossy, request("job", time.Minute))
	proxy.DropReplies()
	done := make(chan error, 1)
	go func() { done <- lossy.Release(t.Context(), term) }()
	until(t, "the release has arrived", func() bool {
		rec, err := s.Inspect(t.Context(), "job")
		return err == nil && rec.State == driver.Released && proxy.Dropped()
	})
	acquire(t, s, request("job", time.Minute))
	proxy.Heal()
	wants(t, <-done, driver.ErrUnknown, "release")
}

func TestServerIsDown(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	s := open(t, client, &etcdstore.Options{Try: 100 * time.Millisecond})
	etcd.Kill(0)
	_, err := s.Acquire(t.Context(), request("job", time.Minute))
	wants(t, err, driver.ErrUnavailable, "acquire")
	_, err = s.Inspect(t.Context(), "job")
	wants(t, err, driver.ErrUnavailable, "inspect")
	_, err = etcdstore.Open(t.Context(), client, &etcdstore.Options{Try: 100 * time.Millisecond})
	wants(t, err, driver.ErrUnavailable, "open")
	etcd.Start()
	until(t, "the store to come back", func() bool {
		_, err := s.Acquire(t.Context(), request("job", time.Minute))
		return err == nil
	})
	client.Close()
	_, err = s.Acquire(t.Context(), request("other", time.Minute))
	wants(t, err, driver.ErrClosed, "acquire after the client was closed")
}

func TestNoRights(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	root := connect(t, etcd)
	ctx := t.Context()
	for _, err := range []error{
		ignore(root.UserAdd(ctx, "root", "secret")), ignore(root.RoleAdd(ctx, "root")), ignore(root.UserGrantRole(ctx, "root", "root")),
		ignore(root.UserAdd(ctx, "job", "secret")), ignore(root.RoleAdd(ctx, "jobs")), ignore(root.UserGrantRole(ctx, "job", "jobs")),
		ignore(root.RoleGrantPermission(ctx, "jobs", "ringfence/", clientv3.GetPrefixRangeEnd("ringfence/"), clientv3.PermissionType(clientv3.PermReadWrite))),
		ignore(root.AuthEnable(ctx)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := etcdstore.Open(ctx, root, nil)
	wants(t, err, driver.ErrUnfit, "open without a user")
	job := connectTo(t, clientv3.Config{Endpoints: etcd.Endpoints(), Username: "job", Password: "secret"})
	_, err = etcdstore.Open(ctx, job, &etcdstore.Options{Prefix: "elsewhere/"})
	wants(t, err, driver.ErrUnfit, "open below another prefix")
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "grant-permission") {
		t.Errorf("%v; want what to do, and no password", err)
	}
	s := open(t, job, nil)
	release(t, s, acquire(t, s, request("job", time.Minute)))
	w, err := s.Watch(ctx, "job")
	if err != nil || w == nil {
		t.Errorf("watch: %v", err)
	}
	if _, err := s.Raise(ctx, 1000); err != nil {
		t.Errorf("raise: %v", err)
	}
}

func ignore[R any](_ R, err error) error { return err }

// TestCloseLeavesNothing runs alone: it looks at all goroutines.
func TestCloseLeavesNothing(t *testing.T) {
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	s := open(t, client, nil)
	release(t, s, acquire(t, s, request("job", time.Minute)))
	if _, err := s.Watch(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error)
	etcd.Pause(0)
	go func() { _, err := s.Acquire(context.Background(), request("stuck", time.Minute)); waiting <- err }()
	start := time.Now()
	s.Close()
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("close took %s", took)
	}
	if err := <-waiting; !errors.Is(err, driver.ErrClosed) && !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("a call under way: %v; want closed or unknown", err)
	}
	etcd.Resume(0)
	noneLeft(t)
	for range 20 {
		s := open(t, client, nil)
		for n := range 20 {
			if _, err := s.Watch(t.Context(), fmt.Sprint("job ", n)); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		noneLeft(t)
	}
}

// noneLeft checks that no goroutine of a store runs.
func noneLeft(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	until(t, "a closed store has no goroutine", func() bool {
		return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "etcdstore.(*")
	})
}
