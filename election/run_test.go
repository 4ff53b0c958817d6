package election_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/fence"
)

var errWork = errors.New("the work failed")

func endOf(err error) ringfence.EndCause {
	if ended, ok := errors.AsType[*ringfence.EndedError](err); ok {
		return ended.Cause
	}
	return ""
}

func (s *stage) wantTold(want ...string) {
	s.Helper()
	if got := s.told(); !slices.Equal(got, want) {
		s.Errorf("told %q, want %q", got, want)
	}
}

func TestOneOfManyLeads(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, nil)
		b := s.candidate("b", election.Candidacy{}, nil)
		first := a.elected()
		time.Sleep(10 * time.Minute)
		s.wantTold("a started")
		if r := s.record(); r.Token != first.Fence().Token || r.Holder != "a" {
			s.Errorf("the store says %+v", r)
		}
		a.leave()
		if second := b.elected(); second.Fence().Token <= first.Fence().Token {
			s.Errorf("token %s after %s", second.Fence().Token, first.Fence().Token)
		}
		if err := a.gone(); !errors.Is(err, context.Canceled) {
			s.Errorf("a left with %v", err)
		}
		s.wantTold("a started", "a stopped", "b started")
	})
}

// A resignation hands over at once: the store tells whoever waits.
func TestResignationHandsOverAtOnce(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, nil)
		b := s.candidate("b", election.Candidacy{}, nil)
		first := a.elected()
		time.Sleep(time.Minute) // b is in its longest pause
		begun := time.Now()
		first.Resign() // from outside of the work
		second := b.elected()
		if took := time.Since(begun); took != 0 {
			s.Errorf("handed over after %s", took)
		}
		if e := s.lastOf("a"); e.Kind == election.EventStopped && !errors.Is(e.Cause, election.ErrResigned) {
			s.Errorf("the work's context ended with %v", e.Cause)
		}
		time.Sleep(10 * time.Minute)
		second.Resign() // and back: who resigned is a candidate again
		if third := a.elected(); third.Fence().Token <= second.Fence().Token {
			s.Errorf("token %s after %s", third.Fence().Token, second.Fence().Token)
		}
	})
}

func TestResignationFromInsideLetsOthersGoFirst(t *testing.T) {
	stand(t, func(s *stage) {
		begun := time.Now()
		a := s.candidate("a", election.Candidacy{Pause: time.Minute}, func(_ context.Context, term *election.Term) error {
			if time.Since(begun) == 0 {
				term.Resign()
				return errWork // whatever it returns
			}
			return nil
		})
		a.elected()
		a.elected()
		if took := time.Since(begun); took != time.Minute {
			s.Errorf("stood again after %s, want its pause", took)
		}
		if err := a.gone(); err != nil {
			s.Errorf("got %v", err)
		}
	})
}

// With nobody else there, the one who resigned leads again, and Run ends only when the
// work ends by itself.
func TestWorkThatReturnsEndsTheCandidacy(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, func(context.Context, *election.Term) error { return errWork })
		if err := a.gone(); !errors.Is(err, errWork) {
			s.Errorf("got %v", err)
		}
		if e := s.lastOf("a"); e.Kind != election.EventStopped || !errors.Is(e.Err, errWork) || e.Cause != nil {
			s.Errorf("last told: %+v", e)
		}
		if r := s.record(); r.State != driver.Released {
			s.Errorf("the store says %s", r.State)
		}
	})
}

// What the work says of other leases is its own business.
func TestErrorsOfOtherLeasesAreTheWorksOwn(t *testing.T) {
	stand(t, func(s *stage) {
		other := fence.Fence{Name: "other", Token: 7}
		for _, err := range []error{
			&ringfence.LostError{Fence: other, Cause: ringfence.EndExpired},
			&ringfence.Error{Op: "acquire", Fence: other, Err: ringfence.ErrUnavailable},
			&ringfence.HeldError{Name: "other"},
			&fence.RefusedError{Verdict: fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Fence: other}},
		} {
			a := s.candidate("a", election.Candidacy{}, func(context.Context, *election.Term) error { return err })
			if got := a.gone(); !errors.Is(got, err) {
				s.Errorf("got %v, want %v", got, err)
			}
		}
	})
}

func TestALostTermIsStoodForAgain(t *testing.T) {
	for cause, lose := range map[ringfence.EndCause]func(s *stage, p *person){
		ringfence.EndExpired: func(s *stage, _ *person) { s.store.Expire(name) },
		ringfence.EndSuperseded: func(s *stage, _ *person) {
			s.store.Steal(name)
			time.AfterFunc(10*time.Minute, func() { s.store.Expire(name) })
		},
		ringfence.EndUnreachable: func(_ *stage, p *person) { p.client.CutOff(); time.AfterFunc(10*time.Minute, p.client.Reconnect) },
		ringfence.EndForced:      func(s *stage, _ *person) { _, _ = s.store.Break(context.Background(), name, "operator") },
	} {
		t.Run(string(cause), func(t *testing.T) {
			stand(t, func(s *stage) {
				a := s.candidate("a", election.Candidacy{}, nil)
				first := a.elected()
				lose(s, a)
				time.Sleep(20 * time.Minute)
				second := a.elected()
				if second.Fence().Token <= first.Fence().Token {
					s.Errorf("token %s after %s", second.Fence().Token, first.Fence().Token)
				}
				wantEnded(s, context.Cause(first.Lease().Context()), cause)
				s.wantTold("a started", "a stopped", "a lost", "a started")
			})
		})
	}
}

// A term that was taken by force, or that a resource refused, leaves the name free: its
// candidate must not have it back before anybody else had a chance.
func TestForceAndRefusalGiveOthersATurn(t *testing.T) {
	for what, lose := range map[string]func(s *stage, term *election.Term){
		"force": func(s *stage, _ *election.Term) {
			if _, err := s.store.Break(s.Context(), name, "operator"); err != nil {
				s.Fatal(err)
			}
		},
		"refusal": func(_ *stage, term *election.Term) {
			_ = term.Heed(fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Fence: term.Fence()}.Err())
		},
	} {
		t.Run(what, func(t *testing.T) {
			stand(t, func(s *stage) {
				a := s.candidate("a", election.Candidacy{}, nil)
				term := a.elected()
				lose(s, term)
				<-term.Lease().Context().Done()
				told := time.Now()
				a.elected()
				if took := time.Since(told); took != election.DefaultPause {
					s.Errorf("back after %s", took)
				}
			})
		})
	}
}

func TestOnceEndsAfterTheFirstTerm(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{Once: true}, nil)
		a.elected()
		s.store.Steal(name)
		lost, ok := errors.AsType[*ringfence.LostError](a.gone())
		if !ok || lost.Cause != ringfence.EndSuperseded || !lost.Suspect {
			s.Errorf("got %v", lost)
		}
		s.store.Expire(name)
		b := s.candidate("b", election.Candidacy{Once: true}, nil)
		b.elected().Resign()
		if err := b.gone(); !errors.Is(err, election.ErrResigned) {
			s.Errorf("got %v", err)
		}
	})
}

func TestAPanicStopsAndReleases(t *testing.T) {
	stand(t, func(s *stage) {
		var recovered any
		a := s.store.Locker(nil)
		var kinds []election.EventKind
		func() {
			defer func() { recovered = recover() }()
			c := election.Candidacy{Unavailable: election.Wait, OnEvent: func(e election.Event) { kinds = append(kinds, e.Kind) }}
			_ = election.Run(s.Context(), a, name, c, func(context.Context, *election.Term) error { panic("worker") })
		}()
		if recovered != "worker" || s.record().State != driver.Released {
			s.Errorf("recovered %v, the store says %s", recovered, s.record().State)
		}
		if want := []election.EventKind{election.EventCampaigning, election.EventStarted, election.EventStopped}; !slices.Equal(kinds, want) {
			s.Errorf("told %q", kinds)
		}
	})
}

// runtime.Goexit, as in a failing test, is an end like another.
func TestGoexitStopsAndReleases(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{}, func(context.Context, *election.Term) error { runtime.Goexit(); return nil })
		a.elected()
		synctest.Wait()
		s.wantTold("a started", "a stopped")
		if r := s.record(); r.State != driver.Released {
			s.Errorf("the store says %s", r.State)
		}
	})
}

func TestStoreDownBeforeTheFirstTerm(t *testing.T) {
	for unavailable, waits := range map[election.Unavailable]bool{election.Wait: true, election.Fail: false} {
		t.Run(fmt.Sprint(waits), func(t *testing.T) {
			stand(t, func(s *stage) {
				s.store.CutOff()
				a := s.candidateOn(s.store, "a", election.Candidacy{Unavailable: unavailable}, nil)
				if !waits {
					if err := a.gone(); !errors.Is(err, ringfence.ErrUnavailable) {
						s.Errorf("got %v", err)
					}
					return
				}
				time.Sleep(10 * time.Minute)
				s.wantTold()
				s.store.Reconnect()
				a.elected()
			})
		})
	}
}

// Whoever waits already waits an outage out, also with Fail; whoever has lost its term
// to one asks again, and is told.
func TestStoreDownWhileWaitingAndAfterATerm(t *testing.T) {
	stand(t, func(s *stage) {
		a := s.candidate("a", election.Candidacy{Unavailable: election.Fail}, nil)
		b := s.candidate("b", election.Candidacy{Unavailable: election.Fail}, nil)
		a.elected()
		b.client.CutOff()
		time.Sleep(10 * time.Minute)
		b.client.Reconnect()
		a.client.CutOff()
		b.elected()
		if err := a.gone(); !errors.Is(err, ringfence.ErrUnavailable) {
			s.Errorf("got %v", err)
		}
		s.wantTold("a started", "a stopped", "a lost", "b started")
	})
}

func TestAnUnfitOrClosedStoreIsNotWaitedFor(t *testing.T) {
	stand(t, func(s *stage) {
		if err := s.store.Close(); err != nil {
			s.Fatal(err)
		}
		a := s.candidateOn(s.store, "a", election.Candidacy{}, nil)
		if err := a.gone(); !errors.Is(err, ringfence.ErrClosed) {
			s.Errorf("got %v", err)
		}
	})
}

func TestSeveralElectionsInOneProcess(t *testing.T) {
	stand(t, func(s *stage) {
		locker := s.store.Locker(nil)
		ctx, cancel := context.WithCancel(s.Context())
		left := make(chan error, 9)
		started := make(chan fence.Fence, 9)
		for _, n := range []string{"x", "y", "z", "x", "y", "z", "x", "y", "z"} {
			go func() {
				left <- election.Run(ctx, locker, n, election.Candidacy{Unavailable: election.Wait}, func(ctx context.Context, term *election.Term) error {
					started <- term.Fence()
					<-ctx.Done()
					return nil
				})
			}()
		}
		time.Sleep(10 * time.Minute)
		seen := map[string]bool{}
		for range 3 {
			seen[(<-started).Name] = true
		}
		if len(started) != 0 || len(seen) != 3 {
			s.Errorf("beside %v there are %d more leaders", seen, len(started))
		}
		cancel()
		for range 9 {
			if err := <-left; err != nil && !errors.Is(err, context.Canceled) {
				s.Error(err)
			}
		}
	})
}

func TestCandidacyRefusesWhatCannotBeKept(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]election.Candidacy{
		"nothing said of outages": {},
		"undefined":               {Unavailable: 9},
		"negative pause":          {Unavailable: election.Wait, Pause: -1},
		"endless pause":           {Unavailable: election.Wait, Pause: math.MaxInt64},
		"no room to renew":        {Unavailable: election.Wait, Lease: time.Second, Grace: time.Second},
		"negative lease":          {Unavailable: election.Wait, Lease: -1},
	} {
		if err := election.Run(t.Context(), nil, name, c, nil); !errors.Is(err, ringfence.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
