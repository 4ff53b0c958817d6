package etcdguard_test

import (
	"context"
	"crypto/rand"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/etcdguard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

const unwritable = "a text that hangs on an etcd lease which does not exist"

// text is one key of etcd behind a guard.
type text struct {
	*etcdguard.Guard
	client *clientv3.Client
	key    string
}

func connect(t testing.TB) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: realserver.NewEtcd(t, nil).Endpoints(), Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func newText(t testing.TB, client *clientv3.Client, r guard.Rule) text {
	t.Helper()
	key := "data/" + rand.Text()
	g, err := etcdguard.New(client, key, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text{g, client, key}
}

func (x text) put(value string) clientv3.Op {
	if value == unwritable {
		return clientv3.OpPut(x.key, value, clientv3.WithLease(42))
	}
	return clientv3.OpPut(x.key, value)
}

func (x text) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return x.Guard.Write(ctx, w, x.put(value))
}

func (x text) Read(ctx context.Context) (string, error) {
	resp, err := x.client.Get(ctx, x.key)
	if err != nil || len(resp.Kvs) == 0 {
		return "", err
	}
	return string(resp.Kvs[0].Value), nil
}

// compared writes in a transaction of the caller's own.
type compared struct{ text }

func (x compared) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	a, err := x.Admit(w.Fence)
	if err != nil {
		return verdictOf(err)
	}
	if err := ctx.Err(); err != nil { // not sent
		return (&guard.Error{Kind: guard.ErrUnavailable, Err: err}).Verdict(), err
	}
	return a.Verdict(x.client.Txn(ctx).If(a.If...).Then(append(a.Then, x.put(value))...).Else(a.Else...).Commit())
}

func TestGuard(t *testing.T) {
	t.Parallel()
	client := connect(t)
	for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		t.Run(rule.String(), func(t *testing.T) {
			guardtest.Run(t, guardtest.Target{
				Rule: rule, Establishes: true, Keys: true, Unwritable: unwritable,
				Open: func(context.Context, string) (guardtest.Resource, error) { return newText(t, client, rule), nil },
			})
		})
	}
	t.Run("latest in a transaction of one's own", func(t *testing.T) {
		guardtest.Run(t, guardtest.Target{
			Rule: guard.Latest, Establishes: true, Unwritable: unwritable,
			Open: func(context.Context, string) (guardtest.Resource, error) {
				return compared{newText(t, client, guard.Latest)}, nil
			},
		})
	})
}
