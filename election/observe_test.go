package election_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/ringfencetest"
)

// observer is a loop over the changes of leader.
type observer struct {
	*stage
	client  *ringfencetest.Store
	changes chan election.Change
	errs    chan error
	end     context.CancelFunc
	over    chan struct{}
}

func (s *stage) observe() *observer {
	o := &observer{stage: s, client: s.store.Share(), changes: make(chan election.Change, 100), errs: make(chan error, 100), over: make(chan struct{})}
	locker := o.client.Locker(nil)
	var ctx context.Context
	ctx, o.end = context.WithCancel(s.Context())
	s.Cleanup(o.end)
	go func() {
		defer close(o.over)
		for change, err := range election.Observe(ctx, locker, name, nil) {
			if err != nil {
				o.errs <- err
				continue
			}
			o.changes <- change
		}
	}()
	synctest.Wait()
	return o
}

// seen is what was told within the next few looks.
func (o *observer) seen() (all []election.Change) {
	time.Sleep(3 * time.Second)
	synctest.Wait()
	for {
		select {
		case c := <-o.changes:
			all = append(all, c)
		default:
			return all
		}
	}
}

func (o *observer) wants(want ...string) []election.Change {
	o.Helper()
	all := o.seen()
	var got []string
	for _, c := range all {
		got = append(got, fmt.Sprint(c.Holder, " ", c.State))
	}
	if !slices.Equal(got, want) {
		o.Errorf("saw %q, want %q", got, want)
	}
	return all
}

func TestObserverSeesEveryLeaderInOrder(t *testing.T) {
	stand(t, func(s *stage) {
		o := s.observe()
		o.wants()
		a := s.candidate("a", election.Candidacy{}, nil)
		b := s.candidate("b", election.Candidacy{}, nil)
		first := a.elected()
		if c := o.wants("a held"); len(c) == 1 && (c[0].Fence != first.Fence() || c[0].At.IsZero() || !c[0].Leads()) {
			s.Errorf("saw %+v, want %s", c, first.Fence())
		}
		time.Sleep(10 * time.Minute) // renewals are no change
		o.wants()
		a.leave()
		if c := o.wants("b held"); len(c) == 1 && (c[0].Fence != b.elected().Fence() || c[0].Unseen > time.Second) {
			s.Errorf("saw %+v", c)
		}
		b.leave()
		o.wants("b released")
		o.end()
		<-o.over
	})
}

func TestObserverBeginsWithTheState(t *testing.T) {
	stand(t, func(s *stage) {
		s.candidate("a", election.Candidacy{}, nil).elected()
		if c := s.observe().wants("a held"); len(c) == 1 && c[0].Unseen != 0 {
			s.Errorf("saw %+v", c)
		}
		s.store.Expire(name)
		s.observe().wants("a expired")
	})
}

// What an observer can't have seen it says.
func TestObserverSaysWhatItMayHaveMissed(t *testing.T) {
	stand(t, func(s *stage) {
		o := s.observe()
		s.candidate("a", election.Candidacy{}, nil).elected()
		o.wants("a held")
		o.client.CutOff()
		s.store.Steal(name)
		time.Sleep(10 * time.Minute)
		last := s.store.Steal(name)
		time.Sleep(20 * time.Minute)
		if n := len(o.errs); n != 1 {
			s.Errorf("%d errors in one outage", n)
		}
		o.client.Reconnect()
		c := o.wants("thief held")
		if len(c) == 1 && (c[0].Fence != last || c[0].Unseen < 10*time.Minute || c[0].Unseen > 10*time.Minute+2*time.Second) {
			s.Errorf("saw %+v, want %s after 10 minutes unseen", c, last)
		}
	})
}

// Where the tokens are neighbours there was nobody between them.
func TestObserverKnowsNeighbours(t *testing.T) {
	stand(t, func(s *stage) {
		o := s.observe()
		first := s.steal()
		o.wants("x held")
		if _, err := s.store.Raise(s.Context(), first.Token+4096*3600*1000); err != nil { // ahead of the clock
			s.Fatal(err)
		}
		s.store.Expire(name)
		second := s.steal()
		o.wants("x held")
		time.Sleep(500 * time.Millisecond) // between two looks
		s.store.Expire(name)
		third := s.steal()
		if c := o.wants("x held"); third.Token != second.Token+1 || len(c) != 1 || c[0].Unseen != 0 {
			s.Errorf("after %s saw %+v", second, c)
		}
	})
}

// steal grants the name to x for a day.
func (s *stage) steal() fence.Fence {
	s.Helper()
	term, err := s.store.Acquire(s.Context(), driver.Request{Name: name, Attempt: rand.Text(), Holder: "x", TTL: 24 * time.Hour})
	if err != nil {
		s.Fatal(err)
	}
	return term.Fence
}

func TestObserverIgnoresWhatIsOlder(t *testing.T) {
	stand(t, func(s *stage) {
		o := s.observe()
		s.steal()
		o.wants("x held")
		s.store.Expire(name)
		o.wants("x expired")
		if n, err := s.store.Prune(s.Context(), 0, 10); n != 1 || err != nil {
			s.Fatal(n, err)
		}
		o.wants() // its end was told
		s.steal()
		o.wants("x held")
	})
}

// replaying is a store that can answer with what it has answered before, as a follower
// that lags does.
type replaying struct {
	*ringfencetest.Store
	answer atomic.Pointer[driver.Record]
}

func (r *replaying) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if old := r.answer.Load(); old != nil {
		return *old, nil
	}
	return r.Store.Inspect(ctx, name)
}

func TestObserverIsNotSetBack(t *testing.T) {
	stand(t, func(s *stage) {
		store := &replaying{Store: s.store}
		locker, err := ringfence.New(store, nil)
		if err != nil {
			s.Fatal(err)
		}
		s.steal()
		old := s.record()
		s.store.Expire(name)
		last := s.steal()
		looks := 0
		time.AfterFunc(5*time.Second, func() { store.answer.Store(&old) })
		time.AfterFunc(10*time.Second, func() { store.answer.Store(nil) })
		ctx, end := context.WithTimeout(s.Context(), time.Minute)
		defer end()
		for c, err := range election.Observe(ctx, locker, name, nil) {
			if looks++; err != nil || c.Fence != last {
				s.Errorf("told %v, %v", c, err)
			}
		}
		if looks != 1 {
			s.Errorf("told %d changes, want 1", looks)
		}
	})
}

func TestObserverOfABadNameOrAClosedStoreEnds(t *testing.T) {
	stand(t, func(s *stage) {
		locker := s.store.Locker(nil)
		looks := 0
		for _, err := range election.Observe(s.Context(), locker, "", nil) {
			if looks++; !errors.Is(err, ringfence.ErrInvalid) {
				s.Errorf("got %v", err)
			}
		}
		for _, err := range election.Observe(s.Context(), locker, name, &election.ObserveOptions{Interval: -1}) {
			if looks++; !errors.Is(err, ringfence.ErrInvalid) {
				s.Errorf("got %v", err)
			}
		}
		if err := s.store.Close(); err != nil {
			s.Fatal(err)
		}
		for _, err := range election.Observe(s.Context(), locker, name, nil) {
			if looks++; !errors.Is(err, ringfence.ErrClosed) {
				s.Errorf("got %v", err)
			}
		}
		if looks != 3 {
			s.Errorf("%d errors, want one for each", looks)
		}
	})
}
