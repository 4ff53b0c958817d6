package redisguard_test

import (
	"errors"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/redisguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// TestMarksOfARecovery sums up and raises the marks of some leases, and leaves those of
// others, and what merely looks like one.
func TestMarksOfARecovery(t *testing.T) {
	t.Parallel()
	for name, cluster := range map[string]bool{"server": false, "cluster": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := realserver.NewRedis(t, &realserver.RedisOptions{Cluster: cluster})
			client, ctx := dial(t, server.Addr(), server, cluster), t.Context()
			for resource, f := range map[string]fence.Fence{
				"a": {Name: "job/a", Token: 7}, "b": {Name: "job/b", Token: 900}, "x}:ringfence:mark:y": {Name: "job/b", Token: 5}, "c": {Name: "other", Token: 3},
			} {
				g, err := redisguard.New(client, resource, guard.Sequenced, &redisguard.Options{Tag: "t"})
				if err == nil {
					_, err = g.Establish(ctx, f)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := client.HSet(ctx, "not}:ringfence:mark:ours", "token", "12").Err(); err != nil {
				t.Fatal(err)
			}
			if m, err := redisguard.Marks(ctx, client, "job/"); err != nil || m != (guard.Marks{Count: 3, Highest: 900}) {
				t.Errorf("%+v, %v", m, err)
			}
			if n, err := redisguard.RaiseMarks(ctx, client, "job/", 100); err != nil || n != 2 {
				t.Errorf("raised %d, %v; want the two that are lower", n, err)
			}
			for resource, want := range map[string]bool{"a": false, "b": true, "x}:ringfence:mark:y": false, "c": true} {
				lease := map[string]string{"a": "job/a", "c": "other"}[resource]
				if lease == "" {
					lease = "job/b"
				}
				g, err := redisguard.New(client, resource, guard.Sequenced, &redisguard.Options{Tag: "t"})
				if err != nil {
					t.Fatal(err)
				}
				token := fence.Token(99)
				if resource == "b" {
					token = 900
				}
				if _, err = g.Establish(ctx, fence.Fence{Name: lease, Token: token}); want != (err == nil) {
					t.Errorf("token %s at %q: %v", token, resource, err)
				}
			}
			_, err := redisguard.RaiseMarks(ctx, client, "", fence.MaxToken)
			if refused, ok := errors.AsType[*fence.RefusedError](err); !ok || refused.Verdict.Cause != fence.Future {
				t.Errorf("raised to the end of all numbers: %v", err)
			}
			if _, err := redisguard.Marks(ctx, dial(t, "127.0.0.1:1", server, false), ""); !errors.Is(err, guard.ErrUnavailable) {
				t.Errorf("a server that is down: %v", err)
			}
		})
	}
}
