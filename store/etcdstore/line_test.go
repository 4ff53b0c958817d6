package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

// wait gives a new waiter for job a place in line.
func wait(t *testing.T, s *etcdstore.Store, keep time.Duration, ahead int) driver.Request {
	t.Helper()
	r := request("job", time.Minute)
	waitAgain(t, s, r, keep, ahead)
	return r
}

func waitAgain(t *testing.T, s *etcdstore.Store, r driver.Request, keep time.Duration, ahead int) {
	t.Helper()
	if p, err := s.Wait(t.Context(), r, keep); err != nil || p.Ahead != ahead {
		t.Fatalf("%+v, %v; want %d ahead", p, err, ahead)
	}
}

// turn begins to listen for the turn of a waiter for job.
func turn(t *testing.T, s *etcdstore.Store, r driver.Request) (hints <-chan struct{}, leave func()) {
	t.Helper()
	ctx, cancel := withCancel(t)
	hints, err := s.WatchTurn(ctx, "job", r.Attempt)
	if err != nil {
		t.Fatal(err)
	}
	return hints, cancel
}

func hinted(t *testing.T, hints <-chan struct{}, after string) {
	t.Helper()
	until(t, "a hint after "+after, func() bool { return len(hints) == 1 })
	<-hints
}

// inLine are the keys of those who wait for job, in their order.
func inLine(t *testing.T, client *clientv3.Client) []*mvccpb.KeyValue {
	t.Helper()
	resp, err := client.Get(t.Context(), "ringfence/line/job\n", clientv3.WithPrefix(),
		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
	if err != nil {
		t.Fatal(err)
	}
	return resp.Kvs
}

// TestLineWakesOne: of six waiters in three processes one is told of each release, in the
// order in which they came.
func TestLineWakesOne(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	stores := []*etcdstore.Store{open(t, client, nil), open(t, client, nil), open(t, client, nil)}
	var line []driver.Request
	var hints []<-chan struct{}
	for i := range 6 {
		line = append(line, wait(t, stores[i%3], driver.MaxKeep, i))
		h, _ := turn(t, stores[i%3], line[i])
		hints = append(hints, h)
	}
	for i, r := range line {
		release(t, s, term)
		hinted(t, hints[i], fmt.Sprintf("release %d", i))
		for k, h := range hints {
			if len(h) > 0 {
				t.Fatalf("waiter %d was woken with waiter %d", k, i)
			}
		}
		term = acquire(t, stores[i%3], r)
		if left := len(inLine(t, client)); left != len(line)-i-1 {
			t.Errorf("%d are in the line after the grant to waiter %d", left, i)
		}
	}
}

// TestLineGoesOnWithoutTheFirst: whoever leaves costs those behind it nothing.
func TestLineGoesOnWithoutTheFirst(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	one, other := open(t, client, nil), open(t, client, nil)
	first, second, third := wait(t, one, driver.MaxKeep, 0), wait(t, one, driver.MaxKeep, 1), wait(t, other, driver.MaxKeep, 2)
	firstHints, _ := turn(t, one, first)
	secondHints, _ := turn(t, one, second)
	thirdHints, _ := turn(t, other, third)
	release(t, s, term)
	hinted(t, firstHints, "a release")
	if err := one.Leave(t.Context(), "job", first.Attempt); err != nil {
		t.Fatal(err)
	}
	hinted(t, secondHints, "the first one left")
	if n := len(inLine(t, client)); n != 2 || len(thirdHints) != 0 {
		t.Errorf("%d in the line, %d hints to the third; want 2 and none", n, len(thirdHints))
	}
	one.Close()
	hinted(t, thirdHints, "the store of the second one was closed")
}

// TestLineComesBack: whose place is gone gets another one when it says that it waits, and
// is told of its turn there.
func TestLineComesBack(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	first, second := wait(t, s, driver.MaxKeep, 0), wait(t, s, driver.MaxKeep, 1)
	firstHints, _ := turn(t, s, first)
	secondHints, _ := turn(t, s, second)
	if _, err := client.Delete(t.Context(), "ringfence/line/", clientv3.WithPrefix()); err != nil {
		t.Fatal(err)
	}
	waitAgain(t, s, second, driver.MaxKeep, 0)
	if placed := s.WaitAll(t.Context(), []driver.Waiting{{Request: first, Keep: driver.MaxKeep}}); placed[0].Err != nil || placed[0].Place.Ahead != 1 {
		t.Fatalf("%+v; want the second place", placed)
	}
	release(t, s, term)
	hinted(t, secondHints, "its place was deleted, and the other one's")
	if len(firstHints) != 0 {
		t.Error("a hint to one that is second")
	}
}

// TestPlacesOfAProcess: they outlive the time for which the etcd lease was granted, for as
// long as something is heard of each; one of which nothing is heard lapses.
func TestPlacesOfAProcess(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	acquire(t, s, request("job", time.Minute))
	wait(t, s, time.Second, 0)
	lives := wait(t, s, time.Second, 1)
	began := inLine(t, client)
	until(t, "the place of the silent one to lapse", func() bool {
		p, err := s.Wait(t.Context(), lives, time.Second)
		return err == nil && p.Ahead == 0
	})
	left, err := client.TimeToLive(t.Context(), clientv3.LeaseID(began[0].Lease))
	if err != nil || left.TTL <= 0 || began[0].Lease != began[1].Lease {
		t.Errorf("%+v, %v; want the etcd lease of both places kept", left, err)
	}
	if now := inLine(t, client); len(now) != 1 || now[0].CreateRevision != began[1].CreateRevision {
		t.Errorf("the line is %v; want the second place as it was made, in %v", now, began)
	}
}

// TestLineSkipsACorpse: a process that died is in the way for as long as its places were kept.
func TestLineSkipsACorpse(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	s := open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	proxy := realserver.NewProxy(t, etcd.Endpoints()[0])
	wait(t, open(t, connectTo(t, clientv3.Config{Endpoints: []string{proxy.Addr()}}), nil), time.Second, 0)
	next := wait(t, s, driver.MaxKeep, 1)
	hints, _ := turn(t, s, next)
	proxy.Blackhole()
	release(t, s, term)
	hinted(t, hints, "the first one died")
	acquire(t, s, next)
}

// calls counts the requests of a client.
type calls struct {
	mu  sync.Mutex
	all []string
}

func (c *calls) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	c.mu.Lock()
	c.all = append(c.all, method[strings.LastIndexByte(method, '/')+1:])
	c.mu.Unlock()
	return invoke(ctx, method, req, reply, cc, opts...)
}

// taken are the requests since it was called last, but for those that end unused etcd leases.
func (c *calls) taken() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.DeleteFunc(c.all, func(m string) bool { return m == "LeaseRevoke" })
	c.all = nil
	return all
}

// TestRequestsOfAStep: a name that nobody waits for costs one Txn to get and one to give
// back, and so does a turn of which its waiter was told; each needs an etcd lease at hand.
func TestRequestsOfAStep(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	var c calls
	client := connectTo(t, clientv3.Config{
		Endpoints: etcd.Endpoints(), DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.intercept)},
	})
	s, other := open(t, client, nil), open(t, connect(t, etcd), nil)
	release(t, s, acquire(t, s, request("job", time.Minute)))
	c.taken()
	release(t, s, acquire(t, s, request("job", time.Minute)))
	if got := slices.DeleteFunc(c.taken(), func(m string) bool { return m == "LeaseGrant" }); len(got) != 2 {
		t.Errorf("an acquire and a release were %v; want two Txns", got)
	}
	term := acquire(t, other, request("job", time.Minute))
	r := wait(t, s, driver.MaxKeep, 0)
	hints, _ := turn(t, s, r)
	release(t, other, term)
	until(t, "a hint", func() bool { return len(hints) == 1 })
	c.taken()
	acquire(t, s, r)
	got := c.taken()
	if at := slices.Index(got, "Txn"); at < 0 || at > 1 || at == 1 && got[0] != "LeaseGrant" {
		t.Errorf("a turn was taken by %v; want a Txn, after the grant of an etcd lease at most", got)
	}
}

// TestGrantComparesTheLine: nobody gets before those who wait by a Txn that was under way
// when they came, with no look at the line between.
func TestGrantComparesTheLine(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	acquire(t, s, request("another", time.Minute)) // so that an etcd lease is at hand
	first, second := wait(t, open(t, client, nil), driver.MaxKeep, 0), wait(t, s, driver.MaxKeep, 1)
	for what, r := range map[string]driver.Request{"a newcomer": request("job", time.Minute), "the second in line": second} {
		_, err := s.GrantBlindly(t.Context(), r)
		if held, ok := errors.AsType[*driver.HeldError](err); !ok || !held.Kept {
			t.Errorf("%s: %v; want the name kept", what, err)
		}
	}
	acquire(t, s, first) // which another client gave its place
	if n := len(inLine(t, client)); n != 1 {
		t.Errorf("%d in line; want the second alone", n)
	}
}

// TestLineIsBounded: beyond the limit nobody gets a place, and none is left behind.
func TestLineIsBounded(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	for i := 0; i < driver.MaxWaiters-1; i += 100 {
		var puts []clientv3.Op
		for n := range min(100, driver.MaxWaiters-1-i) {
			puts = append(puts, clientv3.OpPut(fmt.Sprintf("ringfence/line/job\nanother-%d", i+n), `{"holder":"another"}`))
		}
		if _, err := client.Txn(t.Context()).Then(puts...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
	last := wait(t, s, driver.MaxKeep, driver.MaxWaiters-1)
	if _, err := s.Wait(t.Context(), request("job", time.Minute), driver.MaxKeep); !errors.Is(err, driver.ErrFull) {
		t.Errorf("one more: %v; want ErrFull", err)
	}
	waitAgain(t, s, last, driver.MaxKeep, driver.MaxWaiters-1)
	if n := len(inLine(t, client)); n != driver.MaxWaiters {
		t.Errorf("%d in line; want %d", n, driver.MaxWaiters)
	}
}

// TestWatchOfAServerThatIsDown: the watch fails in time, and begins anew with the next call.
func TestWatchOfAServerThatIsDown(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	s := open(t, connect(t, etcd), &etcdstore.Options{Try: 200 * time.Millisecond})
	etcd.Kill(0)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	_, err := s.Watch(ctx, "job")
	wants(t, err, driver.ErrUnavailable, "watch")
	wants(t, ctx.Err(), nil, "the context of the watch")
	etcd.Start()
	until(t, "a watch", func() bool {
		_, err := s.Watch(t.Context(), "job")
		return err == nil
	})
}
