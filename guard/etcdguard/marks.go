package etcdguard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Marks sums up the marks below o.Prefix of the leases whose names begin with prefix.
func Marks(ctx context.Context, client *clientv3.Client, o *Options, prefix string) (guard.Marks, error) {
	var sum guard.Marks
	err := eachMark(ctx, client, o, prefix, func(_ *Guard, m guard.Mark) error {
		sum = sum.Add(guard.Marks{Count: 1, Highest: m.Token})
		return nil
	})
	return sum, err
}

// RaiseMarks raises those of them that are lower to a token, as if a term of each
// lease had begun with it at the resource, and returns how many. Nothing older can
// land there afterwards. Like [Guard.Establish] it raises nothing to a token that
// lies a day beyond o.Clock.
func RaiseMarks(ctx context.Context, client *clientv3.Client, o *Options, prefix string, to fence.Token) (int, error) {
	raised := 0
	err := eachMark(ctx, client, o, prefix, func(g *Guard, m guard.Mark) error {
		if m.Token >= to {
			return nil
		}
		_, err := g.Establish(ctx, fence.Fence{Name: m.Lease, Token: to})
		if refused, ok := errors.AsType[*fence.RefusedError](err); ok && refused.Verdict.Cause == fence.Superseded {
			return nil // it has risen by itself since
		}
		if err == nil {
			raised++
		}
		return err
	})
	return raised, err
}

// marksPage is how many marks one request reads.
const marksPage = 500

// eachMark calls f with each mark and a guard of its resource, in the order of keys.
func eachMark(ctx context.Context, client *clientv3.Client, o *Options, prefix string, f func(*Guard, guard.Mark) error) error {
	all, err := New(client, "-", guard.Latest, o) // checks the options, and knows their defaults
	if err != nil {
		return err
	}
	first := all.o.Prefix + "mark/"
	for key := first; ; {
		page, err := client.Get(ctx, key, clientv3.WithRange(clientv3.GetPrefixRangeEnd(first)), clientv3.WithLimit(marksPage))
		if err != nil {
			return fmt.Errorf("the marks below %s: %w: %w", fence.Quote(first), guard.ErrUnavailable, err)
		}
		for _, kv := range page.Kvs {
			m, err := decode(string(kv.Value))
			if err != nil {
				return fmt.Errorf("the mark at %s: %w", fence.Quote(string(kv.Key)), guard.ErrUnfit)
			}
			key = string(kv.Key) + "\x00"
			if !strings.HasPrefix(m.Lease, prefix) {
				continue
			}
			if err := f(all.of(strings.TrimPrefix(string(kv.Key), first)), m); err != nil {
				return err
			}
		}
		if !page.More {
			return nil
		}
	}
}

// of is a guard of another resource with the same options.
func (g *Guard) of(resource string) *Guard {
	return &Guard{client: g.client, resource: resource, rule: g.rule, o: g.o}
}
