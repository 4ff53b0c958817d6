package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// maxBatch bounds what one statement or transaction holds.
const maxBatch = 256

// queue sends calls to the database. While no call waits, each goes alone and at
// once, on its caller's own goroutine. Where all places are taken, workers do the
// rest: each takes everything that waits and may go together, so that calls which
// came while the database was busy share one commit. A worker is a goroutine only
// while there is work.
type queue struct {
	backend backend
	dialect Dialect

	// ctx lives until close, need until the last call that waits gives up: a
	// worker that is still getting a connection then stops trying.
	ctx  context.Context
	stop context.CancelFunc
	all  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	busy    int // places taken, by workers and by callers who lead
	workers int
	waiting []*call
	need    context.Context
	noNeed  context.CancelFunc
}

// batch is what one worker executes. It is given up when all its callers have.
type batch struct {
	calls  []*call
	alive  int // guarded by queue.mu
	ctx    context.Context
	cancel context.CancelFunc
}

func newQueue(b backend, d Dialect) *queue {
	ctx, stop := context.WithCancel(context.Background())
	q := &queue{backend: b, dialect: d, ctx: ctx, stop: stop}
	q.need, q.noNeed = context.WithCancel(ctx)
	return q
}

var errClosed = ruling{kind: driver.ErrClosed, err: context.Canceled, hint: "open another one"}

// ask sends c and waits for its answer, or for the end of ctx. c must be new.
func (q *queue) ask(ctx context.Context, c *call) error {
	leads, err := q.join(c)
	if err != nil {
		return err
	}
	if leads {
		return q.alone(ctx, c)
	}
	return q.await(ctx, c, awaitLastWord)
}

// askAll sends calls together, each of which must be new, and waits for their
// answers or for the end of ctx.
func (q *queue) askAll(ctx context.Context, calls []*call) []error {
	errs := make([]error, len(calls))
	err := error(left(ctx, false, nil))
	if ctx.Err() == nil {
		err = q.joinAll(calls)
	}
	lastWord := oneLastWord()
	for i, c := range calls {
		if errs[i] = err; err == nil {
			errs[i] = q.await(ctx, c, lastWord)
		}
	}
	return errs
}

// await waits for the answer of c, which is in the queue, or for the end of ctx and
// then for a last word.
func (q *queue) await(ctx context.Context, c *call, lastWord func(done <-chan struct{}) bool) error {
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
	}
	if q.withdraw(c) {
		return left(ctx, false, nil)
	}
	if lastWord(c.done) {
		return c.err
	}
	q.abandon(c)
	return left(ctx, true, nil)
}

// join puts c into the queue, and starts a worker where one more may run. Where
// nothing waits and no worker runs it does neither: the caller of c leads.
func (q *queue) join(c *call) (leads bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false, errClosed
	}
	places := q.backend.workers()
	if q.busy < places && q.workers == 0 && len(q.waiting) == 0 {
		q.busy++
		q.all.Add(1)
		return true, nil
	}
	q.line(c)
	return false, nil
}

// joinAll puts calls into the queue. None of them leads, so that they stay together.
func (q *queue) joinAll(calls []*call) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if len(calls) > 0 {
		q.line(calls...)
	}
	return nil
}

// line lets calls wait, and starts a worker where one more may run. q.mu is locked.
func (q *queue) line(calls ...*call) {
	if q.need.Err() != nil {
		q.need, q.noNeed = context.WithCancel(q.ctx)
	}
	q.waiting = append(q.waiting, calls...)
	if places := q.backend.workers(); q.busy < places && q.mayBatch(places) {
		q.busy++
		q.workers++
		q.all.Add(1)
		go q.work()
	}
}

// mayBatch reports whether one more worker may run. They take a quarter of the
// places, or two, since a few large batches cost less than many small ones.
func (q *queue) mayBatch(places int) bool { return q.workers < max(2, places/4) }

// alone executes c on the goroutine of its caller: to hand it over and back took
// as long as a fifth of the statement. The driver has to heed the end of a
// context, as database/sql asks; it comes after the last word.
func (q *queue) alone(ctx context.Context, c *call) error {
	defer q.handOver()
	until, cancel := context.WithCancel(q.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWord, cancel) })()
	s, err := q.backend.connect(until)
	if err != nil {
		if ctx.Err() != nil {
			return left(ctx, false, nil)
		}
		return before(q.dialect.judge(err))
	}
	err = s.run(until, []*call{c})
	s.release(err)
	if err != nil && ctx.Err() != nil && q.dialect.judge(err).kind == driver.ErrUnknown {
		return left(ctx, true, nil)
	}
	return err
}

// handOver leaves the place of a caller that led to a worker, where calls wait.
func (q *queue) handOver() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 && q.mayBatch(q.backend.workers()) {
		q.workers++
		go q.work()
		return
	}
	q.busy--
	q.all.Done()
}

// enter counts one more thing that close waits for, until leave is called.
func (q *queue) enter() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.all.Add(1)
	}
	return !q.closed
}

func (q *queue) leave() { q.all.Done() }

// withdraw takes c out of the queue, unless it may have been sent.
func (q *queue) withdraw(c *call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, w := range q.waiting {
		if w == c {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			if len(q.waiting) == 0 {
				q.noNeed()
			}
			return true
		}
	}
	return false
}

// abandon notes that the caller of c, which was sent, is gone.
func (q *queue) abandon(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.batch.alive--; c.batch.alive == 0 {
		c.batch.cancel()
	}
}

// rank says what goes first of the calls that wait.
func (c *call) rank() int {
	if c.kind == renew {
		return 0
	}
	return 1
}

// goesWith reports whether c may be in one batch with d.
func (c *call) goesWith(d *call, mixed bool) bool {
	return mixed || c.kind == d.kind && (c.kind != wait || c.ttl == d.ttl)
}

// meets is what no other call in a batch with c may have as well.
func (c *call) meets() string {
	if c.kind.inLine() {
		return c.name + "\x00" + c.attempt // no name holds that byte
	}
	return c.name
}

func (q *queue) work() {
	defer q.all.Done()
	for {
		need := q.needed()
		if need == nil {
			return
		}
		s, err := q.backend.connect(need)
		if err != nil {
			q.unreached(need, err)
		} else if b := q.take(); b != nil {
			q.execute(s, b)
		} else {
			s.release(nil)
		}
	}
}

// needed is nil, and the worker counts no longer, when nothing waits.
func (q *queue) needed() context.Context {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.workers--
		q.busy--
		return nil
	}
	return q.need
}

// unreached fails everything that waits, unless the worker gave up because those
// it wanted the connection for had gone.
func (q *queue) unreached(need context.Context, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if need.Err() != nil {
		return
	}
	r := before(q.dialect.judge(err))
	for _, c := range q.waiting {
		c.fail(r)
	}
	q.waiting = nil
}

// take forms a batch: the first call that waits and all that may go with it. A
// name is in a batch once, so that no step of it meets another; places in line are, one
// attempt each, and last equally long. A renewal goes before anything else: a lease may
// hang on it, and of the others there may be many.
func (q *queue) take() *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	b := &batch{}
	slices.SortStableFunc(q.waiting, func(a, b *call) int { return cmp.Compare(a.rank(), b.rank()) })
	first, names := q.waiting[0], map[string]bool{}
	var rest []*call
	for _, c := range q.waiting {
		if !c.goesWith(first, q.backend.mixed()) || names[c.meets()] || len(b.calls) == maxBatch {
			rest = append(rest, c)
			continue
		}
		names[c.meets()] = true
		c.batch = b
		b.calls = append(b.calls, c)
	}
	q.waiting = rest
	b.alive = len(b.calls)
	b.ctx, b.cancel = context.WithCancel(q.ctx)
	return b
}

// execute runs a batch and answers its calls after the commit.
func (q *queue) execute(s session, b *batch) {
	defer b.cancel()
	err := s.run(b.ctx, b.calls)
	s.release(err)
	for _, c := range b.calls {
		if err != nil && !c.stands {
			c.err = q.dialect.judge(err)
		}
		close(c.done)
	}
}

// close fails what waits, gives up what is under way, and waits until nothing runs.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	for _, c := range q.waiting {
		c.fail(errClosed)
	}
	q.waiting = nil
	q.mu.Unlock()
	q.stop()
	q.all.Wait()
}
