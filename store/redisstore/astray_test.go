package redisstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

// An address can lead to a replica for a while, after a promotion of another one, say, and
// with it some of a client's connections. What a replica shows may be old: it ends no
// term, and keeps nobody out.
func TestReplicaJudgesNothing(t *testing.T) {
	t.Parallel()
	primary := realserver.NewRedis(t, nil)
	link, way := realserver.NewProxy(t, primary.Addr()), realserver.NewProxy(t, primary.Addr())
	client := open(t, dial(t, way.Addr(), primary, false), nil)
	weak := open(t, dial(t, way.Addr(), primary, false), &redisstore.Options{WeakIdentity: true, Prefix: "weak"})
	ended := take(t, weak, "ended")
	replica := primary.Replica(t, link.Addr())
	replica.Exec("ACL", "SETUSER", "default", ">"+primary.Password()) // one password for both
	link.Blackhole()
	held := take(t, client, "held") // which the replica doesn't know
	release(t, weak, ended)         // nor this
	way.Retarget(replica.Addr())
	way.Cut()
	for _, call := range []func() error{
		func() error { _, err := client.Renew(t.Context(), held, time.Minute); return err },
		func() error { return client.Release(t.Context(), held) },
		func() error { _, err := weak.Acquire(t.Context(), request("ended")); return err },
	} {
		var err error
		until(t, "it is asked over a new connection", func() bool { err = call(); return !errors.Is(err, driver.ErrUnknown) })
		wantError(t, err, driver.ErrUnavailable, "replica")
	}
	way.Retarget(primary.Addr())
	way.Cut()
	if _, err := client.Renew(t.Context(), held, time.Minute); err != nil {
		t.Errorf("renew at the primary: %v", err)
	}
	take(t, weak, "ended")
}

// A client of one server follows no key to another one of its cluster: that never mends.
func wantLonely(t *testing.T, one *realserver.Redis) {
	t.Helper()
	client := dial(t, one.Addr(), one, false)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := redisstore.Open(ctx, client, nil)
	wantError(t, err, driver.ErrUnfit, "ClusterClient")
	found, err := redisstore.Examine(t.Context(), client, nil)
	storetest.WantFinding(t, storetest.Findings(t, found, err), "keys {ringfence}:*", driver.Unfit, "ClusterClient")
}
