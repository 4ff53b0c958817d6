package etcdstore

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

const (
	// maxTogether is how many steps share a Txn. Within etcd's limit of 128
	// operations it leaves room for those of each.
	maxTogether = 100
	// patience is how long a step waits for company at most: for as long as a quick disk
	// takes to write, and not for a member that is far away or stands still.
	patience = 5 * time.Millisecond
)

// queue sends the steps of terms. While none is under way one goes alone, on its caller's
// own goroutine and at once. Otherwise it waits for that to be answered, or for as long as
// patience lasts, and goes in one Txn with all that wait; there each is a transaction of its
// own, with its own outcome. Each Txn costs the cluster a write to its log, however many
// steps it holds.
type queue struct {
	store *Store

	mu      sync.Mutex
	under   *slot // of the transaction that steps wait for; nil if there is none
	waiting []*step
}

// step is one transaction on a name: changes that are made if all comparisons hold.
type step struct {
	name string
	when []clientv3.Cmp
	then []clientv3.Op

	answered chan struct{} // closed when the next two stand
	outcome  outcome
	err      error // a ruling
}

// outcome is etcd's answer to a step.
type outcome struct {
	held      bool // the comparisons did, so the changes were made
	responses []*etcdserverpb.ResponseOp
	header    *etcdserverpb.ResponseHeader
}

// do takes a step and waits for its outcome, or for the end of ctx. Its error is a ruling.
func (q *queue) do(ctx context.Context, s *step) (outcome, error) {
	if r := q.store.left(ctx); r.kind != nil {
		return outcome{}, r
	}
	s.answered = make(chan struct{})
	if p := q.join(s); p != nil {
		defer p.free()
		q.alone(ctx, s)
		return s.outcome, s.err
	}
	select {
	case <-s.answered:
		return s.outcome, s.err
	case <-ctx.Done():
	}
	if q.withdraw(s) {
		return outcome{}, q.store.left(ctx)
	}
	return outcome{}, doubt.because(ctx.Err())
}

// join returns a slot for s alone, or lets it wait for what is under way.
func (q *queue) join(s *step) *slot {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.under == nil {
		return q.slot()
	}
	q.waiting = append(q.waiting, s)
	q.under.limit()
	return nil
}

// withdraw takes s out of the queue, unless it may have been sent.
func (q *queue) withdraw(s *step) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, s)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// slot is a transaction that is under way, and that steps wait for.
type slot struct {
	queue *queue
	since time.Time
	timer *time.Timer // nil while none waits: to set one can wake another thread; guarded by queue.mu
}

// slot makes steps wait for another transaction. q.mu is locked.
func (q *queue) slot() *slot {
	q.under = &slot{queue: q, since: time.Now()}
	if len(q.waiting) > 0 {
		q.under.limit()
	}
	return q.under
}

// limit lets steps wait no longer than patience lasts. p.queue.mu is locked.
func (p *slot) limit() {
	if p.timer == nil {
		p.timer = time.AfterFunc(time.Until(p.since.Add(patience)), p.free)
	}
}

// free lets the steps that wait for p go, once.
func (p *slot) free() {
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	if q.under != p {
		return
	}
	q.under = nil
	together := q.take()
	if len(together) == 0 {
		return
	}
	next := q.slot()
	if !q.store.spawn(func() {
		defer next.free()
		q.send(together)
		runtime.Gosched() // so that those who were just answered can go with the next
	}) {
		go next.free()
		for _, s := range together {
			s.finish(outcome{}, q.store.left(q.store.ctx))
		}
	}
}

// take removes from the queue what can go together. etcd writes a key once in a Txn,
// so a second step on a name waits for the next one.
func (q *queue) take() (together []*step) {
	names := map[string]bool{}
	q.waiting = slices.DeleteFunc(q.waiting, func(s *step) bool {
		if names[s.name] || len(together) == maxTogether {
			return false
		}
		names[s.name] = true
		together = append(together, s)
		return true
	})
	return together
}

// send takes steps in one Txn. Where etcd refuses the whole, each is taken alone: what
// is wrong with one is none of the others' business.
func (q *queue) send(together []*step) {
	if len(together) == 1 {
		q.alone(q.store.ctx, together[0])
		return
	}
	var ops []clientv3.Op
	for _, s := range together {
		ops = append(ops, clientv3.OpTxn(s.when, s.then, nil))
	}
	resp, err := q.store.txn(q.store.ctx, nil, ops, nil)
	if r, known := errors.AsType[ruling](err); known && r.kind != driver.ErrUnknown {
		var all sync.WaitGroup
		for _, s := range together {
			all.Go(func() { q.alone(q.store.ctx, s) })
		}
		all.Wait()
		return
	}
	for i, s := range together {
		if err != nil {
			s.finish(outcome{}, err)
			continue
		}
		own := resp.Responses[i].GetResponseTxn()
		s.finish(outcome{own.Succeeded, own.Responses, resp.Header}, nil)
	}
}

func (q *queue) alone(ctx context.Context, s *step) {
	resp, err := q.store.txn(ctx, s.when, s.then, nil)
	if err != nil {
		s.finish(outcome{}, err)
		return
	}
	s.finish(outcome{resp.Succeeded, resp.Responses, resp.Header}, nil)
}

func (s *step) finish(o outcome, err error) {
	s.outcome, s.err = o, err
	close(s.answered)
}
