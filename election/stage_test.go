package election_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/ringfencetest"
)

const name = "scheduler"

// stage is where candidates stand: each on a client of its own.
type stage struct {
	*testing.T
	store *ringfencetest.Store

	mu    sync.Mutex
	lines []string // "a started", "a stopped", ...
	last  map[string]election.Event
}

// stand plays a scene in virtual time.
func stand(t *testing.T, scene func(s *stage)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		scene(&stage{T: t, store: ringfencetest.New(t), last: map[string]election.Event{}})
	})
}

// person is one candidate.
type person struct {
	stage  *stage
	label  string
	client *ringfencetest.Store
	terms  chan *election.Term // each term when its work begins
	leave  context.CancelFunc
	left   chan error // what Run returned
	work   func(ctx context.Context, term *election.Term) error
}

// candidate begins to stand. Its work lasts until its context ends, unless work says
// something else.
func (s *stage) candidate(label string, c election.Candidacy, work func(ctx context.Context, term *election.Term) error) *person {
	return s.candidateOn(s.store.Share(), label, c, work)
}

// candidateOn is candidate on a client that the test has prepared.
func (s *stage) candidateOn(
	client *ringfencetest.Store, label string, c election.Candidacy, work func(ctx context.Context, term *election.Term) error,
) *person {
	p := &person{stage: s, label: label, client: client, terms: make(chan *election.Term, 100), left: make(chan error, 1), work: work}
	if c.Unavailable == 0 {
		c.Unavailable = election.Wait
	}
	c.OnEvent, c.Holder = p.tell, label
	locker := p.client.Locker(nil)
	var ctx context.Context
	ctx, p.leave = context.WithCancel(s.Context())
	done := make(chan struct{})
	s.Cleanup(func() { p.leave(); <-done })
	go func() {
		defer close(done)
		p.left <- election.Run(ctx, locker, name, c, p.lead)
	}()
	synctest.Wait()
	return p
}

func (p *person) lead(ctx context.Context, term *election.Term) error {
	p.terms <- term
	if p.work != nil {
		return p.work(ctx, term)
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func (p *person) tell(e election.Event) {
	p.stage.mu.Lock()
	defer p.stage.mu.Unlock()
	p.stage.last[p.label] = e
	if e.Kind != election.EventCampaigning {
		p.stage.lines = append(p.stage.lines, fmt.Sprint(p.label, " ", e.Kind))
	}
}

// elected waits for the candidate's next term.
func (p *person) elected() *election.Term {
	p.stage.Helper()
	select {
	case term := <-p.terms:
		return term
	case <-time.After(10 * time.Minute):
		p.stage.Fatalf("%s is not elected: %q", p.label, p.stage.told())
		return nil
	}
}

// gone waits until the candidate's Run has returned.
func (p *person) gone() error {
	p.stage.Helper()
	select {
	case err := <-p.left:
		return err
	case <-time.After(10 * time.Minute):
		p.stage.Fatalf("%s still stands: %q", p.label, p.stage.told())
		return nil
	}
}

func (s *stage) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.lines...)
}

func (s *stage) lastOf(label string) election.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[label]
}

func (s *stage) record() driver.Record {
	s.Helper()
	r, err := s.store.Inspect(context.Background(), name)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// wantEnded checks how err says that a term has ended.
func wantEnded(t testing.TB, err error, cause ringfence.EndCause) {
	t.Helper()
	if got := endOf(err); got != cause {
		t.Errorf("got %v, want an end by %s", err, cause)
	}
}

// counting counts how often its store is asked for a name.
type counting struct {
	*ringfencetest.Store
	acquires atomic.Int64
}

func (c *counting) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	c.acquires.Add(1)
	return c.Store.Acquire(ctx, r)
}
