package ringfence

import (
	"context"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Locker leases names from one store. Its methods may be called by many
// goroutines at once. It does not own the store: whoever opened that closes it,
// after [Locker.Close].
type Locker struct {
	store driver.Store
	props driver.Properties
	opts  Options
	now   func() instant
	// keeper looks after the leases that are held.
	keeper *keeper
	// places looks after those who wait in line.
	places *places

	ctx     context.Context // ends at Close
	cancel  context.CancelFunc
	reclaim background
}

// New returns a Locker on store.
func New(store driver.Store, o *Options) (*Locker, error) {
	if store == nil {
		return nil, errors.New("ringfence.New: the store is nil")
	}
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Locker{store: store, props: store.Properties(), opts: opts}
	l.now = func() instant { return instant{at: time.Now(), wall: l.opts.Clock()} }
	l.keeper, l.places = newKeeper(l), newPlaces(l)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l, nil
}

// Close waits until what unanswered acquires may have been granted is given
// back, or until ctx ends. Leases that are held stay held: release them first.
func (l *Locker) Close(ctx context.Context) error {
	done := l.reclaim.over()
	select {
	case <-done:
		l.cancel()
		return nil
	case <-ctx.Done():
		l.cancel()
		<-done // it ends with l.ctx
		return context.Cause(ctx)
	}
}

// Inspect reads the record of a name and changes nothing.
func (l *Locker) Inspect(ctx context.Context, name string) (driver.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, l.opts.RequestTimeout)
	defer cancel()
	rec, err := l.store.Inspect(ctx, name)
	return rec, l.wrap("inspect", fence.Fence{Name: name}, err)
}

func (l *Locker) wrap(op string, f fence.Fence, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Store: l.props.Store, Fence: f, Err: err}
}

func (l *Locker) emit(e Event) { l.opts.OnEvent(e) }
