package casstore

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/life"
)

// Store hosts leases in a bucket. It implements driver.Store, driver.Lister,
// driver.Breaker and driver.Recoverer.
type Store struct {
	bucket Bucket
	keys   keys
	o      Options
	props  driver.Properties

	life *life.Life

	mu    sync.Mutex
	known string      // the identity that this client grants for
	above fence.Token // the highest floor that it has seen
}

func newStore(bucket Bucket, label string, o Options) *Store {
	s := &Store{
		life:   life.New(),
		bucket: bucket, keys: keys{o.Prefix}, o: o,
		props: driver.Properties{
			Store: label, Clock: o.Clock, Resolution: o.Unit, Durable: true,
			// A holder has something left after the write that gets it the lease took one
			// unit, and the clock's answer another.
			MinTTL: max(3*o.Unit, time.Second),
		},
	}
	return s
}

// Properties implements driver.Store.
func (s *Store) Properties() driver.Properties { return s.props }

// Close implements driver.Store. Calls under way are given up; the bucket stays open.
func (s *Store) Close() error {
	s.life.End()
	return nil
}

// run makes a call, which ends with ctx and with the store, and explains its error.
func run[R any](ctx context.Context, s *Store, what string, f func(context.Context) (R, error)) (R, error) {
	result, err := life.Run(ctx, s.life, f)
	return result, s.explain(what, err)
}

// get reads a value. Its error is one of a call that changed nothing.
func (s *Store) get(ctx context.Context, key string) (Object, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	o, err := s.bucket.Get(ctx, key)
	if err != nil {
		return Object{}, before(err)
	}
	o.At = later(o.At, o.Wrote.Truncate(s.o.Unit)) // another server of the service wrote it, with a clock ahead
	return o, nil
}

// put writes a value under a condition.
func (s *Store) put(ctx context.Context, key, version string, data []byte) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	return s.bucket.Put(ctx, key, version, data)
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
		c := s.newCall(name, st)
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
		return s.readRecord(name, o)
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
