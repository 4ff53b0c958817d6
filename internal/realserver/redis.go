package realserver

import (
	"strconv"
	"strings"
	"testing"
)

// RedisOptions are the ways in which one server differs from the next.
type RedisOptions struct {
	// Durable makes the server write every change to its append-only file and to
	// the disk before it answers. Defaults to false: no file at all, so that
	// a kill loses everything.
	Durable bool
	// Cluster makes the server a cluster of one that has every hash slot. It needs
	// Redis 7. Defaults to false.
	Cluster bool
	// Settings are more lines of its configuration file, such as "maxmemory 10mb".
	// They win over ours. Defaults to none.
	Settings []string
}

// Redis is a Redis of one test's own. A failing step fails the test. Except for
// Addr, Password and Exec, it is for one goroutine at a time.
type Redis struct {
	t testing.TB
	p *redisProcess
	// cluster means that it has its slots.
	cluster bool
}

// NewRedis starts a new, empty Redis that ends with the test. Nil options are
// the defaults.
func NewRedis(t testing.TB, o *RedisOptions) *Redis {
	t.Helper()
	if o == nil {
		o = new(RedisOptions)
	}
	bin, err := findRedis()
	if err != nil {
		missing(t, err)
	}
	p, err := newRedisProcess(bin, *o)
	if err != nil {
		t.Fatalf("realserver: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("end of the log of the Redis on port %d:\n%s", p.port, tail(p.log))
		}
		p.close()
	})
	r := &Redis{t: t, p: p}
	r.Start()
	if o.Cluster {
		r.Exec("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
		r.cluster = true
		r.awaitCluster()
	}
	return r
}

func (r *Redis) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("realserver: %v", err)
	}
}

// Addr is the server's host and port, also for a [Proxy] in front of it.
func (r *Redis) Addr() string { return address(r.p.port) }

// Password is that of the user default, who may do everything.
func (r *Redis) Password() string { return r.p.password }

// Exec sends one command on a connection of its own and returns the answer as
// text: an array has one element a line. An error that the server answers fails the test.
func (r *Redis) Exec(command ...string) string {
	r.t.Helper()
	out, err := r.p.exec(command...)
	r.must(err)
	return out
}

// Start starts a server that was stopped or killed, at the same address.
func (r *Redis) Start() {
	r.t.Helper()
	r.must(r.p.start())
	if r.cluster { // its slots are on record
		r.awaitCluster()
	}
}

// awaitCluster waits until a cluster serves, which takes 2 s after each start.
func (r *Redis) awaitCluster() {
	r.t.Helper()
	if !until(startLimit, func() bool { return strings.Contains(r.Exec("CLUSTER", "INFO"), "cluster_state:ok") }) {
		r.t.Fatalf("realserver: the cluster is not up after %s", startLimit)
	}
}

// Stop shuts the server down in order.
func (r *Redis) Stop() { r.t.Helper(); r.must(r.p.end(sigFast)) }

// Kill ends the server at once, as a crash does.
func (r *Redis) Kill() { r.t.Helper(); r.must(r.p.end(sigKill)) }

// Pause stops the server where it is: its connections stay open, and nothing
// answers. [Redis.Resume] lets it go on.
func (r *Redis) Pause() { r.t.Helper(); r.must(freeze(r.p.pid())) }

// Resume ends a [Redis.Pause].
func (r *Redis) Resume() { r.t.Helper(); r.must(signal(sigResume, r.p.pid())) }

// Replica starts an asynchronous copy of r that gets its data from the address
// via, which is that of r or of a [Proxy] in front of it, and waits until it has
// a copy.
func (r *Redis) Replica(t testing.TB, via string) *Redis {
	t.Helper()
	c := NewRedis(t, &RedisOptions{Settings: []string{"masterauth " + r.Password()}})
	host, port, _ := strings.Cut(via, ":")
	c.Exec("REPLICAOF", host, port)
	r.CatchUp(c)
	return c
}

// CatchUp waits until the replica c has what r has written.
func (r *Redis) CatchUp(c *Redis) {
	r.t.Helper()
	offset := func(text, field string) string {
		_, rest, _ := strings.Cut(text, field+":")
		value, _, _ := strings.Cut(rest, "\r")
		return value
	}
	if !until(startLimit, func() bool {
		info := c.Exec("INFO", "replication")
		return strings.Contains(info, "master_link_status:up") &&
			offset(info, "slave_repl_offset") == offset(r.Exec("INFO", "replication"), "master_repl_offset")
	}) {
		r.t.Fatalf("realserver: the replica has not caught up after %s", startLimit)
	}
}

// MoveSlot gives the hash slot of a key, and all keys in it, from r to another
// cluster of one, which joins the cluster of r.
func (r *Redis) MoveSlot(key string, to *Redis) {
	r.t.Helper()
	for _, pair := range [][2]*Redis{{r, to}, {to, r}} { // a client has one password for all
		pair[0].Exec("ACL", "SETUSER", "default", ">"+pair[1].Password())
	}
	slot, from, target := r.Exec("CLUSTER", "KEYSLOT", key), r.Exec("CLUSTER", "MYID"), to.Exec("CLUSTER", "MYID")
	host, port, _ := strings.Cut(to.Addr(), ":")
	to.Exec("CLUSTER", "FLUSHSLOTS")
	r.Exec("CLUSTER", "MEET", host, port, strconv.Itoa(to.p.bus))
	if !until(startLimit, func() bool {
		return strings.Contains(to.Exec("CLUSTER", "NODES"), from) && strings.Contains(r.Exec("CLUSTER", "NODES"), target) &&
			strings.Contains(to.Exec("CLUSTER", "INFO"), "cluster_state:ok")
	}) {
		r.t.Fatalf("realserver: the servers have not met after %s", startLimit)
	}
	to.Exec("CLUSTER", "SETSLOT", slot, "IMPORTING", from)
	r.Exec("CLUSTER", "SETSLOT", slot, "MIGRATING", target)
	if keys := r.Exec("CLUSTER", "GETKEYSINSLOT", slot, "1000"); keys != "" {
		r.Exec(append([]string{"MIGRATE", host, port, "", "0", "5000", "AUTH", to.Password(), "KEYS"}, strings.Split(keys, "\n")...)...)
	}
	to.Exec("CLUSTER", "SETSLOT", slot, "NODE", target)
	r.Exec("CLUSTER", "SETSLOT", slot, "NODE", target)
}

// Promote makes a replica a primary of its own.
func (r *Redis) Promote() { r.t.Helper(); r.Exec("REPLICAOF", "NO", "ONE") }
