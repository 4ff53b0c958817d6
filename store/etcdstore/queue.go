package etcdstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

const (
	// slots is how many transactions are under way before steps wait for company.
	slots = 2
	// maxTogether is how many steps share a Txn. Within etcd's limit of 128
	// operations it leaves room for those of each.
	maxTogether = 100
	// stuckAfter is when a transaction gives up its slot unanswered, so that a member
	// that stands still holds up nobody but those who asked it.
	stuckAfter = 50 * time.Millisecond
)

// queue sends the steps of terms. While few are under way each goes alone, on its
// caller's own goroutine and at once. Otherwise it waits for a slot, and goes in one
// Txn with all that wait; there each is a transaction of its own, with its own outcome.
type queue struct {
	store *Store

	mu      sync.Mutex
	busy    int // slots taken
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

// join returns a slot for s alone, or lets it wait for one.
func (q *queue) join(s *step) *slot {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy < slots {
		q.busy++
		return q.slot()
	}
	q.waiting = append(q.waiting, s)
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

// slot is the right to have a transaction under way, until free is called for the
// first time.
type slot struct {
	queue *queue
	timer *time.Timer
	over  atomic.Bool
}

func (q *queue) slot() *slot {
	p := &slot{queue: q}
	p.timer = time.AfterFunc(stuckAfter, func() { p.give() })
	return p
}

func (p *slot) free() {
	p.timer.Stop()
	p.give()
}

func (p *slot) give() {
	if !p.over.Swap(true) {
		p.queue.next()
	}
}

// next hands a slot that is free to all that wait.
func (q *queue) next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	together := q.take()
	if len(together) == 0 {
		q.busy--
		return
	}
	p := q.slot()
	if !q.store.spawn(func() { defer p.free(); q.send(together) }) {
		go p.free()
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
