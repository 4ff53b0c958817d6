package redisguard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// infix stands in the key of each mark, between the hash tag and the resource.
const infix = "}:ringfence:mark:"

// Marks sums up the marks on the server, or in a cluster, of the leases whose names
// begin with prefix. It scans all keys; Redis goes on serving meanwhile.
func Marks(ctx context.Context, client redis.UniversalClient, prefix string) (guard.Marks, error) {
	var sum guard.Marks
	err := eachMark(ctx, client, prefix, func(m marked) error {
		sum = sum.Add(guard.Marks{Count: 1, Highest: m.token})
		return nil
	})
	return sum, err
}

// RaiseMarks raises those of them that are lower to a token, as if a term of each
// lease had begun with it at the resource, and returns how many. Nothing older can
// land there afterwards. Like [Guard.Establish] it raises nothing to a token that
// lies a day beyond the server's clock.
func RaiseMarks(ctx context.Context, client redis.UniversalClient, prefix string, to fence.Token) (int, error) {
	raised := 0
	err := eachMark(ctx, client, prefix, func(m marked) error {
		if m.token >= to {
			return nil
		}
		g, err := New(client, m.resource, guard.Latest, &Options{Lease: m.lease, Tag: m.tag})
		if err != nil {
			return err
		}
		_, err = g.Establish(ctx, fence.Fence{Name: m.lease, Token: to})
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

// marked is a mark as a scan finds it.
type marked struct {
	tag, resource, lease string
	token                fence.Token
}

// eachMark calls f with each mark, once.
func eachMark(ctx context.Context, client redis.UniversalClient, prefix string, f func(marked) error) error {
	keys, err := markKeys(ctx, client)
	for _, key := range keys {
		var m marked
		if m, err = readMark(ctx, client, key); err == nil && m.token != 0 && strings.HasPrefix(m.lease, prefix) {
			err = f(m)
		}
		if err != nil {
			break
		}
	}
	if _, told := errors.AsType[*guard.Error](err); told || err == nil {
		return err
	}
	return fmt.Errorf("the marks: %w: %w", guard.ErrUnavailable, err)
}

// markKeys finds the keys that may hold marks. A scan shows some of them twice.
func markKeys(ctx context.Context, client redis.UniversalClient) ([]string, error) {
	var one sync.Mutex
	var all []string
	node := func(ctx context.Context, c *redis.Client) error {
		keys := c.Scan(ctx, 0, "*"+infix+"*", 1000).Iterator()
		for keys.Next(ctx) {
			one.Lock()
			all = append(all, keys.Val())
			one.Unlock()
		}
		return keys.Err()
	}
	var err error
	switch c := client.(type) {
	case *redis.ClusterClient:
		err = c.ForEachMaster(ctx, node)
	case *redis.Client:
		err = node(ctx, c)
	default:
		_, err = connect(client, infix) // says what a guard takes
	}
	slices.Sort(all)
	return slices.Compact(all), err
}

// readMark reads the mark at a key. One that is no mark of ours has no token.
func readMark(ctx context.Context, client redis.UniversalClient, key string) (marked, error) {
	tag, resource, ok := strings.Cut(strings.TrimPrefix(key, "{"), infix)
	if !ok || !strings.HasPrefix(key, "{") {
		return marked{}, nil
	}
	found, err := client.HMGet(ctx, key, "lease", "token").Result()
	if err != nil {
		return marked{}, err
	}
	lease, _ := found[0].(string)
	text, _ := found[1].(string)
	token, err := fence.ParseToken(text)
	if err != nil || lease == "" { // never established
		return marked{}, nil
	}
	return marked{tag, resource, lease, token}, nil
}
