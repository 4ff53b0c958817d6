package redisstore

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func clientOf(t *testing.T, o redis.Options) *redis.Client {
	t.Helper()
	client := redis.NewClient(&o)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func examine(t *testing.T, client *redis.Client, o *Options) []driver.Finding {
	t.Helper()
	found, err := Examine(t.Context(), client, o)
	return storetest.Findings(t, found, err)
}

// TestExamineFinds looks at servers that were started with something wrong.
func TestExamineFinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		durable  bool
		settings []string
		subject  string
		grade    driver.Grade
		words    string
	}{
		{"eviction", false, []string{"maxmemory 100mb", "maxmemory-policy allkeys-lru"}, "eviction policy", driver.Unfit, "allkeys-lru"},
		{"eviction of what expires", false, []string{"maxmemory 100mb", "maxmemory-policy volatile-ttl"}, "eviction policy", driver.Unfit, "noeviction"},
		{"no eviction", false, []string{"maxmemory 100mb", "maxmemory-policy noeviction"}, "eviction policy", driver.Fit, "noeviction"},
		{"full memory", false, []string{"maxmemory 1mb", "maxmemory-policy noeviction"}, "memory", driver.Warning, "OOM"},
		{"nothing on disk", false, nil, "persistence", driver.Warning, "a restart loses every lease"},
		{"snapshots", false, []string{"save 3600 1"}, "persistence", driver.Warning, "since the last snapshot"},
		{"a second", false, []string{"appendonly yes", "appendfsync everysec"}, "persistence", driver.Warning, "one or two seconds"},
		{"no fsync", false, []string{"appendonly yes", "appendfsync no"}, "persistence", driver.Warning, "had not written yet"},
		{"durable", true, nil, "persistence", driver.Fit, "on the disk before"},
		{"few connections", false, []string{"maxclients 2"}, "connections", driver.Warning, "can't renew"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := realserver.NewRedis(t, &realserver.RedisOptions{Durable: c.durable, Settings: c.settings})
			client := clientOf(t, redis.Options{Addr: server.Addr(), Password: server.Password(), PoolSize: 2})
			if c.name == "few connections" {
				if err := client.Ping(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
				idle := clientOf(t, redis.Options{Addr: server.Addr(), Password: server.Password()})
				if err := idle.Ping(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
			}
			storetest.WantFinding(t, examine(t, client, nil), c.subject, c.grade, c.words)
		})
	}
}

func TestExamineOfAGoodServer(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, &realserver.RedisOptions{Durable: true, Settings: []string{
		"user jobs on >secret ~{ringfence}:* &{ringfence}:* -@all +@connection +eval +evalsha +time +info +hmget +hget +hset +del" +
			" +zadd +zrem +zrangebylex +zcard +zrank +zscore +zrange +hdel +pexpire +publish +subscribe +unsubscribe +config|get", // as docs/stores/redis.md says
	}})
	client := clientOf(t, redis.Options{Addr: server.Addr(), Username: "jobs", Password: "secret"})
	storetest.WantFit(t, examine(t, client, nil))
	if keys := server.Exec("DBSIZE"); keys != "0" {
		t.Errorf("it left %s keys", keys)
	}
	storetest.WantFinding(t, examine(t, client, nil), "keys {ringfence}:*", driver.Fit, "no store yet")
	s, err := Open(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.WantFinding(t, examine(t, client, nil), "keys {ringfence}:*", driver.Fit, "a store of this server")
	server.Kill()
	server.Start()
	storetest.WantFinding(t, examine(t, client, nil), "keys {ringfence}:*", driver.Fit, "another server")
	storetest.WantFinding(t, examine(t, client, &Options{RefuseNewIdentity: true}), "keys {ringfence}:*", driver.Unfit, "ringfence recover")
}

// TestExamineRights takes one right after the other from a user.
func TestExamineRights(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	allow := func(rules ...string) *redis.Client {
		server.Exec(append([]string{"ACL", "SETUSER", "jobs", "reset", "on", ">secret", "~*", "&*", "+@all"}, rules...)...)
		return clientOf(t, redis.Options{Addr: server.Addr(), Username: "jobs", Password: "secret"})
	}
	for _, command := range []string{"eval", "evalsha", "time", "hmget", "hget", "hset", "del", "zadd", "zrem", "zrangebylex"} {
		storetest.WantFinding(t, examine(t, allow("-"+command), nil), "rights", driver.Unfit, "refused: "+strings.ToUpper(command)+";")
	}
	for _, command := range []string{"publish", "subscribe", "zcard", "zrank", "zscore", "zrange", "hdel", "pexpire"} {
		storetest.WantFinding(t, examine(t, allow("-"+command), nil), "rights", driver.Warning, "refused: "+strings.ToUpper(command)+";")
	}
	storetest.WantFinding(t, examine(t, allow("-info"), nil), "identity", driver.Unfit, "INFO")
	storetest.WantFinding(t, examine(t, allow("-info"), &Options{WeakIdentity: true}), "identity", driver.Warning, "unnoticed")
	storetest.WantFinding(t, examine(t, allow("resetkeys", "~other:*"), nil), "rights", driver.Unfit, "keys")
	storetest.WantFinding(t, examine(t, allow("resetchannels", "&other:*"), nil), "rights", driver.Warning, "PUBLISH, SUBSCRIBE")
	storetest.WantFinding(t, examine(t, allow("-config"), nil), "persistence", driver.Warning, "")
	storetest.WantFinding(t, examine(t, allow(), nil), "destructive commands", driver.Warning, "FLUSHALL, FLUSHDB, SWAPDB, DEBUG")
	storetest.WantFinding(t, examine(t, allow("-flushall", "-flushdb", "-swapdb", "-debug"), nil), "destructive commands", driver.Fit, "not allowed")
	storetest.WantFinding(t, examine(t, clientOf(t, redis.Options{Addr: server.Addr(), Username: "jobs", Password: "wrong"}), nil), "login", driver.Unfit, "WRONGPASS")
	storetest.WantFinding(t, examine(t, clientOf(t, redis.Options{Addr: server.Addr()}), nil), "login", driver.Unfit, "NOAUTH")
}

func TestExamineReplicas(t *testing.T) {
	t.Parallel()
	primary := realserver.NewRedis(t, nil)
	replica := primary.Replica(t, primary.Addr())
	at := func(r *realserver.Redis) []driver.Finding {
		return examine(t, clientOf(t, redis.Options{Addr: r.Addr(), Password: r.Password()}), nil)
	}
	storetest.WantFinding(t, at(replica), "role", driver.Unfit, "replica of 127.0.0.1:")
	storetest.WantFinding(t, at(primary), "replicas", driver.Warning, "set min-replicas-to-write to 1")
	primary.Exec("CONFIG", "SET", "min-replicas-to-write", "1")
	storetest.WantFinding(t, at(primary), "replicas", driver.Warning, "min-replicas-to-write 1")
	replica.Promote()
	storetest.WantFinding(t, at(replica), "role", driver.Fit, "primary")
}

func TestExamineForeignKeys(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := clientOf(t, redis.Options{Addr: server.Addr(), Password: server.Password()})
	server.Exec("SET", "{ringfence}:names", "mine")
	storetest.WantFinding(t, examine(t, client, nil), "keys {ringfence}:*", driver.Unfit, "another Prefix")
	server.Exec("DEL", "{ringfence}:names")
	server.Exec("HSET", "{ringfence}:store", "format", "2")
	storetest.WantFinding(t, examine(t, client, nil), "keys {ringfence}:*", driver.Unfit, "newer release")
	storetest.WantFinding(t, examine(t, client, &Options{Prefix: "own"}), "keys {own}:*", driver.Fit, "no store yet")
}

func TestExamineCluster(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, &realserver.RedisOptions{Cluster: true})
	client := clientOf(t, redis.Options{Addr: server.Addr(), Password: server.Password()})
	storetest.WantFinding(t, examine(t, client, nil), "role", driver.Fit, "cluster")
	server.Exec("CLUSTER", "DELSLOTSRANGE", "0", "16383")
	storetest.WantFinding(t, examine(t, client, nil), "role", driver.Unfit, "that is down")
}

func TestExamineCantAsk(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := clientOf(t, redis.Options{Addr: server.Addr(), Password: server.Password()})
	server.Stop()
	if found, err := Examine(t.Context(), client, nil); !errors.Is(err, driver.ErrUnavailable) || len(found) != 0 {
		t.Errorf("a server that is down: %v, %v; want ErrUnavailable", found, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Examine(ctx, client, nil); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("a context that has ended: %v; want ErrUnavailable", err)
	}
}

func TestPasswordOnTheWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    redis.Options
		want int
	}{
		{redis.Options{Addr: "db.example:6379", Password: "x"}, 1},
		{redis.Options{Addr: "10.1.2.3:6379", Password: "x"}, 1},
		{redis.Options{Addr: "10.1.2.3:6379", Password: "x", TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}}, 0},
		{redis.Options{Addr: "10.1.2.3:6379"}, 0},
		{redis.Options{Addr: "127.0.0.1:6379", Password: "x"}, 0},
		{redis.Options{Addr: "[::1]:6379", Password: "x"}, 0},
		{redis.Options{Network: "unix", Addr: "/run/redis.sock", Password: "x"}, 0},
	} {
		if got := secrecyOf(&c.o); len(got) != c.want {
			t.Errorf("%s: %+v", c.o.Addr, got)
		}
	}
}
