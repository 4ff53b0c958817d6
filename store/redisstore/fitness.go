package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// fitness remembers when the server was last looked at.
type fitness struct{ last atomic.Pointer[time.Time] }

// lookEvery is how often a server that serves is looked at: its memory policy can be
// changed while it runs.
const lookEvery = time.Hour

func (f *fitness) done() {
	now := time.Now()
	f.last.Store(&now)
}

// due looks at the server again where that is due. One caller does it, and is told
// what it finds; as long as the server is unfit, so is everyone after it.
func (f *fitness) due(ctx context.Context, s *Store) error {
	seen := f.last.Load()
	if seen == nil || time.Since(*seen) < lookEvery || ctx.Err() != nil {
		return nil
	}
	now := time.Now()
	if !f.last.CompareAndSwap(seen, &now) {
		return nil
	}
	if _, err := s.inspectServer(ctx); err != nil {
		f.last.CompareAndSwap(&now, seen)
		return before(judge(err)).fault(s.about("look at the server"))
	}
	return nil
}

// prepare looks at the server and makes the record of the store where there is none.
func (s *Store) prepare(ctx context.Context) error {
	if ctx.Err() != nil {
		return left(ctx, false, nil)
	}
	durable, err := s.inspectServer(ctx)
	if err != nil {
		return err
	}
	s.props.Durable = durable
	s.look.done()
	got, r := s.do(ctx, "", setup)
	if r != nil {
		return *r
	}
	switch format, _ := got.value.(string); format {
	case "1":
		return nil
	case "":
		if _, r := s.do(ctx, "", raise, "0", s.link.weak, ""); r != nil {
			return *r
		}
		return nil
	default:
		return refuse("update this program, or open the store with another Prefix",
			fmt.Sprintf("the store has format %.20q, from a newer release", format))
	}
}

// inspectServer says whether the server can host leases, and whether it writes
// each grant to its disk before it answers.
func (s *Store) inspectServer(ctx context.Context) (durable bool, err error) {
	return apart(ctx, s.queue.aside, func() (bool, error) {
		node, err := s.link.node(ctx, false)
		if err != nil {
			return false, err
		}
		if s.opts.WeakIdentity {
			return false, configured(ctx, node)
		}
		text, err := node.Info(ctx).Result()
		if err != nil {
			return false, err
		}
		info := parseInfo(text)
		sync, _ := setting(ctx, node, "appendfsync") // where that is forbidden, nothing is promised
		return info["aof_enabled"] == "1" && sync == "always", info.fits()
	})
}

// setting reads one line of the server's configuration.
func setting(ctx context.Context, node *redis.Client, name string) (string, error) {
	all, err := node.ConfigGet(ctx, name).Result()
	return all[name], err
}

// configured judges a server that won't say more about itself than its
// configuration, if that.
func configured(ctx context.Context, node *redis.Client) error {
	most, mostErr := setting(ctx, node, "maxmemory")
	policy, policyErr := setting(ctx, node, "maxmemory-policy")
	if mostErr != nil || policyErr != nil {
		return nil // where it could not be reached, the script that follows says so
	}
	return memoryFits(most, policy)
}

// info is what a server says about itself, field by field.
type info map[string]string

func parseInfo(text string) info {
	all := info{}
	for line := range strings.Lines(text) {
		if field, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); ok {
			all[field] = value
		}
	}
	return all
}

// fits is why a server can't host leases, or nil.
func (i info) fits() error {
	if i.outdated() {
		return refuse("use Redis 6.2 or later, or Valkey", "the server is Redis "+i["redis_version"])
	}
	if i["loading"] == "1" {
		return unavailable("").because(fmt.Errorf("the server reads its data from the disk"))
	}
	if i["role"] != "master" {
		return refuse(primary, "the server is a replica of "+i["master_host"]+":"+i["master_port"])
	}
	return memoryFits(i["maxmemory"], i["maxmemory_policy"])
}

func memoryFits(most, policy string) error {
	if n, err := strconv.ParseInt(most, 10, 64); (err == nil && n == 0) || policy == "noeviction" {
		return nil
	}
	return refuse("set maxmemory-policy to noeviction, or use a Redis of its own for leases",
		"the server removes keys when its memory is full (maxmemory-policy "+policy+"), and with them leases and their numbers")
}
