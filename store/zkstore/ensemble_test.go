package zkstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

// grants are what several workers were given of one name.
type grants struct {
	mu     sync.Mutex
	tokens map[fence.Token]bool
	last   fence.Token // of a grant that was answered before the next one was asked for
	holder string
	until  time.Time // when trust in it ends
	faults []string
}

// granted notes a grant. The call began at the time began, when before was the last
// token that anybody had been told of.
func (g *grants) granted(who string, t driver.Term, began time.Time, before fence.Token) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tokens[t.Token] {
		g.faults = append(g.faults, fmt.Sprintf("token %s was granted twice", t.Token))
	}
	if t.Token <= before {
		g.faults = append(g.faults, fmt.Sprintf("token %s was granted after %s", t.Token, before))
	}
	if now := time.Now(); g.holder != "" && now.Before(g.until) {
		g.faults = append(g.faults, fmt.Sprintf("%s got the name while %s trusted in it for another %s", who, g.holder, g.until.Sub(now)))
	}
	g.tokens[t.Token] = true
	g.last, g.holder, g.until = max(g.last, t.Token), who, began.Add(t.Remaining)
}

// ending notes that the holder is about to give the name back.
func (g *grants) ending() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holder = ""
}

func (g *grants) newest() fence.Token {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last
}

func (g *grants) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.tokens)
}

// compete takes and gives back a name until ctx ends. A lease of which a release fails
// runs out by itself.
func (g *grants) compete(ctx context.Context, s *zkstore.Store, who string, ttl time.Duration) {
	for ctx.Err() == nil {
		before, began := g.newest(), time.Now()
		t, err := s.Acquire(ctx, request("job", ttl))
		if err != nil {
			continue
		}
		g.granted(who, t, began, before)
		if _, err := s.Renew(ctx, t, ttl); err != nil {
			continue
		}
		g.ending()
		_ = s.Release(ctx, t)
	}
}

// TestLeaderLost: workers at each member compete for a name while the leader is
// killed, and its successor stopped and woken. Nobody gets the name while another
// trusts in it, and the tokens rise throughout.
func TestLeaderLost(t *testing.T) {
	t.Parallel()
	z := realserver.NewZooKeeper(t, &realserver.ZooKeeperOptions{Members: 3, Settings: []string{"tickTime=200"}})
	options := &zkstore.Options{SessionTimeout: 2 * time.Second, AnswerWithin: 5 * time.Second}
	all := z.Endpoints()
	g := &grants{tokens: map[fence.Token]bool{}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var workers sync.WaitGroup
	for i := range all {
		// Each begins at a member of its own, and goes on to the others.
		s := open(t, strings.Join(append(all[i:len(all):len(all)], all[:i]...), ","), options)
		workers.Go(func() { g.compete(ctx, s, fmt.Sprint("worker ", i), 500*time.Millisecond) })
	}
	some := func(after string) {
		t.Helper()
		n := g.count()
		until(t, "grants "+after, func() bool { return g.count() >= n+20 })
	}
	some("at first")
	z.Kill(z.Leader())
	some("without the leader")
	z.Start()
	some("with all members")
	leader := z.Leader()
	z.Pause(leader)
	some("beside a leader that stands still")
	z.Resume(leader)
	some("after it woke up")
	stop()
	workers.Wait()
	for _, fault := range g.faults {
		t.Error(fault)
	}
}

// TestLeaderWithAnotherClock: the clock of a new leader is an hour behind. The tokens
// rise all the same, and a lease that was granted by the old clock ends by itself once
// it is renewed by the new one.
func TestLeaderWithAnotherClock(t *testing.T) {
	t.Parallel()
	z := realserver.NewZooKeeper(t, nil)
	s := open(t, z.Endpoints()[0], nil)
	var tokens []fence.Token
	grant := func(s *zkstore.Store, name string) {
		t.Helper()
		term := take(t, s, name)
		release(t, s, term)
		tokens = append(tokens, term.Token)
	}
	grant(s, "job")
	held := take(t, s, "held")
	for _, clock := range []string{"-3600", "+3600", ""} {
		z.Kill(0)
		z.SetClock(0, clock)
		z.Start()
		s = open(t, z.Endpoints()[0], nil)
		grant(s, "job")
		if clock == "-3600" {
			if _, err := s.Renew(t.Context(), held, 100*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			until(t, "the end of the lease", func() bool {
				_, err := s.Acquire(t.Context(), request("held", time.Second))
				return err == nil
			})
		}
	}
	for i := range tokens[1:] {
		if tokens[i+1] <= tokens[i] {
			t.Errorf("the tokens do not rise: %v", tokens)
		}
	}
	if ahead := tokens[2].Time().Sub(tokens[1].Time()); ahead < 30*time.Minute {
		t.Errorf("the clock was not moved: %v", tokens)
	}
}

// TestOlderCopy: an older copy of the files is put in the place of the servers' own,
// twice. A client that was running goes on by itself.
func TestOlderCopy(t *testing.T) {
	t.Parallel()
	z := realserver.NewZooKeeper(t, nil)
	s := open(t, z.Endpoints()[0], &zkstore.Options{SessionTimeout: 2 * time.Second})
	last := take(t, s, "job").Token
	take(t, s, "held")
	z.Kill(0)
	saved := z.SaveFiles()
	z.Start()
	check := func(s *zkstore.Store, who string) {
		t.Helper()
		until(t, who+" to go on", func() bool {
			if _, err := s.Break(t.Context(), "job", "a test"); err != nil {
				return false
			}
			term, err := s.Acquire(t.Context(), request("job", time.Minute))
			if err == nil && term.Token <= last {
				t.Errorf("%s: token %s after %s", who, term.Token, last)
			}
			last = max(last, term.Token)
			return err == nil
		})
	}
	floor, err := s.Raise(t.Context(), last+5)
	if err != nil {
		t.Fatal(err)
	}
	check(s, "the client before any loss")
	for range 2 {
		for i := range 20 { // what is lost
			take(t, s, fmt.Sprint("lost ", i))
		}
		z.Kill(0)
		z.RestoreFiles(saved)
		z.Start()
		check(open(t, z.Endpoints()[0], nil), "a new client")
		check(s, "the client that was running")
	}
	if id, err := s.Identity(t.Context()); err != nil || id.Floor < floor {
		t.Errorf("the floor that was raised after the copy is %s; want %s, which the running client knew, %v", id.Floor, floor, err)
	}
	if rec, err := s.Inspect(t.Context(), "held"); err != nil || rec.State != driver.Held {
		t.Errorf("what was held in the copy: %+v, %v", rec, err)
	}
}

// TestEmptied: a server that has lost everything starts a new store, above the
// numbers of the old one.
func TestEmptied(t *testing.T) {
	t.Parallel()
	z := realserver.NewZooKeeper(t, nil)
	s := open(t, z.Endpoints()[0], &zkstore.Options{SessionTimeout: 2 * time.Second})
	last := take(t, s, "job").Token
	for range 2 {
		before, err := s.Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		z.Kill(0)
		z.EmptyFiles()
		z.Start()
		var next driver.Term
		until(t, "a grant", func() bool {
			next, err = s.Acquire(t.Context(), request("job", time.Minute))
			return err == nil
		})
		after, err := s.Identity(t.Context())
		if err != nil || after.Current == before.Current || after.Previous != before.Current || next.Token <= last {
			t.Errorf("token %s after %s; %+v after %+v, %v", next.Token, last, after, before, err)
		}
		last = next.Token
	}
}

func TestServerIsDown(t *testing.T) {
	t.Parallel()
	z := realserver.NewZooKeeper(t, nil)
	options := &zkstore.Options{AnswerWithin: 3 * time.Second}
	s := open(t, z.Endpoints()[0], nil)
	term := take(t, s, "job")
	quick := open(t, z.Endpoints()[0], options)
	z.Kill(0)
	_, err := quick.Inspect(t.Context(), "job")
	wants(t, err, driver.ErrUnavailable, "inspect")
	until(t, "the client to notice", func() bool {
		_, err = quick.Acquire(t.Context(), request("other", time.Minute))
		return errors.Is(err, driver.ErrUnavailable)
	})
	_, err = quick.Watch(t.Context(), "job")
	wants(t, err, driver.ErrUnavailable, "watch")
	_, err = zkstore.Open(t.Context(), z.Endpoints()[0], options)
	wants(t, err, driver.ErrUnavailable, "open")
	z.Start()
	until(t, "a renewal", func() bool {
		_, err := s.Renew(t.Context(), term, time.Minute)
		return err == nil
	})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_, err = s.Watch(t.Context(), "job")
	wants(t, err, driver.ErrClosed, "watch after close")
}
