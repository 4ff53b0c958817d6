package bench

import (
	"context"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

func dialEtcd(b *testing.B, s *realserver.Etcd) *clientv3.Client {
	client, err := clientv3.New(clientv3.Config{Endpoints: s.Endpoints(), Logger: zap.NewNop()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Close() })
	return client
}

func openEtcd(b *testing.B, client *clientv3.Client) *etcdstore.Store {
	store, err := etcdstore.Open(b.Context(), client, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	return store
}

// etcdApart are stores that know no more of each other than processes do.
func etcdApart(b *testing.B, client *clientv3.Client) (apart []driver.Store) {
	for range waiters {
		apart = append(apart, openEtcd(b, client))
	}
	return apart
}

// BenchmarkEtcd compares acquire + release on etcd with two bare transactions and
// with the Mutex of its own client.
func BenchmarkEtcd(b *testing.B) {
	client := dialEtcd(b, realserver.NewEtcd(b, nil))
	all := []contender{
		{"ringfence", leaseOf(openEtcd(b, client))},
		{"two transactions", rawEtcd(b, client)},
		{"concurrency.Mutex, one session", etcdMutex(b, client, 1).pair},
	}
	for _, callers := range callerCounts {
		b.Run(fmt.Sprint(callers), func(b *testing.B) { contest(b, "Acquire + release on etcd", callers, all) })
	}
}

// rawEtcd makes a key that nobody has, on one etcd lease, and deletes that revision of it.
func rawEtcd(b *testing.B, client *clientv3.Client) side {
	lease, err := client.Grant(b.Context(), 600)
	if err != nil {
		b.Fatal(err)
	}
	return func(ctx context.Context, caller int) error {
		key := fmt.Sprint("raw/", caller)
		got, err := client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, "bench", clientv3.WithLease(lease.ID))).Commit()
		if err != nil || !got.Succeeded {
			return fmt.Errorf("acquire: %v, %w", got, err)
		}
		_, err = client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", got.Header.Revision)).
			Then(clientv3.OpDelete(key)).Commit()
		return err
	}
}

// etcdMutex is the Mutex of etcd's client, on that many sessions: those who wait for
// one name need one each.
func etcdMutex(b *testing.B, client *clientv3.Client, sessions int) peer {
	var all []*concurrency.Session
	for range sessions {
		s, err := concurrency.NewSession(client, concurrency.WithTTL(60))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		all = append(all, s)
	}
	return peer{"concurrency.Mutex", func(ctx context.Context, name string, waiter int) (unlock, error) {
		m := concurrency.NewMutex(all[waiter%len(all)], "mutex/"+name)
		return m.Unlock, m.Lock(ctx)
	}}
}
