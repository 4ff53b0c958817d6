package redisstore

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// call is one try of one caller's script. Its answer may be read when done is closed.
type call struct {
	script script
	key    string // of the name's record
	args   []any
	// apart: its caller must be able to leave at any time.
	apart bool

	batch *batch // nil while it waits; guarded by queue.mu

	done  chan struct{} // nil where the caller itself sends
	reply any
	err   error
}

func (c *call) settle(reply any, err error) {
	c.reply, c.err = reply, err
	if c.done != nil {
		close(c.done)
	}
}

// batch is what one pipeline carries.
type batch struct {
	calls []*call
	// alive counts the callers that still wait. When it comes to 0 the worker counts
	// no longer, so that a connection which hangs keeps nobody else waiting.
	alive int
	over  bool // answered
}

// queue sends what waits in pipelines: one at a time while each is answered soon, since
// all that came meanwhile costs less in the next one than beside it. There are more where
// much waits, or a connection may hang, on up to a number of workers, each of which ends
// when nothing waits. An idle queue has no goroutine.
type queue struct {
	send   func(ctx context.Context, calls []*call, alone bool)
	most   int
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	urgent  []*call // of what waits: steps of terms, which go before those of who has none yet
	waiting []*call
	workers int
	relief  bool // a timer runs, see hire
	closed  bool
	all     sync.WaitGroup
}

// maxBatch keeps one pipeline short, since Redis serves nobody else meanwhile
// with the answers that it collects.
const maxBatch = 128

func newQueue(send func(context.Context, []*call, bool), workers int) *queue {
	q := &queue{send: send, most: workers}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

var errClosed = ruling{kind: driver.ErrClosed, err: errors.New("by this process"), hint: "open another one"}

// ask sends c and waits for its answer, or for the end of ctx. c must be new.
func (q *queue) ask(ctx context.Context, c *call) error {
	if !c.apart && q.begin() {
		q.send(ctx, []*call{c}, true)
		q.end()
		if c.err != nil && expired(ctx) && errors.Is(judge(c.err).kind, driver.ErrUnknown) {
			return left(ctx, true, c.err)
		}
		return c.err
	}
	if err := q.join(c); err != nil {
		return err
	}
	return q.await(ctx, c)
}

// expired reports whether ctx has ended, or is to end this moment: a connection
// notices a deadline before its context may.
func expired(ctx context.Context) bool {
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// begin reports whether a caller may send its call itself, since nothing is under way. Two switches to another goroutine cost more than a script where the
// network is quick.
func (q *queue) begin() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.workers > 0 || q.length() > 0 {
		return false
	}
	q.workers++
	q.all.Add(1)
	return true
}

// end is that of a caller who has sent its call itself.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.workers--
	if q.length() > 0 {
		q.hire()
	}
	q.all.Done()
}

// await waits for the answer of c, which has joined, or for the end of ctx.
func (q *queue) await(ctx context.Context, c *call) error {
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

// join puts calls into the queue, and starts a worker where one more may run.
func (q *queue) join(calls ...*call) error {
	for _, c := range calls {
		c.done = make(chan struct{})
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	for _, c := range calls {
		if c.script.hash == lasting.hash {
			q.urgent = append(q.urgent, c)
		} else {
			q.waiting = append(q.waiting, c)
		}
	}
	q.hire()
	return nil
}

// length is how many calls wait. q.mu is locked.
func (q *queue) length() int { return len(q.urgent) + len(q.waiting) }

// enough is how many calls are worth another connection: fewer are served sooner by
// the batch after one that is under way, together.
const enough = 32

// patience is how long what waits gives the batch that is under way, whose
// connection may hang.
const patience = 20 * time.Millisecond

// hire starts a worker where nothing is under way, or enough waits, or it has
// waited for long.
func (q *queue) hire() {
	switch {
	case q.workers == q.most:
	case q.workers == 0 || q.length() >= enough:
		q.launch()
	case !q.relief:
		q.relief = true
		time.AfterFunc(patience, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.relief = false
			if q.length() > 0 && q.workers < q.most && !q.closed {
				q.launch()
			}
		})
	}
}

func (q *queue) launch() {
	q.workers++
	q.all.Go(q.work)
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
	for _, calls := range []*[]*call{&q.urgent, &q.waiting} {
		if i := slices.Index(*calls, c); i >= 0 {
			*calls = slices.Delete(*calls, i, i+1)
			return true
		}
	}
	return false
}

// abandon notes that the caller of c, which was sent, is gone.
func (q *queue) abandon(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.batch.alive--; c.batch.alive == 0 && !c.batch.over {
		q.workers--
		if q.length() > 0 && !q.closed {
			q.hire()
		}
	}
}

func (q *queue) work() {
	for b := q.take(nil); b != nil; b = q.take(b) {
		q.send(q.ctx, b.calls, false)
		runtime.Gosched() // so that those who were just answered can join the next batch
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
	if q.length() == 0 {
		q.workers--
		return nil
	}
	n := min(q.length(), maxBatch)
	b := &batch{calls: make([]*call, 0, n), alive: n}
	for _, calls := range []*[]*call{&q.urgent, &q.waiting} {
		some := min(len(*calls), n-len(b.calls))
		b.calls = append(b.calls, (*calls)[:some]...)
		*calls = slices.Delete(*calls, 0, some)
	}
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
	for _, c := range append(q.urgent, q.waiting...) {
		c.settle(nil, errClosed)
	}
	q.urgent, q.waiting = nil, nil
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
