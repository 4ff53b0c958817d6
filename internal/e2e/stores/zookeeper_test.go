package stores

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

var zookeeper = column{
	name: "ZooKeeper", page: "zookeeper.md",
	start: startZooKeeper,
	lacks: map[string]string{"K": composed, "R26": noZones, "L3": quorum, "L6": notEvicting},
}

func startZooKeeper(t *testing.T) func(*testing.T, bool) *site {
	o := &realserver.ZooKeeperOptions{Settings: []string{"tickTime=200"}}
	shared := realserver.NewZooKeeper(t, o)
	return func(t *testing.T, own bool) *site {
		if own {
			return zookeeperSite(t, realserver.NewZooKeeper(t, o), "ringfence")
		}
		return zookeeperSite(t, shared, apart())
	}
}

func zookeeperSite(t *testing.T, server *realserver.ZooKeeper, prefix string) *site {
	at := &site{addr: server.Endpoints()[0]}
	at.opens = func(t *testing.T, addr string) (driver.Store, error) {
		return zkstore.Open(t.Context(), addr, &zkstore.Options{Prefix: prefix})
	}
	at.behindProxy()
	at.kill = func() { server.Kill(0); server.Start() }
	at.keep = func() func() {
		server.Stop()
		saved := server.SaveFiles()
		server.Start()
		return func() { server.Kill(0); server.RestoreFiles(saved); server.Start() }
	}
	at.flush = func() { removeNodes(t, at.addr, "/"+prefix) }
	at.forget = func() { removeNodes(t, at.addr, "/"+prefix+"/store") }
	at.clock = func(ahead time.Duration) {
		server.SetClock(0, fakeTime(ahead))
		server.Stop()
		server.Start()
	}
	return at
}

// removeNodes removes a node and all below it.
func removeNodes(t *testing.T, addr, path string) {
	t.Helper()
	conn, _, err := zk.Connect([]string{addr}, 10*time.Second, zk.WithLogger(quiet{}), zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := removeBelow(conn, path); err != nil {
		t.Fatal(err)
	}
}

func removeBelow(conn *zk.Conn, path string) error {
	children, _, err := conn.Children(path)
	for _, child := range children {
		if err := removeBelow(conn, path+"/"+child); err != nil {
			return err
		}
	}
	if err == nil {
		err = conn.Delete(path, -1)
	}
	if err == zk.ErrNoNode {
		err = nil
	}
	return err
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}
