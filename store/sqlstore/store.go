package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/pause"
)

// Store hosts leases in a database. It implements driver.Store, driver.Lister,
// driver.Breaker, driver.BatchRenewer, driver.Queue, driver.Recoverer and driver.Pruner.
type Store struct {
	backend backend
	dialect Dialect
	props   driver.Properties
	strict  bool // refuse a new identity
	queue   *queue
	placed  sync.Map // the attempts that may have a place in line, got through this client
	closing sync.Once

	// accepting holds a token while one caller accepts another database; accepted
	// counts how often that was done, so that those who waited need not do it again.
	accepting chan struct{}
	accepted  atomic.Int64
}

func newStore(b backend, d Dialect, o Options) *Store {
	s := &Store{
		backend: b, dialect: d, props: b.properties(), strict: o.RefuseNewIdentity,
		queue: newQueue(b, d), accepting: make(chan struct{}, 1),
	}
	if o.Label != "" {
		s.props.Store = o.Label
	}
	return s
}

// Properties implements driver.Store.
func (s *Store) Properties() driver.Properties { return s.props }

// Close implements driver.Store. Calls under way are given up; the *sql.DB stays
// open.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.queue.close()
		s.backend.close()
	})
	return nil
}

// Acquire implements driver.Store.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	if err := r.Check(s.props); err != nil {
		return driver.Term{}, err
	}
	_, placed := s.placed.Load(r.Attempt)
	t, err := s.do(ctx, call{
		kind: acquire, name: r.Name, attempt: r.Attempt, holder: r.Holder, ttl: s.props.RoundTTL(r.TTL), placed: placed,
	})
	if placed && err == nil {
		s.placed.Delete(r.Attempt)
	}
	return t, err
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	c, err := s.renewal(t, ttl)
	if err != nil {
		return driver.Term{}, err
	}
	return s.do(ctx, c)
}

func (s *Store) renewal(t driver.Term, ttl time.Duration) (call, error) {
	if err := t.Check(); err != nil {
		return call{}, err
	}
	if err := s.props.CheckTTL(ttl); err != nil {
		return call{}, err
	}
	return call{kind: renew, name: t.Name, attempt: t.Attempt, token: t.Token, ttl: s.props.RoundTTL(ttl)}, nil
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	if err := t.Check(); err != nil {
		return err
	}
	_, err := s.do(ctx, call{kind: release, name: t.Name, attempt: t.Attempt, token: t.Token})
	return err
}

// do takes one step, in as many tries as ctx allows while each ends with the
// certainty that nothing was done, and a few after lost connections: repeating a
// step is harmless, and after a restart of the server the pool is full of them.
func (s *Store) do(ctx context.Context, c call) (driver.Term, error) {
	p := &progress{call: c}
	if ctx.Err() != nil {
		return driver.Term{}, left(ctx, false, nil).fault("")
	}
	s.finish(ctx, p)
	return p.term, p.err
}

// finish tries until p is over.
func (s *Store) finish(ctx context.Context, p *progress) {
	for {
		accepted := s.accepted.Load()
		sent := p.call.fresh()
		err := s.queue.ask(ctx, sent)
		if s.note(ctx, p, accepted, sent, err) {
			return
		}
	}
}

// all takes many steps, in one statement or a few. What could not be settled by those is
// asked for again by itself.
func (s *Store) all(ctx context.Context, steps []*progress) {
	calls := make([]*call, len(steps)) // what is sent: whoever gave one up may not look at it
	for i, p := range steps {
		calls[i] = p.call.fresh()
	}
	accepted := s.accepted.Load()
	errs := s.queue.askAll(ctx, calls)
	var rest sync.WaitGroup
	for i, p := range steps {
		if errs[i] == nil && calls[i].answer.final() {
			s.note(ctx, p, accepted, calls[i], nil)
			continue
		}
		rest.Go(func() {
			if !s.note(ctx, p, accepted, calls[i], errs[i]) {
				s.finish(ctx, p)
			}
		})
	}
	rest.Wait()
}

// progress is one step of a caller on its way through its tries. A name whose term
// is over counts as held when the caller's context ends while a transaction, such as
// one that its last holder guards by the lease, still keeps the record.
type progress struct {
	call  call
	pause pause.Pause
	lost  int    // connections, and so tries that may have been applied
	last  answer // of the last try that the context did not cut short

	answer answer // when it is over, and the outcome
	term   driver.Term
	err    error
}

// note takes in what came of a try that began when accepted was read, and reports
// whether p is over. If not, it has waited for as long as the next try should.
func (s *Store) note(ctx context.Context, p *progress, accepted int64, sent *call, err error) bool {
	var a answer
	if err == nil { // else a worker may still be writing it
		a = sent.answer
		err = s.refusal(ctx, a, accepted)
	}
	if err == nil {
		p.answer = a
		p.term, p.err = a.result(p.call, p.lost > 0)
		return true
	}
	if a.verdict == locked || ctx.Err() == nil {
		p.last = a
	}
	r := s.dialect.judge(err)
	if r.kind == driver.ErrUnknown && ctx.Err() == nil {
		p.lost++
		r.again = p.lost <= maxLost
	}
	if r.again && p.pause.Wait(ctx, s.queue.ctx.Done()) == nil {
		return false
	}
	if r.again {
		r = left(ctx, false, err)
	}
	if p.lost > 0 {
		r.kind, r.hint = driver.ErrUnknown, resolve
	}
	p.err = r.fault("")
	if p.last.verdict == locked && r.kind == driver.ErrUnavailable && ctx.Err() != nil {
		p.term, p.err = p.last.result(p.call, false)
	}
	return true
}

// maxLost is how many lost connections one call puts up with.
const maxLost = 4

// refusal is why an answer is none yet, or never will be one. It says again where
// nothing was done for a passing reason.
func (s *Store) refusal(ctx context.Context, a answer, accepted int64) error {
	switch a.verdict {
	case strange:
		return s.accept(ctx, accepted)
	case again, locked:
		return errLocked
	case exhausted:
		return errExhausted
	}
	return nil
}

var (
	errLocked    = retry("").because(errors.New("another transaction keeps its record locked"))
	errExhausted = refuse("its floor or the database's clock is wrong: use another database",
		fmt.Sprintf("no token is left: %d is the highest", fence.MaxToken))
	errAccepted = retry("").because(errors.New("another database answers than before"))
)

// accept makes the store go on with the database that answers now, unless
// another caller has done so since accepted was read. It then ends this try.
func (s *Store) accept(ctx context.Context, accepted int64) error {
	if s.strict {
		return refuse("if that is right, accept it with `ringfence recover`; its floor keeps every number handed out before out of use",
			"another database answers than the one on record")
	}
	select {
	case s.accepting <- struct{}{}:
		defer func() { <-s.accepting }()
	case <-ctx.Done():
		return left(ctx, false, nil)
	}
	if s.accepted.Load() == accepted {
		if !aTick(ctx) {
			return left(ctx, false, nil)
		}
		if _, err := s.raise(ctx, 0); err != nil {
			return before(s.dialect.judge(err))
		}
		s.accepted.Add(1)
	}
	return errAccepted
}
