package etcdstore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func examine(t *testing.T, client *clientv3.Client) []driver.Finding {
	t.Helper()
	found, err := etcdstore.Examine(t.Context(), client, nil)
	return storetest.Findings(t, found, err)
}

func TestExamineOneMember(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	before, err := client.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	found := examine(t, client)
	storetest.WantFinding(t, found, "version", driver.Fit, "etcd 3.")
	storetest.WantFinding(t, found, "members", driver.Warning, "run three members")
	storetest.WantFinding(t, found, "endpoints", driver.Fit, "it answers")
	storetest.WantFinding(t, found, "rights", driver.Fit, "may read and write")
	storetest.WantFinding(t, found, "authentication", driver.Warning, "etcdctl auth enable")
	storetest.WantFinding(t, found, "alarms", driver.Fit, "none")
	storetest.WantFinding(t, found, "compaction", driver.Fit, "too early")
	storetest.WantFinding(t, found, "keys below ringfence/", driver.Fit, "no store yet")
	after, err := client.Get(t.Context(), "x")
	if err != nil || after.Header.Revision != before.Header.Revision {
		t.Errorf("the examination has written: revision %d, before %d, %v", after.Header.Revision, before.Header.Revision, err)
	}

	s := open(t, client, nil)
	release(t, s, acquire(t, s, request("n", time.Minute)))
	storetest.WantFinding(t, examine(t, client), "keys below ringfence/", driver.Fit, "a store of this cluster")
	if _, err := client.Compact(t.Context(), after.Header.Revision+1); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, examine(t, client), "compaction", driver.Fit, "old revisions are removed")
	if _, err := client.Delete(t.Context(), "ringfence/store"); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, examine(t, client), "keys below ringfence/", driver.Unfit, "ringfence recover")
	if _, err := client.Put(t.Context(), "ringfence/store", "mine"); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, examine(t, client), "keys below ringfence/", driver.Unfit, "a prefix of its own")
}

func TestExamineAfterRestore(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	s := open(t, client, nil)
	release(t, s, acquire(t, s, request("n", time.Minute)))
	saved := etcd.Snapshot()
	etcd.Stop()
	etcd.RestoreSnapshot(saved, "another")
	etcd.Start()
	storetest.WantFinding(t, examine(t, connect(t, etcd)), "keys below ringfence/", driver.Unfit, "ringfence recover --above")
}

func TestExamineThreeMembers(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, &realserver.EtcdOptions{Members: 3})
	client := connect(t, etcd)
	found := examine(t, client)
	storetest.WantFinding(t, found, "members", driver.Fit, "1 of them can be lost")
	storetest.WantFinding(t, found, "endpoints", driver.Fit, "3, and all answer")
	until(t, "the members to have known each other for long enough to take another one", func() bool {
		_, err := client.MemberAddAsLearner(t.Context(), []string{"http://127.0.0.1:9"})
		return err == nil
	})
	storetest.WantFinding(t, examine(t, client), "members", driver.Fit, "1 of them can be lost")
	etcd.Kill(0)
	storetest.WantFinding(t, examine(t, client), "endpoints", driver.Warning, "no answer from "+etcd.Endpoints()[0])
	etcd.Kill(1)
	until(t, "the last member to give up", func() bool {
		for _, f := range examine(t, client) {
			if f.Subject == "rights" && f.Grade == driver.Unfit && strings.Contains(f.Means, "no majority") {
				return true
			}
		}
		return false
	})
	etcd.Kill(2)
	if found, err := etcdstore.Examine(t.Context(), client, nil); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("no member: %v, %v; want ErrUnavailable", found, err)
	}
}

func TestExamineTwoMembers(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, &realserver.EtcdOptions{Members: 2})
	other := realserver.NewEtcd(t, nil)
	storetest.WantFinding(t, examine(t, connect(t, etcd)), "members", driver.Warning, "run 1 or 3 members")
	mixed := connectTo(t, clientv3.Config{Endpoints: append(etcd.Endpoints(), other.Endpoints()...)})
	storetest.WantFinding(t, examine(t, mixed), "endpoints", driver.Unfit, "of different clusters")
}

func TestExamineFullServer(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, &realserver.EtcdOptions{Settings: []string{"--quota-backend-bytes=1000000"}})
	client := connect(t, etcd)
	until(t, "the alarm", func() bool {
		_, err := client.Put(t.Context(), "x", strings.Repeat("x", 500_000))
		return err != nil && strings.Contains(err.Error(), "space exceeded")
	})
	storetest.WantFinding(t, examine(t, client), "alarms", driver.Unfit, "NOSPACE")
}

func TestExamineRights(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	admin := connect(t, etcd)
	ctx := t.Context()
	steps := []func() error{
		func() error { _, err := admin.UserAdd(ctx, "root", "secret"); return err },
		func() error { _, err := admin.UserGrantRole(ctx, "root", "root"); return err },
		func() error { _, err := admin.UserAdd(ctx, "jobs", "secret"); return err },
		func() error { _, err := admin.RoleAdd(ctx, "jobs"); return err },
		func() error {
			_, err := admin.RoleGrantPermission(ctx, "jobs", "ringfence/", "ringfence0", clientv3.PermissionType(clientv3.PermRead))
			return err
		},
		func() error { _, err := admin.UserGrantRole(ctx, "jobs", "jobs"); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	as := func(user string) *clientv3.Client {
		return connectTo(t, clientv3.Config{Endpoints: etcd.Endpoints(), Username: user, Password: "secret"})
	}
	storetest.WantFinding(t, examine(t, as("jobs")), "authentication", driver.Warning, "off")
	if _, err := admin.AuthEnable(ctx); err != nil {
		t.Fatal(err)
	}
	storetest.WantFinding(t, examine(t, as("jobs")), "rights", driver.Unfit, "grant-permission")
	root := as("root")
	if _, err := root.RoleGrantPermission(ctx, "jobs", "ringfence/", "ringfence0", clientv3.PermissionType(clientv3.PermReadWrite)); err != nil {
		t.Fatal(err)
	}
	for _, f := range examine(t, as("jobs")) {
		if f.Grade != driver.Fit && f.Subject != "members" || f.Subject == "authentication" {
			t.Errorf("with rights and a user: %+v", f)
		}
	}
	storetest.WantFinding(t, examine(t, connect(t, etcd)), "rights", driver.Unfit, "user")
}
