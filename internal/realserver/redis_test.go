package realserver

import (
	"net"
	"strings"
	"testing"
)

func TestRedisKeepsItsAddressAndWhatItWroteDown(t *testing.T) {
	t.Parallel()
	r := NewRedis(t, &RedisOptions{Durable: true})
	addr := r.Addr()
	r.Exec("SET", "kept", "a value\r\nof two lines")
	for _, end := range []func(){r.Stop, r.Kill, func() { r.Pause(); r.Kill() }} {
		end()
		if _, err := net.Dial("tcp", addr); err == nil {
			t.Fatal("the address of a server that is down answers")
		}
		r.Start()
		if got := r.Exec("GET", "kept"); got != "a value\r\nof two lines" || r.Addr() != addr {
			t.Errorf("after a restart: %q at %s", got, r.Addr())
		}
	}
}

func TestRedisWithoutAFileLosesAllInAKill(t *testing.T) {
	t.Parallel()
	r := NewRedis(t, nil)
	r.Exec("SET", "lost", "1")
	r.Kill()
	r.Start()
	if got := r.Exec("EXISTS", "lost"); got != "0" {
		t.Errorf("EXISTS: %s; want 0", got)
	}
}

func TestRedisAsksForThePasswordAndTakesSettings(t *testing.T) {
	t.Parallel()
	r := NewRedis(t, &RedisOptions{Settings: []string{"maxmemory 12mb"}})
	if got := r.Exec("CONFIG", "GET", "maxmemory"); got != "maxmemory\n12582912" {
		t.Errorf("maxmemory: %q", got)
	}
	r.p.password += "x"
	if _, err := r.p.exec("PING"); err == nil || !strings.Contains(err.Error(), "WRONGPASS") {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestRedisPromotedReplicaLacksWhatWasNotReplicated(t *testing.T) {
	t.Parallel()
	primary := NewRedis(t, nil)
	link := NewProxy(t, primary.Addr())
	primary.Exec("SET", "before", "1")
	replica := primary.Replica(t, link.Addr())
	link.Blackhole()
	primary.Exec("SET", "after", "1")
	primary.Kill()
	replica.Promote()
	if got := replica.Exec("MGET", "before", "after"); got != "1\n" {
		t.Errorf("before and after: %q; want only the first", got)
	}
}

func TestRedisClusterHasEverySlot(t *testing.T) {
	t.Parallel()
	r := NewRedis(t, &RedisOptions{Cluster: true})
	if got := r.Exec("SET", "any", "1"); got != "OK" {
		t.Errorf("SET: %s", got)
	}
}

func TestRedisMovesASlotWithItsKeys(t *testing.T) {
	t.Parallel()
	one, other := NewRedis(t, &RedisOptions{Cluster: true}), NewRedis(t, &RedisOptions{Cluster: true})
	one.Exec("SET", "{a}:kept", "1")
	one.MoveSlot("{a}", other)
	if got := other.Exec("GET", "{a}:kept"); got != "1" {
		t.Errorf("GET at the new place: %q", got)
	}
	if _, err := one.p.exec("GET", "{a}:kept"); err == nil || !strings.Contains(err.Error(), "MOVED") {
		t.Errorf("GET at the old place: %v", err)
	}
}
