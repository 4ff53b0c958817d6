package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
)

// Examine says what decides whether the Redis of client can host leases under the
// options o, finding by finding. It works where Open refuses, and changes nothing.
// The error says that the server could not be asked at all, and is one of the
// contract.
func Examine(ctx context.Context, client redis.UniversalClient, o *Options) ([]driver.Finding, error) {
	full, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	link, err := connect(client, full)
	if err != nil {
		return nil, err
	}
	s := newStore(link, full)
	defer func() { go func() { _ = s.Close() }() }() // a connection that hangs must not keep the caller
	found, err := apart(ctx, s.queue.aside, func() ([]driver.Finding, error) {
		node, err := link.node(ctx, false)
		if err != nil {
			return nil, err
		}
		return s.examine(ctx, node)
	})
	if err != nil {
		return nil, before(judge(err)).fault("examine the store " + s.props.Store)
	}
	return found, nil
}

// examination is a server that is being looked at.
type examination struct {
	node  *redis.Client
	store *Store
	info  info
}

func (s *Store) examine(ctx context.Context, node *redis.Client) ([]driver.Finding, error) {
	text, err := node.Info(ctx).Result()
	if err != nil && !answered(err) {
		return nil, err
	}
	e := examination{node, s, parseInfo(text)}
	all := e.answers(err)
	if err != nil && !strings.HasPrefix(err.Error(), "NOPERM") {
		return all, nil // whoever isn't let in, or is told to wait, learns no more
	}
	for _, look := range []func(context.Context) []driver.Finding{
		e.version, e.role, e.memory, e.persistence, e.replicas, e.rights, e.ruin, e.keys, e.clock, e.room, e.secrecy,
	} {
		all = append(all, look(ctx)...)
	}
	return all, ctx.Err()
}

// answered reports whether an error is the server's own word.
func answered(err error) bool {
	var said redis.Error
	return errors.As(err, &said) && !errors.Is(err, redis.Nil)
}

// answers tells what the server says instead of telling about itself.
func (e examination) answers(err error) []driver.Finding {
	if err == nil {
		return nil
	}
	f := driver.Finding{Subject: "login", Grade: driver.Unfit, Found: err.Error(), Means: "the server lets this client do nothing", Do: answer(err.Error()).hint}
	if f.Do == "" {
		f.Do = "see the server's log"
	}
	switch code, _, _ := strings.Cut(err.Error(), " "); {
	case code == "LOADING" || code == "BUSY" || code == "MASTERDOWN":
		f.Subject, f.Means, f.Do = "state", "until that is over nothing is granted or renewed", "wait, and see the server's log"
	case code == "NOPERM":
		f.Subject, f.Means = "identity", "it may not run INFO, by which each grant tells that the server was restarted or another one promoted"
	}
	if f.Subject == "identity" && e.store.opts.WeakIdentity {
		f.Grade, f.Means = driver.Warning, "a restart or a promotion goes unnoticed, and only the server's clock keeps tokens rising across it"
		f.Do = "let the user run INFO, and open the store without WeakIdentity"
	}
	return []driver.Finding{f}
}

func (e examination) version(context.Context) []driver.Finding {
	f := driver.Finding{Subject: "version", Grade: driver.Fit, Found: "Redis " + e.info["redis_version"], Means: "has every command that the scripts use"}
	if v := e.info["valkey_version"]; v != "" {
		f.Found = "Valkey " + v
	}
	switch {
	case e.info == nil || e.info["redis_version"] == "":
		return nil
	case e.info.outdated():
		f.Grade, f.Means, f.Do = driver.Unfit, "lacks what the scripts use", "use Redis 6.2 or later, or Valkey"
	}
	return []driver.Finding{f}
}

// outdated reports whether the server is older than what the scripts need.
func (i info) outdated() bool {
	var major, minor int
	n, _ := fmt.Sscanf(i["redis_version"], "%d.%d", &major, &minor)
	return n == 2 && (major < 6 || major == 6 && minor < 2)
}

// role covers what the server is to others: a primary or not, alone, of a
// cluster, or one that watches over others.
func (e examination) role(ctx context.Context) []driver.Finding {
	f := driver.Finding{Subject: "role", Grade: driver.Fit, Found: "primary", Means: "takes writes"}
	switch mode := e.info["redis_mode"]; {
	case mode == "":
		return nil
	case mode == "sentinel":
		f.Grade, f.Found, f.Means = driver.Unfit, "sentinel", "it knows where the primary is, and keeps no data"
		f.Do = "connect to the primary that it names, or use the client's fail-over options"
	case e.info["role"] != "master":
		f.Grade, f.Found = driver.Unfit, "replica of "+e.info["master_host"]+":"+e.info["master_port"]
		f.Means, f.Do = "it takes no writes, and may lag behind what was granted", primary
	case mode == "cluster":
		f.Found, f.Means = "primary of a cluster", "all keys of a store have one hash tag, so that one shard has them all"
		if text, err := e.node.ClusterInfo(ctx).Result(); err == nil && parseInfo(text)["cluster_state"] != "ok" {
			f.Grade, f.Found, f.Means, f.Do = driver.Unfit, "primary of a cluster that is down", "it answers no script", "see CLUSTER INFO and CLUSTER NODES"
		}
	}
	return []driver.Finding{f}
}

// nearlyFull is the share of a limit from which on it is said to be near.
const nearlyFull = 0.9

// number is a figure of the server, or 0.
func (i info) number(field string) float64 {
	n, _ := strconv.ParseFloat(i[field], 64)
	return n
}

// clock compares the server's clock with this machine's, which takes no part in
// a lease, by one question and its round trip.
func (e examination) clock(ctx context.Context) []driver.Finding {
	asked := time.Now()
	there, err := e.node.Time(ctx).Result()
	if err != nil {
		return nil // the rights tell of it
	}
	half := time.Since(asked) / 2
	off := there.Sub(asked.Add(half))
	f := driver.Finding{Subject: "clock", Grade: driver.Fit,
		Found: fmt.Sprintf("%+d ms against this machine's, give or take %.1f ms", off.Milliseconds(), half.Seconds()*1e3+0.05),
		Means: "the server's clock judges leases; this machine's takes no part"}
	if off.Abs() > time.Minute {
		f.Grade = driver.Warning
		f.Means = "one of the two is wrong; a fail-over to a server whose clock lags by more than a minute can repeat tokens, and a guard refuses one that is a day ahead of its own clock"
		f.Do = "keep the clocks of all servers together (NTP)"
	}
	return []driver.Finding{f}
}
