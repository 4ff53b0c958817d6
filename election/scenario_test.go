package election_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/fence"
)

// A leader whose packets get lost is told before anybody else is elected.
func TestScenario_R01_BlackHoledLeader(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, nil)
		b := s.candidate("b", election.Candidacy{}, nil)
		first := a.elected()
		time.Sleep(10 * time.Minute)
		a.client.Silence()
		b.elected()
		wantEnded(s, context.Cause(first.Lease().Context()), ringfence.EndUnreachable)
		s.wantTold("a started", "a stopped", "b started")
	})
}

// A candidate that has left while it waited is never elected, and nobody waits for it.
func TestScenario_R04_DeadCandidate(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, nil)
		b := s.candidate("b", election.Candidacy{}, nil)
		c := s.candidate("c", election.Candidacy{}, nil)
		time.Sleep(time.Minute)
		b.leave()
		_ = b.gone()
		begun := time.Now()
		a.elected().Resign()
		c.elected()
		if took := time.Since(begun); took != 0 {
			s.Errorf("c was elected %s after a resigned", took)
		}
		if len(b.terms) != 0 {
			s.Error("who had left was elected")
		}
	})
}

// The reply to a renewal is lost, and the leader resigns: the name is free at once.
func TestScenario_R08_RenewalCommittedReplyLostThenResign(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, nil)
		b := s.candidate("b", election.Candidacy{}, nil)
		first := a.elected()
		a.client.DropReplies()
		time.Sleep(11 * time.Second) // a renewal
		a.client.Reconnect()
		first.Resign()
		begun := time.Now()
		second := b.elected()
		if took := time.Since(begun); took > time.Second {
			s.Errorf("free after %s", took)
		}
		time.Sleep(10 * time.Minute)
		if r := s.record(); r.Token != second.Fence().Token {
			s.Errorf("the store says %+v", r)
		}
	})
}

// Of ten candidates half die and some leave; the others are elected with no stall.
func TestScenario_R13_CandidatesThatAreGone(t *testing.T) {
	stand(t, func(s *stage) {
		leader := s.candidate("leader", election.Candidacy{}, nil)
		var all []*person
		for i := range 10 {
			all = append(all, s.candidate(fmt.Sprint(i), election.Candidacy{}, nil))
			time.Sleep(time.Minute)
		}
		for i, p := range all {
			if i%2 == 0 {
				p.leave()
				_ = p.gone()
			}
		}
		begun := time.Now()
		leader.elected()
		leader.leave()
		for range 5 {
			time.Sleep(time.Second)
			synctest.Wait()
			for _, p := range all {
				select {
				case <-p.terms:
					p.leave()
				default:
				}
			}
		}
		synctest.Wait()
		if got := len(s.told()); got != 2*6 {
			s.Errorf("after %s: %q", time.Since(begun), s.told())
		}
	})
}

// One that waits leaves at once, and the other term of its process goes on.
func TestScenario_R16_LeaveWhileWaiting(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, nil)
		a.elected()
		locker := s.store.Locker(nil)
		other, err := locker.TryAcquire(s.Context(), "other", ringfence.Hold{TTL: time.Minute, Renew: true})
		if err != nil {
			s.Fatal(err)
		}
		ctx, leave := context.WithCancel(s.Context())
		left := make(chan error)
		go func() {
			left <- election.Run(ctx, locker, name, election.Candidacy{Unavailable: election.Wait}, nil)
		}()
		time.Sleep(10 * time.Minute)
		begun := time.Now()
		leave()
		if err := <-left; err != context.Canceled || time.Since(begun) != 0 { //nolint:errorlint // the cause itself
			s.Errorf("left with %v after %s", err, time.Since(begun))
		}
		time.Sleep(10 * time.Minute)
		if err := other.Release(s.Context()); err != nil {
			s.Errorf("the other term: %v", err)
		}
	})
}

// Two hundred who wait ask seldom, and a resignation wakes one of them.
func TestScenario_R19_ManyCandidates(t *testing.T) {
	stand(t, func(s *stage) {
		counted := &counting{Store: s.store}
		locker, err := ringfence.New(counted, nil)
		if err != nil {
			s.Fatal(err)
		}
		ctx, leave := context.WithCancel(s.Context())
		started := make(chan *election.Term, 200)
		left := make(chan error, 200)
		for range 200 {
			go func() {
				left <- election.Run(ctx, locker, name, election.Candidacy{Unavailable: election.Wait}, func(ctx context.Context, term *election.Term) error {
					started <- term
					<-ctx.Done()
					return nil
				})
			}()
		}
		leader := <-started
		time.Sleep(time.Minute)
		before := counted.acquires.Load()
		time.Sleep(50 * time.Second)
		if asked := counted.acquires.Load() - before; asked > 200*50/4 {
			s.Errorf("200 candidates asked %d times in 50 s", asked)
		}
		before = counted.acquires.Load()
		leader.Resign()
		<-started
		if asked := counted.acquires.Load() - before; asked > 20 {
			s.Errorf("a resignation made %d ask", asked)
		}
		leave()
		for range 200 {
			<-left
		}
	})
}

// The work needs 3 s to stop: its term is not released before. Who never led is never
// said to have stopped.
func TestScenario_R23_StepDownOrder(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, func(ctx context.Context, _ *election.Term) error {
			<-ctx.Done()
			time.Sleep(3 * time.Second)
			if r := s.record(); r.State != driver.Held || r.Holder != "a" {
				s.Errorf("while the work was stopping the store said %+v", r)
			}
			return nil
		})
		b := s.candidate("b", election.Candidacy{}, nil)
		c := s.candidate("c", election.Candidacy{}, nil)
		a.elected()
		time.Sleep(10 * time.Minute)
		c.leave()
		_ = c.gone()
		a.leave()
		b.elected()
		s.wantTold("a started", "a stopped", "b started")
		if err := a.gone(); err != nil {
			s.Errorf("got %v", err)
		}
	})
}

// Work that ignores its context keeps the name until the lease runs out: nothing is
// released under it, and that is told.
func TestScenario_R23_WorkThatIgnoresItsContext(t *testing.T) {
	stand(t, func(s *stage) {
		lease := 30 * time.Second
		a := s.candidate("a", election.Candidacy{Lease: lease}, func(context.Context, *election.Term) error {
			time.Sleep(5 * time.Minute)
			return nil
		})
		b := s.candidate("b", election.Candidacy{}, nil)
		first := a.elected()
		begun := time.Now()
		first.Resign()
		b.elected()
		if took := time.Since(begun); took < lease*9/10 || took > lease+6*time.Second {
			s.Errorf("another was elected after %s", took)
		}
		s.wantTold("a started", "a overdue", "b started")
		a.leave()
		lost, ok := errors.AsType[*ringfence.LostError](a.gone())
		if !ok || !lost.Suspect || lost.Fence != first.Fence() {
			s.Errorf("got %v", lost)
		}
		s.wantTold("a started", "a overdue", "b started", "a stopped", "a lost")
	})
}

// A leader that stood still for longer than its lease is told as soon as it runs again.
func TestAPausedLeaderIsTold(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, nil)
		first := a.elected()
		s.store.Pause(time.Hour)
		begun := time.Now()
		<-first.Lease().Context().Done()
		if took := time.Since(begun); took > time.Second {
			s.Errorf("told after %s", took)
		}
		if second := a.elected(); second.Fence().Token <= first.Fence().Token || second.Fence() == (fence.Fence{}) {
			s.Errorf("%s after %s", second.Fence(), first.Fence())
		}
	})
}
