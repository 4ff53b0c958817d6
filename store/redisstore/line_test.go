package redisstore_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
)

// stand gives a new attempt the last place in the line for a name.
func stand(t testing.TB, s driver.Queue, name string, keep time.Duration) driver.Request {
	t.Helper()
	r := request(name)
	keepPlace(t, s, r, keep)
	return r
}

func keepPlace(t testing.TB, s driver.Queue, r driver.Request, keep time.Duration) {
	t.Helper()
	if _, err := s.Wait(t.Context(), r, keep); err != nil {
		t.Fatal(err)
	}
}

func watchTurn(t testing.TB, s driver.TurnWatcher, ctx context.Context, r driver.Request) <-chan struct{} {
	t.Helper()
	hints, err := s.WatchTurn(ctx, r.Name, r.Attempt)
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

// A process of which nothing is left keeps its place until that lapses. Its hints go to
// the next one, and so does the name: also where nobody asks, but lives.
func TestPlaceOfAProcessThatIsGone(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	term := take(t, s, "n")
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), Password: server.Password()})
	gone, err := redisstore.Open(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	dead := stand(t, gone, "n", driver.MaxKeep)
	watchTurn(t, gone, t.Context(), dead)
	_ = gone.Close() // as its process would end
	_ = client.Close()
	next := stand(t, s, "n", driver.MaxKeep)
	hints := watchTurn(t, s, t.Context(), next)
	until(t, "nobody listens for the one that is gone", func() bool {
		return len(strings.Fields(server.Exec("PUBSUB", "CHANNELS", "*"))) == 1
	})
	release(t, s, term)
	await(t, hints)
	_, err = s.Acquire(t.Context(), next)
	wantError(t, err, driver.ErrHeld, "kept for")
	lapse(server, dead)
	keepPlace(t, s, next, driver.MaxKeep) // as those who wait do from time to time
	await(t, hints)
	if _, err := s.Acquire(t.Context(), next); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

// lapse lets the place of r lapse now.
func lapse(server *realserver.Redis, r driver.Request) {
	server.Exec("ZADD", "{ringfence}:lapses:"+r.Name, "XX", "1", r.Attempt)
}

// Whoever finds out that a place has lapsed lets the next one know, who may sleep.
func TestLapsedPlaceWakesTheNext(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	first, second := stand(t, s, "n", driver.MaxKeep), stand(t, s, "n", driver.MaxKeep)
	hints := watchTurn(t, s, t.Context(), second)
	lapse(server, first)
	_, err := s.Acquire(t.Context(), request("n"))
	wantError(t, err, driver.ErrHeld, "next of 1 in line")
	await(t, hints)
}

// What a waiter says that crosses its own grant gives it no place.
func TestHolderHasNoPlace(t *testing.T) {
	t.Parallel()
	_, s := start(t, nil)
	r := stand(t, s, "n", driver.MaxKeep)
	if _, err := s.Acquire(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	keepPlace(t, s, r, driver.MaxKeep)
	if waiting, err := s.Waiters(t.Context(), "n", 10); err != nil || len(waiting) != 0 {
		t.Errorf("%+v wait, %v", waiting, err)
	}
}

// A hint whose waiter goes without it, and one for which nobody listens any more, go on
// to the next in line, in whichever process.
func TestTurnThatNobodyTakesGoesOn(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	other := open(t, dial(t, server.Addr(), server, false), nil)
	take(t, s, "n")
	var hints []<-chan struct{}
	var leave []context.CancelFunc
	for i := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		at := []*redisstore.Store{s, other}[i%2]
		hints, leave = append(hints, watchTurn(t, at, ctx, stand(t, at, "n", driver.MaxKeep))), append(leave, cancel)
	}
	if _, err := s.Break(t.Context(), "n", "a test"); err != nil {
		t.Fatal(err)
	}
	until(t, "the first has its hint", func() bool { return len(hints[0]) == 1 })
	leave[1]() // which the server is not told
	leave[0]()
	await(t, hints[2])
}

// Who leaves while the name is kept for it lets the next one know. Others wake nobody.
func TestLeaverWakesTheNext(t *testing.T) {
	t.Parallel()
	_, s := start(t, nil)
	first, second, third := stand(t, s, "n", driver.MaxKeep), stand(t, s, "n", driver.MaxKeep), stand(t, s, "n", driver.MaxKeep)
	ofSecond, ofThird := watchTurn(t, s, t.Context(), second), watchTurn(t, s, t.Context(), third)
	leave := func(r driver.Request) {
		if err := s.Leave(t.Context(), r.Name, r.Attempt); err != nil {
			t.Error(err)
		}
	}
	leave(second)
	leave(first)
	await(t, ofThird)
	if len(ofSecond) != 0 {
		t.Error("the one that left has a hint")
	}
}

// The line may be lost. Those who wait get new places, and their hints again.
func TestLineThatIsLost(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	first, second := stand(t, s, "n", driver.MaxKeep), stand(t, s, "n", driver.MaxKeep)
	ofFirst, ofSecond := watchTurn(t, s, t.Context(), first), watchTurn(t, s, t.Context(), second)
	server.Exec("FLUSHALL")
	keepPlace(t, s, second, driver.MaxKeep)
	keepPlace(t, s, first, driver.MaxKeep)
	if _, err := s.Acquire(t.Context(), first); !errors.Is(err, driver.ErrHeld) {
		t.Errorf("out of turn: %v", err)
	}
	term, err := s.Acquire(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	release(t, s, term)
	await(t, ofFirst)
	if len(ofSecond) != 0 {
		t.Error("the one that was served has a hint")
	}
}

// A line outlives the record of its name, which an operator or a clean-up removed, and no
// line outlives its waiters: only leases and their numbers stay.
func TestLineAndRecord(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	release(t, s, take(t, s, "n"))
	stand(t, s, "n", driver.MaxKeep)
	if n, err := s.Prune(t.Context(), 0, 10); n != 1 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
	_, err := s.Acquire(t.Context(), request("n"))
	wantError(t, err, driver.ErrHeld, `kept for "a test", who is next of 1 in line`)
	for _, key := range strings.Fields(server.Exec("KEYS", "*")) {
		lasts, isLine := server.Exec("PTTL", key) == "-1", strings.HasSuffix(key, ":n")
		if lasts == isLine {
			t.Errorf("%s lasts for ever: %t; want the keys of the line, and no others, to go by themselves", key, lasts)
		}
	}
}

func TestTooManyWait(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	const each = 100
	var all sync.WaitGroup
	for range each {
		all.Go(func() {
			for range driver.MaxWaiters / each {
				stand(t, s, "n", driver.MaxKeep)
			}
		})
	}
	all.Wait()
	_, err := s.Wait(t.Context(), request("n"), driver.MaxKeep)
	wantError(t, err, driver.ErrFull, "10000 wait")
	if waiting, err := s.Waiters(t.Context(), "n", driver.MaxWaiters+1); err != nil || len(waiting) != driver.MaxWaiters {
		t.Errorf("%d waiters are shown, %v", len(waiting), err)
	}
	for _, key := range []string{"line", "lapses"} { // all but one vanish, which the next one finds out
		server.Exec("ZREMRANGEBYRANK", "{ringfence}:"+key+":n", "0", "-2")
	}
	server.Exec("EVAL", `for i = 1, 9000 do redis.call('ZADD', KEYS[1], i, 'dead' .. i) redis.call('ZADD', KEYS[2], 1, 'dead' .. i) end`,
		"2", "{ringfence}:line:n", "{ringfence}:lapses:n")
	place, err := s.Wait(t.Context(), request("n"), driver.MaxKeep)
	if err != nil || place.Ahead != 1 {
		t.Errorf("of 9001 before it one lives: %+v, %v", place, err)
	}
}

// Such a user is told of each of its own steps also where others stand in line, and takes
// nobody out of it.
func TestUserWithoutRightsBesideALine(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	server.Exec("ACL", "SETUSER", "jobs", "on", ">secret", "~*", "&*", "+@all", "-zcard", "-zrank", "-zscore", "-zrange", "-hdel", "-pexpire")
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), Username: "jobs", Password: "secret"})
	t.Cleanup(func() { _ = client.Close() })
	older := open(t, client, nil)
	release(t, s, take(t, s, "n"))
	first := stand(t, s, "n", driver.MaxKeep)
	release(t, older, take(t, older, "n"))
	_, err := s.Acquire(t.Context(), request("n"))
	wantError(t, err, driver.ErrHeld, "kept for")
	server.Exec("HSET", "{ringfence}:lease:n", "line", "") // as a release before this one left it
	keepPlace(t, s, first, driver.MaxKeep)
	_, err = s.Acquire(t.Context(), request("n"))
	wantError(t, err, driver.ErrHeld, "kept for")
}

// A user for an older release has no rights to the commands of lines: leases go on, and
// it waits for hints as before.
func TestUserWithoutRightsToLines(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	server.Exec("ACL", "SETUSER", "jobs", "on", ">secret", "~*", "&*", "+@all", "-zcard", "-zrank", "-zscore", "-zrange", "-hdel", "-pexpire")
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), Username: "jobs", Password: "secret"})
	t.Cleanup(func() { _ = client.Close() })
	s := open(t, client, nil)
	term := take(t, s, "n")
	r := request("n")
	_, err := s.Wait(t.Context(), r, driver.MaxKeep)
	wantError(t, err, driver.ErrUnfit, "grant the user")
	hints := watchTurn(t, s, t.Context(), r)
	release(t, s, term)
	await(t, hints)
}
