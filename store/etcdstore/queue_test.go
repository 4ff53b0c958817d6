package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// revision is how many transactions have written to the cluster, and one.
func revision(t *testing.T, client *clientv3.Client) int64 {
	t.Helper()
	resp, err := client.Get(t.Context(), "ringfence/store")
	if err != nil {
		t.Fatal(err)
	}
	return resp.Header.Revision
}

// atOnce acquires names at the same time.
func atOnce(t *testing.T, s driver.Store, names []string) ([]driver.Term, []error) {
	terms, errs := make([]driver.Term, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { terms[i], errs[i] = s.Acquire(t.Context(), request(name, time.Minute)) })
	}
	all.Wait()
	return terms, errs
}

// TestStepsShareATransaction: what many callers ask for at the same time goes in a few
// Txns, in which each has its own outcome.
func TestStepsShareATransaction(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprint("job ", i/2)) // each name twice
	}
	before := revision(t, client)
	terms, errs := atOnce(t, s, names)
	tokens := map[string]fence.Token{}
	for i, name := range names {
		switch held, refused := errors.AsType[*driver.HeldError](errs[i]); {
		case errs[i] == nil && tokens[name] == 0:
			tokens[name] = terms[i].Token
		case errs[i] == nil:
			t.Errorf("%s was granted twice", name)
		case !refused || held.Name != name:
			t.Errorf("%s: %v; want it held", name, errs[i])
		}
	}
	if n := revision(t, client) - before; len(tokens) != 100 || n > 50 {
		t.Errorf("%d grants in %d transactions; want 100 in a few", len(tokens), n)
	}
	for name, token := range tokens {
		if rec, err := s.Inspect(t.Context(), name); err != nil || rec.State != driver.Held || rec.Token != token {
			t.Errorf("%+v, %v; want token %s", rec, err, token)
		}
	}
}

// TestARefusedStepIsNobodyElses: etcd refuses a Txn as a whole for what is wrong with one
// step in it.
func TestARefusedStepIsNobodyElses(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	before := revision(t, client)
	good, bad := s.SendTogether("good", "bad")
	if good != nil || !errors.Is(bad, rpctypes.ErrLeaseNotFound) {
		t.Errorf("%v and %v; want one refused for its etcd lease", good, bad)
	}
	if n := revision(t, client) - before; n != 1 {
		t.Errorf("%d changes; want the one of the good step", n)
	}
}

// TestStuckTransactionsHoldUpNobody: a member that stands still answers nothing, while
// others would.
func TestStuckTransactionsHoldUpNobody(t *testing.T) {
	t.Parallel()
	s := open(t, connect(t, realserver.NewEtcd(t, nil)), nil)
	release(t, s, acquire(t, s, request("job", time.Minute)))
	s.Occupy(true)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := s.Acquire(ctx, request("job", time.Minute)); err != nil {
		t.Error(err)
	}
}

// TestWaitingStepIsWithdrawn: a step that was not sent when its caller left is no doubt.
func TestWaitingStepIsWithdrawn(t *testing.T) {
	t.Parallel()
	s := open(t, connect(t, realserver.NewEtcd(t, nil)), nil)
	term := acquire(t, s, request("job", time.Minute))
	free := s.Occupy(false)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wants(t, s.Release(ctx, term), driver.ErrUnavailable, "release")
	free()
	release(t, s, term)
}
