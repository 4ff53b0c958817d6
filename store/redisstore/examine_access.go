package redisstore

import (
	"context"
	_ "embed"
	"net"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
)

//go:embed lua/examine.lua
var examineScript string

// probe is the name whose keys and channel the rights are tried on. It is longer
// than a name may be, so nobody can lease it.
var probe = strings.Repeat("examine/", 65)

// rights covers what this user may do, command by command.
func (e examination) rights(ctx context.Context) []driver.Finding {
	if e.info["role"] == "slave" || e.info["redis_mode"] == "sentinel" {
		return nil // where no write is taken, rights tell nothing
	}
	missing := e.missing(ctx)
	if len(missing) == 0 {
		return []driver.Finding{{Subject: "rights", Grade: driver.Fit, Found: "scripts, keys, channels and commands are allowed", Means: "this user can do all that the store does"}}
	}
	f := driver.Finding{Subject: "rights", Grade: driver.Unfit, Found: "refused: " + strings.Join(missing, ", "),
		Means: "a step that needs one of them fails", Do: rights}
	but := func(dispensable ...string) bool { // nothing is missing but these
		return !slices.ContainsFunc(missing, func(m string) bool { return !slices.Contains(dispensable, m) })
	}
	switch {
	case but("PUBLISH", "SUBSCRIBE"):
		f.Grade, f.Means = driver.Warning, "leases work, and whoever waits is not woken by a release: it asks again from time to time"
		f.Do = "grant the user PUBLISH, SUBSCRIBE, UNSUBSCRIBE and the channels of the store's keys"
	case but(append(lines, "PUBLISH", "SUBSCRIBE")...):
		f.Grade, f.Means = driver.Warning, "leases work, and whoever waits has no place in a line: who asks at the right moment gets the name"
		f.Do = "grant the user " + strings.Join(lines, ", ")
	case but("INFO", "PUBLISH", "SUBSCRIBE") && e.store.opts.WeakIdentity:
		return nil // told with the answer to INFO
	}
	return []driver.Finding{f}
}

// lines are the commands that only a line of waiters needs.
var lines = []string{"ZCARD", "ZRANK", "ZSCORE", "ZRANGE", "HDEL", "PEXPIRE"}

// missing names what the store uses and this user may not.
func (e examination) missing(ctx context.Context) []string {
	key, channel := e.store.lease(probe), e.store.tag+"hints:"+probe
	refused := func(err error) bool {
		return err != nil && answered(err) && (strings.HasPrefix(err.Error(), "NOPERM") || strings.Contains(err.Error(), "unknown command"))
	}
	if _, err := e.node.EvalSha(ctx, strings.Repeat("0", 40), []string{key}).Result(); refused(err) {
		return []string{"EVALSHA"}
	}
	found, err := e.node.Eval(ctx, examineScript, []string{key}, channel).StringSlice()
	switch {
	case refused(err) && strings.Contains(err.Error(), "key"):
		return []string{"the keys " + e.store.tag + "*"}
	case refused(err):
		return []string{"EVAL"}
	}
	sub := e.node.Subscribe(ctx, channel)
	defer func() { _ = sub.Close() }()
	if _, err := sub.Receive(ctx); refused(err) {
		found = append(found, "SUBSCRIBE")
	}
	return found
}

// ruins are commands that take every record away at once.
var ruins = [][]any{{"FLUSHALL"}, {"FLUSHDB"}, {"SWAPDB", "0", "1"}, {"DEBUG", "RELOAD"}}

// ruin covers what this user could destroy. It asks the server whether it would
// allow a command, and sends none of them.
func (e examination) ruin(ctx context.Context) []driver.Finding {
	user, err := e.node.Do(ctx, "ACL", "WHOAMI").Text()
	if err != nil {
		return []driver.Finding{unaskable}
	}
	var allowed []string
	for _, command := range ruins {
		reply, err := e.node.Do(ctx, append([]any{"ACL", "DRYRUN", user}, command...)...).Text()
		if err != nil {
			return []driver.Finding{unaskable}
		}
		if reply == "OK" {
			allowed = append(allowed, command[0].(string))
		}
	}
	f := driver.Finding{Subject: "destructive commands", Grade: driver.Fit, Found: "not allowed to this user", Means: "it can't take the records away"}
	if len(allowed) > 0 {
		f.Grade, f.Found = driver.Warning, "allowed to user "+user+": "+strings.Join(allowed, ", ")
		f.Means = "one of them by mistake, and every lease is gone: " + lost
		f.Do = "give leases a user of their own, as docs/stores/redis.md shows, and take these from all others"
	}
	return []driver.Finding{f}
}

var unaskable = driver.Finding{Subject: "destructive commands", Grade: driver.Fit, Found: "not told to this user",
	Means: "the server says only to a user with ACL|WHOAMI and ACL|DRYRUN (Redis 7) whether FLUSHALL and the like are allowed; a user for leases needs none of these"}

// keys covers what lies where the store has its own records.
func (e examination) keys(ctx context.Context) []driver.Finding {
	f := driver.Finding{Subject: "keys " + e.store.tag + "*", Grade: driver.Unfit, Do: "open the store with another Prefix"}
	own, err := e.node.HMGet(ctx, e.store.tag+"store", "format", "identity", "floor").Result()
	namesErr := e.node.Do(ctx, "ZRANGEBYLEX", e.store.tag+"names", "-", "+", "LIMIT", 0, 1).Err()
	for _, err := range []error{err, namesErr} {
		if err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE") {
			f.Found, f.Means = "a key of the store holds something else", "another program uses these keys"
			return []driver.Finding{f}
		}
		if err != nil && e.store.link.cluster == nil && strings.HasPrefix(err.Error(), "MOVED") {
			f.Found, f.Means, f.Do = "another server of the cluster has them", "a client of one server doesn't follow them there: no step succeeds", lonely
			return []driver.Finding{f}
		}
	}
	if err != nil || len(own) != 3 {
		return nil // the rights tell of it
	}
	switch {
	case own[0] == nil:
		f.Grade, f.Found, f.Means, f.Do = driver.Fit, "no store yet", "it is made when it is first opened", ""
	case own[0] != "1":
		f.Found, f.Means, f.Do = "a format of a newer release", "this release can't read it", "update this program"
	case own[1] == e.info["master_replid"], e.store.opts.WeakIdentity:
		f.Grade, f.Found, f.Means, f.Do = driver.Fit, "a store of this server", "its floor holds", ""
	case e.store.opts.RefuseNewIdentity:
		f.Found, f.Means, f.Do = "another server answers than the one on record", "the store grants nothing until that is accepted", "if that is right, accept it with `ringfence recover`"
	default:
		f.Grade, f.Found, f.Do = driver.Fit, "another server answers than the one on record", ""
		f.Means = "there was a restart, a fail-over or a restored copy: the next grant raises the floor above all that was handed out"
	}
	return []driver.Finding{f}
}

// secrecy covers who can read the password on its way.
func (e examination) secrecy(context.Context) []driver.Finding {
	return secrecyOf(e.node.Options())
}

func secrecyOf(o *redis.Options) []driver.Finding {
	host, _, err := net.SplitHostPort(o.Addr)
	local := err != nil || o.Network == "unix" || host == "localhost" || host == "" || net.ParseIP(host).IsLoopback()
	if o.TLSConfig != nil || local || o.Password == "" {
		return nil
	}
	return []driver.Finding{{Subject: "encryption", Grade: driver.Warning, Found: "a password without TLS to " + host,
		Means: "whoever sees the traffic can take the password, and with it every lease", Do: "use TLS (rediss://), or a network that nobody else is on"}}
}
