// Package life ends what a store does together with the store.
package life

import (
	"context"
	"sync"

	"github.com/ringfence-go/ringfence/driver"
)

// Life is the time from the opening of a store to its close.
type Life struct {
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex     // guards the start of what all counts against the end
	all    sync.WaitGroup // what runs on a goroutine of the store's own
}

// New begins a life.
func New() *Life {
	l := new(Life)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// Context lasts as long as the store is open.
func (l *Life) Context() context.Context { return l.ctx }

// End gives up the calls under way. Nothing is started from then on.
func (l *Life) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel()
}

// Wait returns when nothing runs any more that was started.
func (l *Life) Wait() { l.all.Wait() }

// Start runs f on a goroutine that Wait waits for, unless the life is over.
func (l *Life) Start(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		return false
	}
	l.all.Go(f)
	return true
}

// ErrClosed is the error of a call on a store that is closed.
var ErrClosed error = &driver.Fault{Kind: driver.ErrClosed, Err: context.Canceled, Hint: "open another one"}

// Run makes a call, which ends with ctx and with the store. One that does not begin
// has changed nothing, and its error says so.
func Run[R any](ctx context.Context, l *Life, call func(context.Context) (R, error)) (R, error) {
	var none R
	if l.ctx.Err() != nil {
		return none, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return none, &driver.Fault{Kind: driver.ErrUnavailable, Err: err}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	result, err := call(ctx)
	if err != nil {
		return none, err
	}
	return result, nil
}
