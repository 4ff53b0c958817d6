package s3store

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Store hosts leases in a bucket. It implements driver.Store, driver.Lister,
// driver.Breaker and driver.Recoverer.
type Store struct {
	client Client
	bucket string
	keys   keys
	refuse bool // a new identity, until it is accepted
	props  driver.Properties

	ctx    context.Context // lives until Close
	cancel context.CancelFunc

	mu    sync.Mutex
	known string      // the identity that this client grants for
	above fence.Token // the highest floor that it has seen
}

var (
	_ driver.Lister    = (*Store)(nil)
	_ driver.Breaker   = (*Store)(nil)
	_ driver.Recoverer = (*Store)(nil)
)

// minTTL leaves a holder something after the write that gets it the lease took one
// second, and Date another.
const minTTL = 3 * unit

func newStore(client Client, bucket string, o Options) *Store {
	s := &Store{
		client: client, bucket: bucket, keys: keys{o.Prefix}, refuse: o.RefuseNewIdentity,
		props: driver.Properties{
			Store: o.Label, Clock: "the endpoint's, the Date of its answers", Resolution: unit, MinTTL: minTTL, Durable: true,
		},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Properties implements driver.Store.
func (s *Store) Properties() driver.Properties { return s.props }

// Close implements driver.Store. Calls under way are given up; the client stays open.
func (s *Store) Close() error {
	s.cancel()
	return nil
}

// run makes a call, which ends with ctx and with the store, and explains its error.
func run[R any](ctx context.Context, s *Store, what string, f func(context.Context) (R, error)) (R, error) {
	var none R
	if s.ctx.Err() != nil {
		return none, s.explain(what, errClosed)
	}
	if err := ctx.Err(); err != nil {
		return none, s.explain(what, before(err))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	result, err := f(ctx)
	if err != nil {
		return none, s.explain(what, err)
	}
	return result, nil
}

// Acquire implements driver.Store.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	if err := r.Check(s.props); err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, r.Name, step{kind: acquire, attempt: r.Attempt, holder: r.Holder, ttl: s.props.RoundTTL(r.TTL)})
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	if err := t.Check(); err != nil {
		return driver.Term{}, err
	}
	if err := s.props.CheckTTL(ttl); err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, t.Name, step{kind: renew, token: t.Token, attempt: t.Attempt, ttl: s.props.RoundTTL(ttl)})
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	if err := t.Check(); err != nil {
		return err
	}
	_, err := s.step(ctx, t.Name, step{kind: release, token: t.Token, attempt: t.Attempt})
	return err
}

func (s *Store) step(ctx context.Context, name string, st step) (driver.Term, error) {
	return run(ctx, s, string(st.kind)+" "+fence.Quote(name), func(ctx context.Context) (driver.Term, error) {
		c := call{store: s, name: name, step: st}
		v, err := c.take(ctx)
		if err != nil {
			return driver.Term{}, err
		}
		return v.term(), nil
	})
}

// Inspect implements driver.Store.
func (s *Store) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	return run(ctx, s, "inspect "+fence.Quote(name), func(ctx context.Context) (driver.Record, error) {
		v, err := s.look(ctx, name, false)
		return v.record(), err
	})
}

// look reads the record of a name, and at the same time the floor where it is wanted.
func (s *Store) look(ctx context.Context, name string, wantFloor bool) (view, error) {
	if !wantFloor {
		o, err := s.get(ctx, s.keys.lease(name))
		if err != nil {
			return view{}, err
		}
		return readRecord(name, o)
	}
	var f floor
	var at time.Time
	var floorErr error
	var both sync.WaitGroup
	both.Go(func() { f, at, floorErr = s.floor(ctx) })
	v, err := s.look(ctx, name, false)
	both.Wait()
	if err != nil || floorErr != nil {
		return v, cmp.Or(err, floorErr)
	}
	v.floor = f
	if at.Before(v.since) {
		v.since = at
	}
	return v, nil
}
