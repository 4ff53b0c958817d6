package zkstore_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/storetest"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

func (s *site) examine(t *testing.T, o zkstore.Options) []driver.Finding {
	t.Helper()
	o.Prefix = s.prefix
	all, err := zkstore.Examine(t.Context(), s.address, &o)
	return storetest.Findings(t, all, err)
}

// findings are those of a single server, before a store is there and after.
func findings(t *testing.T, at *site) {
	conn := at.conn(t)
	all := at.examine(t, zkstore.Options{})
	storetest.WantFinding(t, all, "version", driver.Fit, "ZooKeeper 3.")
	storetest.WantFinding(t, all, "servers", driver.Fit, "1 in the address")
	storetest.WantFinding(t, all, "ensemble", driver.Warning, "a single server")
	storetest.WantFinding(t, all, "session", driver.Fit, "4s, with ticks of 200 ms and limits of 400 to 4000 ms")
	storetest.WantFinding(t, all, "record", driver.Fit, "none at")
	storetest.WantFinding(t, all, "rights", driver.Warning, "everybody may write what the store would make")
	storetest.WantFinding(t, all, "credentials", driver.Fit, "none")
	if there, _, err := conn.Exists("/" + at.prefix); there || err != nil {
		t.Errorf("the look has made something: %v", err)
	}
	login := zkstore.Options{Auth: []zkstore.Auth{{Scheme: "digest", Secret: "jobs:s3cret"}}}
	at.open(t, login)
	all = at.examine(t, login)
	storetest.WantFinding(t, all, "record", driver.Fit, "at /"+at.prefix)
	storetest.WantFinding(t, all, "rights", driver.Fit, "not everybody")
	storetest.WantFinding(t, all, "credentials", driver.Fit, "this machine")
	all = at.examine(t, zkstore.Options{})
	storetest.WantFinding(t, all, "record", driver.Unfit, "not authenticated")

	at.prefix += "/open"
	at.open(t, zkstore.Options{ACL: zk.WorldACL(zk.PermAll), Auth: login.Auth})
	storetest.WantFinding(t, at.examine(t, zkstore.Options{}), "rights", driver.Warning, "everybody may write the store's record")
	if _, err := conn.Set("/"+at.prefix+"/store", []byte("mine"), -1); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, at.examine(t, zkstore.Options{}), "record", driver.Unfit, "something else")
}

// TestFindingsOfAnEnsemble: two of three voters are up, and tell little.
func TestFindingsOfAnEnsemble(t *testing.T) {
	t.Parallel()
	z := realserver.NewZooKeeper(t, &realserver.ZooKeeperOptions{Members: 3, Settings: []string{"4lw.commands.whitelist=srvr"}})
	address := strings.Join(z.Endpoints(), ",")
	all, err := zkstore.Examine(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, all, "servers", driver.Fit, "3 in the address, and all serve")
	storetest.WantFinding(t, all, "ensemble", driver.Fit, "3 voters")
	storetest.WantFinding(t, all, "session", driver.Fit, "limits are unknown")
	leader := z.Leader()
	z.Kill((leader + 1) % 3)
	if all, err = zkstore.Examine(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, all, "servers", driver.Warning, "no answer from "+z.Endpoints()[(leader+1)%3])
	far := &zkstore.Options{
		Auth: []zkstore.Auth{{Scheme: "digest", Secret: "jobs:s3cret"}},
		Dial: func(network, _ string, timeout time.Duration) (net.Conn, error) {
			return net.DialTimeout(network, z.Endpoints()[leader], timeout)
		},
	}
	if all, err = zkstore.Examine(t.Context(), "zk.example:2181", far); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, all, "credentials", driver.Fit, "by its own means")
	z.Kill((leader + 2) % 3) // no quorum
	_, err = zkstore.Examine(t.Context(), address, &zkstore.Options{AnswerWithin: 2 * time.Second})
	wants(t, err, driver.ErrUnavailable, "a look without a quorum")
}
