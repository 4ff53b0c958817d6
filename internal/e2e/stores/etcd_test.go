package stores

import (
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

const etcdClock = "The store reads no clock of anybody: a lease is counted down by the leader's monotonic one."

var etcd = column{
	name: "etcd", page: "etcd.md",
	start: startEtcd,
	lacks: map[string]string{"R26": noZones, "L3": quorum, "L6": notEvicting, "L7": etcdClock},
	remains: map[string]string{
		"L2b": "An older state of the disk under the same cluster id, in no lower raft term, can't be told from the present one: " +
			"run `ringfence recover` after each restore.",
	},
}

func startEtcd(t *testing.T) func(*testing.T, bool) *site {
	shared := realserver.NewEtcd(t, nil)
	return func(t *testing.T, own bool) *site {
		if own {
			return etcdSite(t, realserver.NewEtcd(t, nil), "ringfence/")
		}
		return etcdSite(t, shared, apart()+"/")
	}
}

func etcdSite(t *testing.T, server *realserver.Etcd, prefix string) *site {
	at := &site{addr: server.Endpoints()[0]}
	at.opens = func(t *testing.T, addr string) (driver.Store, error) {
		return etcdstore.Open(t.Context(), dialEtcd(t, addr), &etcdstore.Options{Prefix: prefix})
	}
	at.behindProxy()
	at.kill = func() { server.Kill(0); server.Start() }
	at.keep = func() func() {
		server.Stop()
		saved := server.SaveFiles()
		server.Start()
		return func() { server.Kill(0); server.RestoreFiles(saved); server.Start() }
	}
	remove := func(key string, o ...clientv3.OpOption) {
		if _, err := dialEtcd(t, at.addr).Delete(t.Context(), key, o...); err != nil {
			t.Fatal(err)
		}
	}
	at.flush = func() { remove(prefix, clientv3.WithPrefix()) }
	at.forget = func() { remove(prefix + "store") }
	return at
}

func dialEtcd(t *testing.T, addr string) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{addr}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
