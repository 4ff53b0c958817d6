package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/pause"
)

// Store hosts leases in a Redis. It implements driver.Store and all optional
// abilities.
type Store struct {
	link    *link
	queue   *queue
	hub     *hub
	opts    Options
	props   driver.Properties
	tag     string // what every key begins with
	closing sync.Once

	id    string // random; begins the id of each release
	calls atomic.Uint64
	look  fitness
}

func newStore(l *link, o Options) *Store {
	s := &Store{link: l, queue: newQueue(l.execute, o.Workers), opts: o, tag: "{" + o.Prefix + "}:", id: rand.Text()[:10]}
	s.hub = newHub(s)
	s.props = driver.Properties{
		Store:      o.Label,
		Clock:      "the Redis server",
		Resolution: time.Millisecond,
		MinTTL:     10 * time.Millisecond,
	}
	if o.Label == "" {
		s.props.Store = l.addr + ", prefix " + o.Prefix
	}
	return s
}

// Properties implements driver.Store. Durable says that the server writes each
// grant to its disk before it answers: appendonly yes and appendfsync always.
func (s *Store) Properties() driver.Properties { return s.props }

// Close implements driver.Store. Calls under way are given up; the client stays
// open.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.hub.close()
		s.queue.close()
	})
	return nil
}

// lease is the key of a name's record. Any name will do: the hash tag stands before
// it, and Redis compares keys byte for byte.
func (s *Store) lease(name string) string { return s.tag + "lease:" + name }

// Acquire implements driver.Store.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	if err := r.Check(s.props); err != nil {
		return driver.Term{}, err
	}
	if err := s.look.due(ctx, s); err != nil {
		return driver.Term{}, err
	}
	return s.term(ctx, fence.Fence{Name: r.Name}, r.Attempt, nil, acquiring,
		"acquire", r.Name, r.Attempt, r.Holder, milliseconds(s.props.RoundTTL(r.TTL)))
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	return s.renew(ctx, driver.Renewal{Term: t, TTL: ttl}, nil)
}

// RenewAll implements driver.BatchRenewer.
func (s *Store) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	done := make([]driver.Renewed, len(all))
	s.together(len(all), func(i int) *call {
		if s.check(all[i]) != nil {
			return nil
		}
		return &call{script: lasting, key: s.lease(all[i].Term.Name), args: s.renewal(all[i])}
	}, func(i int, joined *call) { done[i].Term, done[i].Err = s.renew(ctx, all[i], joined) })
	return done
}

// together has n calls join the queue at once, but for those that are nil, and then
// finishes each.
func (s *Store) together(n int, first func(i int) *call, finish func(i int, joined *call)) {
	calls := make([]*call, n)
	var good []*call
	for i := range calls {
		if calls[i] = first(i); calls[i] != nil {
			good = append(good, calls[i])
		}
	}
	if s.queue.join(good...) != nil { // each says so itself
		clear(calls)
	}
	var each sync.WaitGroup
	for i, c := range calls {
		each.Go(func() { finish(i, c) })
	}
	each.Wait()
}

// renew renews a term. joined is the first try, where that is under way.
func (s *Store) renew(ctx context.Context, r driver.Renewal, joined *call) (driver.Term, error) {
	if err := s.check(r); err != nil {
		return driver.Term{}, err
	}
	return s.term(ctx, r.Term.Fence, r.Term.Attempt, joined, lasting, s.renewal(r)...)
}

func (s *Store) check(r driver.Renewal) error {
	if err := r.Term.Check(); err != nil {
		return err
	}
	return s.props.CheckTTL(r.TTL)
}

func (s *Store) renewal(r driver.Renewal) []any {
	return []any{"renew", r.Term.Name, r.Term.Token.String(), r.Term.Attempt, milliseconds(s.props.RoundTTL(r.TTL))}
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	if err := t.Check(); err != nil {
		return err
	}
	id := s.id + strconv.FormatUint(s.calls.Add(1), 36)
	_, err := s.term(ctx, t.Fence, t.Attempt, nil, lasting, release, t.Name, t.Token.String(), t.Attempt, id)
	return err
}

// release is the kind of a step that can't be told to have come in time, where its answer was lost and
// somebody else has the name by now.
const release = "release"

// term takes a step and reads what the store says about the term. joined is the
// first try, where that is under way.
func (s *Store) term(ctx context.Context, f fence.Fence, attempt string, joined *call, sc script, args ...any) (driver.Term, error) {
	reply, err := s.tries(ctx, joined, call{script: sc, key: s.lease(f.Name), args: args})
	if err != nil {
		return driver.Term{}, err.fault("")
	}
	v := reply.words(5)
	token, remaining, ahead := v.token(1), v.milliseconds(2), int(v.number(3))
	if v.err != nil {
		return driver.Term{}, v.err.fault("")
	}
	f.Token = token
	switch v.text[0] {
	case "done", "same":
		return driver.Term{Fence: f, Attempt: attempt, Remaining: remaining}, nil
	case "held", "kept":
		return driver.Term{}, &driver.HeldError{
			Name: f.Name, Holder: v.text[4], Token: f.Token, Remaining: remaining, Ahead: ahead, Kept: v.text[0] == "kept",
		}
	case "exhausted":
		return driver.Term{}, refuse("its floor or the server's clock is wrong: open the store with another Prefix",
			fmt.Sprintf("no token is left: %d is the highest", fence.MaxToken)).fault("")
	}
	cause := driver.EndCause(v.text[0])
	if reply.doubt && args[0] == release && cause == driver.EndSuperseded {
		return driver.Term{}, doubt.because(errors.New("the name was granted again before the answer came")).fault("")
	}
	return driver.Term{}, &driver.EndedError{Fence: f, Cause: cause}
}

// maxLost is how many lost connections one call puts up with. Each script may be
// repeated: what it did the first time it does not do again.
const maxLost = 4

// do runs a script about a name.
func (s *Store) do(ctx context.Context, name string, sc script, args ...any) (reply, *ruling) {
	return s.tries(ctx, nil, call{script: sc, key: s.lease(name), args: args})
}

// tries takes as many tries of a call as ctx allows while each ends with the
// certainty that nothing was done, and a few after lost connections. joined is the
// first one, where that is under way.
func (s *Store) tries(ctx context.Context, joined *call, c call) (reply, *ruling) {
	if ctx.Err() != nil && joined == nil {
		r := left(ctx, false, nil)
		return reply{}, &r
	}
	lost := 0 // tries whose outcome is unknown
	for p := (pause.Pause{}); ; {
		got, err := s.try(ctx, joined, c)
		if err == nil {
			got.doubt = lost > 0
			return got, nil
		}
		joined = nil
		r := judge(err)
		if errors.Is(r.kind, driver.ErrUnknown) && ctx.Err() == nil && s.queue.ctx.Err() == nil {
			lost++
			r.again = lost <= maxLost
		}
		if r.moved && !s.link.moved(ctx) {
			r = unfit(lonely).because(r.err)
		}
		if r.again && p.Wait(ctx, s.queue.ctx.Done()) != nil {
			r = left(ctx, false, err)
		} else if c.apart = lost > 0; r.again {
			continue
		}
		if lost > 0 {
			r.kind, r.hint = driver.ErrUnknown, resolve
		}
		return reply{}, &r
	}
}

// try takes one try. Its error says again where nothing was done for a passing reason.
func (s *Store) try(ctx context.Context, joined *call, c call) (reply, error) {
	var err error
	if joined != nil {
		err = s.queue.await(ctx, joined)
	} else {
		joined = &c
		c.apart = c.apart || !s.link.ready()
		err = s.queue.ask(ctx, joined)
	}
	if err != nil {
		return reply{}, err
	}
	got := reply{value: joined.reply}
	switch got.verdict() {
	case "strange":
		return reply{}, s.accept(ctx)
	case "replica":
		return reply{}, unavailable(primary).because(errors.New("the server is a replica"))
	}
	return got, nil
}

var errAccepted = retry("").because(errors.New("another server answers than before"))

// accept makes the store go on with the server that answers now, after it was
// looked at like the first one. It then ends this try.
func (s *Store) accept(ctx context.Context) error {
	if s.opts.RefuseNewIdentity {
		return refuse("if that is right, accept it with `ringfence recover`; its floor keeps every number handed out before out of use",
			"another server answers than the one on record")
	}
	if _, err := s.inspectServer(ctx); err != nil {
		return before(judge(err))
	}
	if err := s.queue.ask(ctx, &call{script: raise, key: s.lease(""), args: []any{"0", s.link.weak, "lost"}}); err != nil {
		return before(judge(err))
	}
	return errAccepted
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
