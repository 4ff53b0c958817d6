package natsstore

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
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

	ctx    context.Context // lives until Close
	cancel context.CancelFunc
	mu     sync.Mutex     // guards the start of what all counts against Close
	all    sync.WaitGroup // what runs on a goroutine of the store's own
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
		js: js, bucket: o.Bucket, stream: "KV_" + o.Bucket, patience: o.AnswerWithin,
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
	s.ctx, s.cancel = context.WithCancel(context.Background())
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
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.all.Wait()
	return nil
}

// start runs f on a goroutine that Close waits for, unless the store is closed.
func (s *Store) start(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.all.Go(f)
	return true
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
	return s.step(ctx, r.Name, step{Kind: acquire, Attempt: r.Attempt, Holder: r.Holder, TTL: s.props.RoundTTL(r.TTL)})
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	if err := t.Check(); err != nil {
		return driver.Term{}, err
	}
	if err := s.props.CheckTTL(ttl); err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, t.Name, step{Kind: renew, Attempt: t.Attempt, Token: t.Token, TTL: s.props.RoundTTL(ttl)})
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	if err := t.Check(); err != nil {
		return err
	}
	_, err := s.step(ctx, t.Name, step{Kind: release, Attempt: t.Attempt, Token: t.Token})
	return err
}

func (s *Store) step(ctx context.Context, name string, st step) (driver.Term, error) {
	return run(ctx, s, string(st.Kind)+" "+fence.Quote(name), func(ctx context.Context) (driver.Term, error) {
		c := call{store: s, name: name, step: st}
		t, at, err := c.take(ctx)
		if err != nil {
			return driver.Term{}, err
		}
		left := t.Expires.Sub(at).Truncate(s.props.Resolution)
		return driver.Term{Fence: fence.Fence{Name: name, Token: t.Token}, Attempt: t.Attempt, Remaining: left}, nil
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
	return v, v.record(at), err
}
