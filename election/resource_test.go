package election_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/ringfencetest"
)

// What an old leader still sends is refused from the moment that the new one begins, before
// that has written anything.
func TestALeaderEstablishesItsResources(t *testing.T) {
	stand(t, func(s *stage) {
		plan := ringfencetest.NewDestination(s.store, guard.Latest)
		c := election.Candidacy{Resources: []election.Resource{plan}}
		deaf := make(chan struct{})
		a := s.candidate("a", c, func(_ context.Context, term *election.Term) error {
			<-deaf // it takes no notice of its context
			_, err := term.Write(s.Context(), "late", func(ctx context.Context, w guard.Write) (fence.Verdict, error) {
				return plan.Write(ctx, w, "late")
			})
			if !errors.Is(err, fence.ErrRefused) {
				s.Errorf("got %v", err)
			}
			return err
		})
		old := a.elected()
		b := s.candidate("b", c, nil)
		s.store.Pause(time.Hour)
		b.elected()
		close(deaf)
		a.leave()
		_ = a.gone()
		plan.AssertFenced()
		plan.AssertRefused(old.Fence())
	})
}

// Refused means stop: a leader whom a resource tells of a newer term is done, also where
// it takes no notice of the refusal.
func TestARefusedLeaderStops(t *testing.T) {
	stand(t, func(s *stage) {
		plan := ringfencetest.NewDestination(s.store, guard.Latest)
		a := s.candidate("a", election.Candidacy{Once: true}, func(ctx context.Context, term *election.Term) error {
			newer := fence.Fence{Name: name, Token: term.Fence().Token + 1}
			if _, err := plan.Establish(ctx, newer); err != nil {
				return err
			}
			_, _ = term.Write(ctx, "", func(ctx context.Context, w guard.Write) (fence.Verdict, error) {
				return plan.Write(ctx, w, "x")
			})
			<-ctx.Done()
			wantEnded(s, context.Cause(ctx), ringfence.EndSuperseded)
			return nil
		})
		lost, ok := errors.AsType[*ringfence.LostError](a.gone())
		if !ok || lost.Cause != ringfence.EndSuperseded {
			s.Errorf("got %v", lost)
		}
	})
}

// What the work returns is heeded too: its refusal is no failure of the candidate.
func TestAReturnedRefusalIsALostTerm(t *testing.T) {
	stand(t, func(s *stage) {
		terms := 0
		a := s.candidate("a", election.Candidacy{}, func(_ context.Context, term *election.Term) error {
			if terms++; terms == 1 {
				return fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Fence: term.Fence()}.Err()
			}
			return nil
		})
		if err := a.gone(); err != nil || terms != 2 {
			s.Errorf("after %d terms: %v", terms, err)
		}
	})
}

func TestOnlyTheEndOfTheTermIsHeeded(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{Once: true}, nil)
		term := a.elected()
		refused := func(c fence.Cause, f fence.Fence) error {
			return fence.Verdict{Outcome: fence.Refused, Cause: c, Fence: f}.Err()
		}
		for _, err := range []error{
			nil, errWork, refused(fence.Conflict, term.Fence()), refused(fence.Superseded, fence.Fence{Name: "other", Token: 3}),
		} {
			if got := term.Heed(err); got != err { //nolint:errorlint // handed on as it is
				s.Errorf("%v became %v", err, got)
			}
			if term.Lease().Context().Err() != nil {
				s.Fatalf("%v ended the term", err)
			}
		}
		_ = term.Heed(refused(fence.Lapsed, term.Fence()))
		wantEnded(s, context.Cause(term.Lease().Context()), ringfence.EndExpired)
	})
}

// A leader that can't reach what it is to write to gives its term back, so that one that
// can is elected.
func TestAnUnreachableResourcePassesTheTermOn(t *testing.T) {
	stand(t, func(s *stage) {
		plan := ringfencetest.NewDestination(s.store, guard.Latest)
		var asked atomic.Int32
		unreachable := election.ResourceFunc(func(_ context.Context, f fence.Fence) (fence.Verdict, error) {
			if asked.Add(1) == 1 { // a conflict is asked again
				return fence.Verdict{}, &guard.Error{Kind: guard.ErrRetry, Fence: f}
			}
			return fence.Verdict{}, &guard.Error{Kind: guard.ErrUnavailable, Fence: f}
		})
		a := s.candidate("a", election.Candidacy{Resources: []election.Resource{unreachable}}, nil)
		b := s.candidate("b", election.Candidacy{Resources: []election.Resource{plan}}, nil)
		b.elected()
		if len(a.terms) != 0 || asked.Load() != 2 {
			s.Errorf("a began %d terms after %d tries", len(a.terms), asked.Load())
		}
		s.wantTold("a passed", "b started")
	})
}

func TestAResourceThatNeverAnswersIsGivenOneLease(t *testing.T) {
	stand(t, func(s *stage) {
		hangs := election.ResourceFunc(func(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
			<-ctx.Done()
			return fence.Verdict{}, &guard.Error{Kind: guard.ErrUnknown, Fence: f, Err: ctx.Err()}
		})
		s.candidate("a", election.Candidacy{Resources: []election.Resource{hangs}, Lease: time.Minute}, nil)
		b := s.candidate("b", election.Candidacy{}, nil)
		begun := time.Now()
		b.elected()
		if took := time.Since(begun); took > time.Minute {
			s.Errorf("passed on after %s", took)
		}
	})
}

// What another try would meet again ends the candidacy.
func TestAnUnfitResourceEndsTheCandidacy(t *testing.T) {
	stand(t, func(s *stage) {
		for _, fault := range []error{
			&guard.Error{Kind: guard.ErrUnfit},
			fence.Verdict{Outcome: fence.Refused, Cause: fence.Invalid}.Err(),
		} {
			unfit := election.ResourceFunc(func(context.Context, fence.Fence) (fence.Verdict, error) { return fence.Verdict{}, fault })
			a := s.candidate("a", election.Candidacy{Resources: []election.Resource{unfit}}, nil)
			if err := a.gone(); !errors.Is(err, fault) {
				s.Errorf("got %v", err)
			}
			if r := s.record(); r.State != driver.Released {
				s.Errorf("the store says %s", r.State)
			}
		}
	})
}
