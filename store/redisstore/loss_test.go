package redisstore_test

import (
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
)

// A loss takes records from under an open store. The next token must be above
// every one before, whatever was lost, and a loss of the whole must be noted.
func TestNoNumberComesBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lose  func(s *realserver.Redis)
		noted bool
	}{
		{"killed without a file", func(s *realserver.Redis) { s.Kill(); s.Start() }, true},
		{"restarted in order without a file", func(s *realserver.Redis) { s.Stop(); s.Start() }, true},
		{"flushed", func(s *realserver.Redis) { s.Exec("FLUSHALL") }, true},
		{"store's record deleted", func(s *realserver.Redis) { s.Exec("DEL", "{ringfence}:store") }, true},
		{"name's record deleted", func(s *realserver.Redis) { s.Exec("DEL", "{ringfence}:lease:n") }, false},
		{"names deleted", func(s *realserver.Redis) { s.Exec("DEL", "{ringfence}:lease:n", "{ringfence}:names") }, false},
		{"scripts flushed", func(s *realserver.Redis) { s.Exec("SCRIPT", "FLUSH") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, s := start(t, nil)
			client := dial(t, server.Addr(), server, false)
			strict := open(t, client, &redisstore.Options{RefuseNewIdentity: true})
			first := take(t, s, "n")
			was, err := s.Identity(t.Context())
			if err != nil || was.Previous != "" || !was.ChangedAt.IsZero() {
				t.Errorf("identity of a new store: %+v, %v", was, err)
			}
			release(t, s, first)
			c.lose(server)
			if c.noted {
				_, err := strict.Acquire(t.Context(), request("n"))
				wantError(t, err, driver.ErrUnfit, "ringfence recover")
			}
			second := take(t, s, "n")
			if second.Token <= first.Token {
				t.Errorf("token %s after %s", second.Token, first.Token)
			}
			id, err := s.Identity(t.Context())
			if err != nil || (id.Previous != "") != c.noted || id.ChangedAt.IsZero() == c.noted {
				t.Errorf("identity %+v, %v; want a change noted: %t", id, err, c.noted)
			}
			if soon := fence.TickOf(time.Now().Add(30 * time.Second)).First(); c.noted && second.Token < soon {
				t.Errorf("token %s; want it a minute beyond the clock", second.Token)
			}
			take(t, strict, "accepted")
		})
	}
}

func TestNoNumberComesBackWithAFileThatLags(t *testing.T) {
	t.Parallel()
	server, s := start(t, &realserver.RedisOptions{Settings: []string{"dbfilename old.rdb"}})
	release(t, s, take(t, s, "n"))
	server.Exec("SAVE") // the older copy that a restart brings back
	was, _ := s.Identity(t.Context())
	second := take(t, s, "n")
	for range 2 { // the same copy, restored twice
		server.Kill()
		server.Start()
		if rec, err := s.Inspect(t.Context(), "n"); err != nil || rec.Token >= second.Token {
			t.Fatalf("%+v, %v; want an older record", rec, err)
		}
		third := take(t, s, "n")
		if third.Token <= second.Token {
			t.Errorf("token %s after %s", third.Token, second.Token)
		}
		if id, err := s.Identity(t.Context()); err != nil || id.Previous != was.Current {
			t.Errorf("identity %+v, %v; want %s as the one before", id, err, was.Current)
		}
		second = third
	}
}

func TestPromotedReplicaThatLags(t *testing.T) {
	t.Parallel()
	primary, s := start(t, nil)
	link := realserver.NewProxy(t, primary.Addr())
	held := take(t, s, "held")
	replica := primary.Replica(t, link.Addr())
	_, err := redisstore.Open(t.Context(), dial(t, replica.Addr(), replica, false), nil)
	wantError(t, err, driver.ErrUnfit, "connect to the primary")

	way := realserver.NewProxy(t, primary.Addr()) // what a client's address leads to
	client := open(t, dial(t, way.Addr(), primary, false), nil)
	primary.Exec("ACL", "SETUSER", "default", ">"+replica.Password()) // one password for both
	replica.Exec("ACL", "SETUSER", "default", ">"+primary.Password())
	link.Blackhole()
	lost := take(t, client, "n") // granted, and never replicated
	primary.Kill()
	replica.Promote()
	way.Retarget(replica.Addr())
	next := take(t, client, "n")
	if next.Token <= lost.Token {
		t.Errorf("token %s after %s, which the promoted replica never saw", next.Token, lost.Token)
	}
	id, err := client.Identity(t.Context())
	if err != nil || id.Previous == "" || id.Previous == id.Current {
		t.Errorf("identity %+v, %v; want the promotion noted", id, err)
	}
	if _, err := client.Renew(t.Context(), held, time.Minute); err != nil {
		t.Errorf("renew a term that was replicated: %v", err)
	}
	_, err = client.Renew(t.Context(), lost, time.Minute)
	wantError(t, err, driver.ErrEnded, "superseded")
}

// A primary that becomes a replica and a primary again is the same process, with
// other data: its run id says nothing.
func TestPrimaryThatWasAReplicaForAWhile(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	other := realserver.NewRedis(t, &realserver.RedisOptions{Settings: []string{"masterauth " + server.Password()}})
	server.CatchUp(replicate(other, server.Addr()))
	other.Promote()
	first := take(t, s, "n") // which the other one does not have
	server.Exec("CONFIG", "SET", "masterauth", other.Password())
	other.CatchUp(replicate(server, other.Addr()))
	_, err := s.Acquire(t.Context(), request("m"))
	wantError(t, err, driver.ErrUnavailable, "replica")
	server.Promote()
	if second := take(t, s, "n"); second.Token <= first.Token {
		t.Errorf("token %s after %s", second.Token, first.Token)
	}
	if id, err := s.Identity(t.Context()); err != nil || id.Previous == "" {
		t.Errorf("identity %+v, %v; want a change noted", id, err)
	}
}

func replicate(r *realserver.Redis, from string) *realserver.Redis {
	r.Exec(append([]string{"REPLICAOF"}, split(from)...)...)
	return r
}

func TestShardThatMoves(t *testing.T) {
	t.Parallel()
	one := realserver.NewRedis(t, &realserver.RedisOptions{Cluster: true})
	other := realserver.NewRedis(t, &realserver.RedisOptions{Cluster: true})
	s := open(t, dial(t, one.Addr(), one, true), nil)
	held, first := take(t, s, "held"), take(t, s, "n")
	release(t, s, first)
	one.MoveSlot("{ringfence}", other)
	if again, err := s.Renew(t.Context(), held, time.Minute); err != nil || again.Token != held.Token {
		t.Errorf("%+v, %v; want the term, wherever it is kept", again, err)
	}
	if second := take(t, s, "n"); second.Token <= first.Token {
		t.Errorf("token %s after %s", second.Token, first.Token)
	}
	if id, err := s.Identity(t.Context()); err != nil || id.Previous == "" {
		t.Errorf("identity %+v, %v; want a change noted", id, err)
	}
	wantLonely(t, one)
}

// When nothing on record says more, the clock does: what is lost with the record
// of a store that nobody had open lies below it.
func TestClockLendsTheFloor(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	server.Exec("HSET", "{ringfence}:store", "floor", "0", "high", "0")
	low, high := fence.TickOf(time.Now()), fence.TickOf(time.Now().Add(time.Minute))
	if term := take(t, s, "n"); term.Token < low.First() || term.Token >= high.First() {
		t.Errorf("token %s, of %s; want one of now", term.Token, term.Token.Time())
	}
}

func TestNumbersAreExactUpToTheLast(t *testing.T) {
	t.Parallel()
	_, s := start(t, nil)
	if floor, err := s.Raise(t.Context(), fence.MaxToken-3); err != nil || floor != fence.MaxToken-3 {
		t.Fatalf("floor %s, %v", floor, err)
	}
	for want := fence.MaxToken - 2; want <= fence.MaxToken; want++ {
		term := take(t, s, "n")
		if term.Token != want {
			t.Errorf("token %s; want %s", term.Token, want)
		}
		if again, err := s.Renew(t.Context(), term, time.Minute); err != nil || again.Token != want {
			t.Errorf("renewed %+v, %v", again, err)
		}
		if rec, err := s.Inspect(t.Context(), "n"); err != nil || rec.Token != want {
			t.Errorf("shown %+v, %v", rec, err)
		}
		release(t, s, term)
	}
	_, err := s.Acquire(t.Context(), request("n"))
	wantError(t, err, driver.ErrUnfit, "no token is left")
	if floor, err := s.Raise(t.Context(), fence.MaxToken); err != nil || floor != fence.MaxToken {
		t.Errorf("floor %s, %v", floor, err)
	}
	_, err = s.Acquire(t.Context(), request("fresh"))
	wantError(t, err, driver.ErrUnfit, "no token is left")
}

// A clean-up leaves the numbers behind as the floor, which the clock of a server
// that was set back would otherwise have to stand in for.
func TestPruneLooksAtAllNamesAndRaisesTheFloor(t *testing.T) {
	t.Parallel()
	_, s := start(t, nil)
	const names = 1200 // more than two pages
	var highest fence.Token
	for i := range names {
		term := take(t, s, name(i))
		if highest = term.Token; i%3 != 0 {
			release(t, s, term)
		}
	}
	if n, err := s.Prune(t.Context(), time.Hour, names); err != nil || n != 0 {
		t.Errorf("pruned %d, %v; nothing is idle for an hour", n, err)
	}
	if n, err := s.Prune(t.Context(), 0, 700); err != nil || n != 700 {
		t.Errorf("pruned %d, %v; want the limit", n, err)
	}
	if n, err := s.Prune(t.Context(), 0, names); err != nil || n != 100 {
		t.Errorf("pruned %d, %v; want the rest", n, err)
	}
	left, err := s.List(t.Context(), "", "", names)
	if err != nil || len(left) != names/3 {
		t.Errorf("%d names are left, %v; want those that are held", len(left), err)
	}
	if id, err := s.Identity(t.Context()); err != nil || id.Floor < highest-3 {
		t.Errorf("the floor is %s, %v; want it at what went, up to %s", id.Floor, err, highest)
	}
}
