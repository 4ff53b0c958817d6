package etcdstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

// watch begins to wait for job.
func watch(t *testing.T, s *etcdstore.Store) (hints <-chan struct{}, leave func()) {
	t.Helper()
	ctx, cancel := withCancel(t)
	hints, err := s.Watch(ctx, "job")
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

// TestLineWakesOne: of waiters in five processes, one is told of each release, in the
// order in which they came.
func TestLineWakesOne(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	var stores []*etcdstore.Store
	var hints []<-chan struct{}
	var leave []func()
	for range 5 {
		stores = append(stores, open(t, client, nil))
		h, l := watch(t, stores[len(stores)-1])
		hints, leave = append(hints, h), append(leave, l)
	}
	for i := range hints {
		release(t, s, term)
		until(t, fmt.Sprintf("a hint to waiter %d", i), func() bool { return len(hints[i]) == 1 })
		<-hints[i]
		for k := i + 1; k < len(hints); k++ {
			if len(hints[k]) > 0 {
				t.Fatalf("waiter %d was woken with waiter %d", k, i)
			}
		}
		term = acquire(t, stores[i], request("job", time.Minute))
		if left := len(inLine(t, client)); left != len(hints)-i-1 {
			t.Errorf("%d are in the line after the grant to waiter %d", left, i)
		}
		leave[i]()
	}
}

// TestLineGoesOnWithoutTheFirst: whoever gives up leaves the hint to the next process.
func TestLineGoesOnWithoutTheFirst(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	one, other := open(t, client, nil), open(t, client, nil)
	first, leaveFirst := watch(t, one)
	second, _ := watch(t, one)
	third, _ := watch(t, other)
	release(t, s, term)
	hinted(t, first, "a release")
	leaveFirst() // with the hint in its hands, and without the name
	hinted(t, third, "the first waiter gave up: the next process comes before another waiter of the same")
	if n := len(inLine(t, client)); n != 2 || len(second) != 0 {
		t.Errorf("%d processes in the line, %d hints; want 2 and none", n, len(second))
	}
	one.Close()
	until(t, "the place of a closed store to go", func() bool { return len(inLine(t, client)) == 1 })
}

// TestLineComesBack: a process whose place is gone takes another one.
func TestLineComesBack(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	watch(t, open(t, client, nil))
	second, _ := watch(t, open(t, client, nil))
	before := inLine(t, client)
	if _, err := client.Delete(t.Context(), "ringfence/line/", clientv3.WithPrefix()); err != nil {
		t.Fatal(err)
	}
	until(t, "both to come back", func() bool { return len(inLine(t, client)) == len(before) })
	release(t, s, term)
	hinted(t, second, "its place was deleted")
}

// TestLineKeepsItsPlaces: a place outlives the etcd lease that it began on.
func TestLineKeepsItsPlaces(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	acquire(t, s, request("job", time.Minute))
	watch(t, s)
	began := inLine(t, client)[0]
	until(t, "the place to hang on another etcd lease", func() bool {
		now := inLine(t, client)
		return len(now) == 1 && now[0].CreateRevision == began.CreateRevision && now[0].Lease != began.Lease
	})
}

// TestLineIsLeftAtOnce: a place does not wait for the end of its etcd lease.
func TestLineIsLeftAtOnce(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	acquire(t, s, request("job", time.Minute))
	_, leave := watch(t, s)
	lease := clientv3.LeaseID(inLine(t, client)[0].Lease)
	leave()
	until(t, "the place to go", func() bool { return len(inLine(t, client)) == 0 })
	if left, err := client.TimeToLive(t.Context(), lease); err != nil || left.TTL <= 0 {
		t.Errorf("%+v, %v; want the place to go before its etcd lease", left, err)
	}
}

// TestLineSkipsACorpse: a process that died is in the way for a few seconds.
func TestLineSkipsACorpse(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	s := open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	proxy := realserver.NewProxy(t, etcd.Endpoints()[0])
	watch(t, open(t, connectTo(t, clientv3.Config{Endpoints: []string{proxy.Addr()}}), nil))
	next, _ := watch(t, s)
	proxy.Blackhole()
	release(t, s, term)
	hinted(t, next, "the first one died")
}

// TestWhoComesBackGivesWay: who asks again for a name that it has given back, with others
// in line, gives them a moment; not more, since they may be dead.
func TestWhoComesBackGivesWay(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s, other := open(t, client, nil), open(t, client, nil)
	term := acquire(t, other, request("job", time.Minute))
	hints, leave := watch(t, s)
	idle, _ := watch(t, open(t, client, nil))
	release(t, other, term)
	hinted(t, hints, "a release")
	term = acquire(t, s, request("job", time.Minute))
	leave()
	release(t, s, term)
	until(t, "a hint to the next in line", func() bool { return len(idle) == 1 })
	start := time.Now()
	acquire(t, s, request("job", time.Minute))
	if took := time.Since(start); took < 10*time.Millisecond {
		t.Errorf("granted after %s; want 10ms for the next in line", took)
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
