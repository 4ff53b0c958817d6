package stores

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
)

var redisColumn = column{
	name: "Redis", page: "redis.md",
	start: startRedis,
	alone: "L4", // FLUSHALL
	lacks: map[string]string{
		"R26": noZones,
		"L7":  "The server can't be started under another clock than the machine's: it hangs under libfaketime.",
	},
}

// startRedis starts servers that are set up as they are by default: they save their
// file after a while, if at all.
func startRedis(t *testing.T) func(*testing.T, bool) *site {
	o := &realserver.RedisOptions{Settings: []string{"dbfilename older.rdb", "save 3600 1 300 100 60 10000"}}
	shared := realserver.NewRedis(t, o)
	return func(t *testing.T, own bool) *site {
		if own {
			return redisSite(t, realserver.NewRedis(t, o), "ringfence")
		}
		return redisSite(t, shared, apart())
	}
}

func redisSite(t *testing.T, server *realserver.Redis, prefix string) *site {
	at := &site{addr: server.Addr()}
	at.opens = func(t *testing.T, addr string) (driver.Store, error) {
		return redisstore.Open(t.Context(), dialRedis(t, addr, server), &redisstore.Options{Prefix: prefix})
	}
	at.behindProxy()
	at.kill = func() { server.Kill(); server.Start() }
	at.keep = func() func() {
		server.Exec("SAVE")
		return at.kill // the file is read, and what came later is in none
	}
	at.flush = func() { server.Exec("FLUSHALL") }
	at.forget = func() { server.Exec("DEL", "{"+prefix+"}:store") }
	at.standby = func() (func(), func()) {
		link := realserver.NewProxy(t, server.Addr())
		replica := server.Replica(t, link.Addr())
		server.Exec("ACL", "SETUSER", "default", ">"+replica.Password()) // one password for both
		replica.Exec("ACL", "SETUSER", "default", ">"+server.Password())
		return link.Blackhole, func() { server.Kill(); replica.Promote(); at.addr = replica.Addr() }
	}
	at.evict = func() error {
		server.Exec("CONFIG", "SET", "maxmemory", "50mb")
		server.Exec("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
		_, err := redisstore.Open(t.Context(), dialRedis(t, server.Addr(), server), nil)
		return err
	}
	return at
}

func dialRedis(t *testing.T, addr string, server *realserver.Redis) *redis.Client {
	client := redis.NewClient(&redis.Options{Addr: addr, Password: server.Password(), DialTimeout: 5 * time.Second})
	t.Cleanup(func() { _ = client.Close() })
	return client
}
