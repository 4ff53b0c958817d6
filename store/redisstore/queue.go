package redisstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// call is one try of one caller's script. Its answer may be read when done is closed.
type call struct {
	script script
	keys   []string
	args   []any

	batch *batch // nil while it waits; guarded by queue.mu

	done  chan struct{}
	reply any
	err   error
}

func (c *call) settle(reply any, err error) {
	c.reply, c.err = reply, err
	close(c.done)
}

// batch is what one pipeline carries.
type batch struct {
	calls []*call
	// alive counts the callers that still wait. When it comes to 0 the worker counts
	// no longer, so that a connection which hangs keeps nobody else waiting.
	alive int
	over  bool // answered
}

// queue sends what waits in pipelines, on up to a number of workers, each of
// which ends when nothing waits. An idle queue has no goroutine.
type queue struct {
	send   func(ctx context.Context, calls []*call)
	most   int
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	waiting []*call
	workers int
	closed  bool
	all     sync.WaitGroup
}

// maxBatch keeps one pipeline short, since Redis serves nobody else meanwhile
// with the answers that it collects.
const maxBatch = 128

func newQueue(send func(context.Context, []*call), workers int) *queue {
	q := &queue{send: send, most: workers}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

var errClosed = ruling{kind: driver.ErrClosed, err: errors.New("by this process"), hint: "open another one"}

// ask sends c and waits for its answer, or for the end of ctx. c must be new.
func (q *queue) ask(ctx context.Context, c *call) error {
	c.done = make(chan struct{})
	if err := q.join(c); err != nil {
		return err
	}
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
	}
	if q.withdraw(c) {
		return left(ctx, false, nil)
	}
	if awaitLastWord(c.done) {
		return c.err
	}
	q.abandon(c)
	return left(ctx, true, nil)
}

// join puts c into the queue, and starts a worker where one more may run.
func (q *queue) join(c *call) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	q.waiting = append(q.waiting, c)
	q.hire()
	return nil
}

func (q *queue) hire() {
	if q.workers < q.most {
		q.workers++
		q.all.Go(q.work)
	}
}

// aside runs f apart from the queue, and makes close wait for it.
func (q *queue) aside(f func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	q.all.Go(f)
	return nil
}

// withdraw takes c out of the queue, unless it may have been sent.
func (q *queue) withdraw(c *call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, c)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// abandon notes that the caller of c, which was sent, is gone.
func (q *queue) abandon(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.batch.alive--; c.batch.alive == 0 && !c.batch.over {
		q.workers--
		if len(q.waiting) > 0 && !q.closed {
			q.hire()
		}
	}
}

func (q *queue) work() {
	for b := q.take(nil); b != nil; b = q.take(b) {
		q.send(q.ctx, b.calls)
	}
}

// take forms the next batch after the one before. It is nil when the worker is
// to end: nothing waits, or everybody has left the last batch and another worker
// took this one's place.
func (q *queue) take(before *batch) *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if before != nil {
		if before.over = true; before.alive == 0 {
			return nil
		}
	}
	if len(q.waiting) == 0 {
		q.workers--
		return nil
	}
	n := min(len(q.waiting), maxBatch)
	b := &batch{calls: slices.Clone(q.waiting[:n]), alive: n}
	q.waiting = slices.Delete(q.waiting, 0, n)
	for _, c := range b.calls {
		c.batch = b
	}
	return b
}

// close fails what waits and waits until nothing runs, which takes as long as a
// connection waits for an answer.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	for _, c := range q.waiting {
		c.settle(nil, errClosed)
	}
	q.waiting = nil
	q.mu.Unlock()
	q.cancel()
	q.all.Wait()
}

// lastWord is how long a call whose context has ended waits for an answer that
// is under way: mostly it is about to come, and is better than a doubt.
const lastWord = 10 * time.Millisecond

// awaitLastWord reports whether done came in time.
func awaitLastWord(done <-chan struct{}) bool {
	t := time.NewTimer(lastWord)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}
