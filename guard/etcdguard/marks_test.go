package etcdguard_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/etcdguard"
)

// TestMarksOfARecovery sums up and raises the marks of some leases, over more than one
// page, and leaves those of others.
func TestMarksOfARecovery(t *testing.T) {
	t.Parallel()
	client, ctx := connect(t), t.Context()
	establish := func(resource, lease string, token fence.Token) error {
		g, err := etcdguard.New(client, resource, guard.Sequenced, nil)
		if err == nil {
			_, err = g.Establish(ctx, fence.Fence{Name: lease, Token: token})
		}
		return err
	}
	const many = 600
	for i := range many {
		if err := establish(fmt.Sprint("r", i), fmt.Sprint("job/", i), 7); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(establish("high", "job/high", 900), establish("other", "other", 3)); err != nil {
		t.Fatal(err)
	}
	if m, err := etcdguard.Marks(ctx, client, nil, "job/"); err != nil || m != (guard.Marks{Count: many + 1, Highest: 900}) {
		t.Errorf("%+v, %v", m, err)
	}
	if n, err := etcdguard.RaiseMarks(ctx, client, nil, "job/", 100); err != nil || n != many {
		t.Errorf("raised %d, %v; want those that are lower", n, err)
	}
	for _, c := range []struct {
		resource, lease string
		token           fence.Token
		refused         bool
	}{{"r0", "job/0", 99, true}, {"r599", "job/599", 99, true}, {"r0", "job/0", 101, false}, {"high", "job/high", 900, false}, {"other", "other", 4, false}} {
		if err := establish(c.resource, c.lease, c.token); errors.Is(err, fence.ErrRefused) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
	_, err := etcdguard.RaiseMarks(ctx, client, nil, "", fence.MaxToken)
	if refused, ok := errors.AsType[*fence.RefusedError](err); !ok || refused.Verdict.Cause != fence.Future {
		t.Errorf("raised to the end of all numbers: %v", err)
	}
}
