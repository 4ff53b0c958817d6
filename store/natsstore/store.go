package natsstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/life"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// Store hosts leases in a JetStream key-value bucket. It implements driver.Store,
// driver.Lister, driver.Breaker, driver.Watcher, driver.Recoverer and driver.Pruner.
type Store struct {
	js       jetstream.JetStream
	bucket   string
	stream   string        // of the bucket
	api      string        // what the subjects of JetStream's own requests begin with
	patience time.Duration // with one request
	props    driver.Properties
	verified atomic.Uint64         // the number of reconnects at which the bucket was last checked
	strayed  atomic.Int64          // writes that may have reached a bucket before it was checked
	floored  atomic.Pointer[floor] // the bucket's record as it was last read
	seen     atomic.Uint64         // the highest revision that is known to have been there
	recent   recent
	// beforeWrite is nil but in a test, which lets the connection change there.
	beforeWrite func(name string)
	hub         hub

	life *life.Life
}

var (
	_ driver.Lister    = (*Store)(nil)
	_ driver.Breaker   = (*Store)(nil)
	_ driver.Watcher   = (*Store)(nil)
	_ driver.Recoverer = (*Store)(nil)
	_ driver.Pruner    = (*Store)(nil)
)

func newStore(js jetstream.JetStream, o Options) *Store {
	s := &Store{
		life: life.New(),
		js:   js, bucket: o.Bucket, stream: "KV_" + o.Bucket, patience: o.AnswerWithin,
		props: driver.Properties{
			Store: o.Label, Clock: "the NATS server that leads the bucket",
			Resolution: time.Millisecond, MinTTL: 10 * time.Millisecond,
		},
	}
	s.api = apiPrefix(js.Options())
	if o.Label == "" {
		s.props.Store = fmt.Sprintf("NATS bucket %q at %s", o.Bucket, js.Conn().ConnectedAddr())
	}
	s.hub.topics = map[string]*topic{}
	return s
}

// apiPrefix is what the subjects of JetStream's own requests begin with.
func apiPrefix(o jetstream.JetStreamOptions) string {
	switch {
	case o.Domain != "":
		return "$JS." + o.Domain + ".API."
	case o.APIPrefix == "":
		return jetstream.DefaultAPIPrefix
	case o.APIPrefix[len(o.APIPrefix)-1] != '.':
		return o.APIPrefix + "."
	}
	return o.APIPrefix
}

// Properties implements driver.Store.
func (s *Store) Properties() driver.Properties { return s.props }

// Close implements driver.Store. Calls under way are given up; the connection
// stays open.
func (s *Store) Close() error {
	s.life.End()
	s.life.Wait()
	return nil
}

// run makes a call, which ends with ctx and with the store, and explains its error.
func run[R any](ctx context.Context, s *Store, what string, f func(context.Context) (R, error)) (R, error) {
	result, err := life.Run(ctx, s.life, f)
	return result, s.explain(what, err)
}

// Acquire implements driver.Store.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	st, err := stamp.Acquiring(r, s.props)
	if err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, r.Name, st)
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	st, err := stamp.Renewing(t, ttl, s.props)
	if err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, t.Name, st)
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	st, err := stamp.Releasing(t)
	if err != nil {
		return err
	}
	_, err = s.step(ctx, t.Name, st)
	return err
}

func (s *Store) step(ctx context.Context, name string, st stamp.Step) (driver.Term, error) {
	return run(ctx, s, string(st.Kind)+" "+fence.Quote(name), func(ctx context.Context) (driver.Term, error) {
		c := s.newCall(name, st)
		t, at, err := c.take(ctx)
		if err != nil {
			return driver.Term{}, err
		}
		term := t.For(name, stamp.Stamp{At: at})
		term.Remaining = term.Remaining.Truncate(s.props.Resolution)
		return term, nil
	})
}

// Inspect implements driver.Store.
func (s *Store) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	return run(ctx, s, "inspect "+fence.Quote(name), func(ctx context.Context) (driver.Record, error) {
		_, rec, err := s.inspect(ctx, name)
		return rec, err
	})
}

// caughtUp looks at a replica that knows what this process has seen of the bucket,
// its own writes among it. One that lags is given a moment; one whose bucket was
// made again never gets there, and is then taken as it is.
func (s *Store) caughtUp(ctx context.Context, name string) (view, error) {
	moment, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	v, err := s.look(moment, name, s.seen.Load())
	if err != nil && moment.Err() != nil && ctx.Err() == nil {
		return s.look(ctx, name, 0)
	}
	return v, err
}

func (s *Store) inspect(ctx context.Context, name string) (view, driver.Record, error) {
	v, err := s.caughtUp(ctx, name)
	if err == nil && v.revision == 0 {
		// A record that is replaced during a read may be missing from the answer of
		// an older server.
		v, err = s.caughtUp(ctx, name)
	}
	if err != nil {
		return v, driver.Record{}, err
	}
	at, err := s.nowFor(ctx, v)
	return v, v.Record(stamp.Stamp{At: at}), err
}
