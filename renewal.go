package ringfence

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

const (
	// batchSize is how many leases one request renews, and batchesAtOnce how many such
	// requests a Locker sends at once: the SQL stores take as many in a statement.
	batchSize     = 256
	batchesAtOnce = 8
	// singlesAtOnce is the same for stores that renew one by one.
	singlesAtOnce = 64

	// overdue is when a call that has not been answered stops counting among those
	// under way, so that connections which hang keep no place.
	overdue = 250 * time.Millisecond
)

// call is one request to renew leases.
type call struct {
	leases []*Lease
	terms  []driver.Renewal // theirs
	sent   instant          // before it was
	counts bool             // among keeper.calls; guarded by keeper.mu
}

// third is when a lease is renewed.
func (h Hold) third() time.Duration { return h.TTL / 3 }

// meet is about d from now on, at one of the moments, an eighth of d or less apart,
// at which the renewals of many leases meet.
func meet(at moment, d time.Duration) moment {
	apart := time.Duration(1) << max(bits.Len64(uint64(d/8))-1, 0)
	due := at + jitter(d)
	return due - due%apart
}

// want lets le, which is due, wait for a place in a call. If it was asked for and
// nothing came back for half of the time that was left, it is asked for again
// while that call may still be answered.
func (k *keeper) want(le *Lease) {
	if le.asked != nil {
		le.separate()
	}
	le.due = never
	if !le.wanting {
		le.wanting, k.sorted = true, false
		k.wanting = append(k.wanting, le)
	}
}

// separate lets le go with fewer others from now on, and then alone: one of those it
// went with may be why there was no answer.
func (le *Lease) separate() { le.company = max(le.company/16, 1) }

// launch sends calls while there are places for them.
func (k *keeper) launch(now instant) {
	for k.calls < k.atOnce && len(k.wanting) > 0 {
		c := k.take(now)
		if len(c.leases) == 0 {
			return
		}
		k.calls++
		c.counts = true
		go k.ask(c)
	}
}

// take forms a call of those that wait, the ones whose trust ends first before all
// others.
func (k *keeper) take(now instant) *call {
	if !k.sorted {
		slices.SortFunc(k.wanting, func(a, b *Lease) int { return cmp.Compare(a.until, b.until) })
		k.sorted = true
	}
	c, most, at := &call{}, k.most, k.moment(now)
	for len(k.wanting) > 0 {
		le := k.wanting[0]
		left := le.lasts(now)
		if le.place == 0 || !le.wanting || !le.renews || left <= 0 || le.ctx.Err() != nil {
			le.wanting = false
			k.wanting = k.wanting[1:]
			continue
		}
		if most = min(most, le.company); len(c.leases) >= most {
			break
		}
		k.wanting = k.wanting[1:]
		c.leases = append(c.leases, le)
		le.wanting, le.asked = false, c
		le.due = at + max(left/2, le.hold.third()/16)
		k.reschedule(le, at+left)
	}
	if len(k.wanting) == 0 {
		k.wanting = nil
	}
	return c
}

// ask sends c, and hands each of its leases its outcome before anybody is told.
func (k *keeper) ask(c *call) {
	late := time.AfterFunc(overdue, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.vacate(c, k.l.now())
	})
	c.sent = k.l.now()
	for _, le := range c.leases {
		ttl := le.ttl()
		le.asks(c.sent, ttl)
		c.terms = append(c.terms, driver.Renewal{Term: le.term, TTL: ttl})
	}
	outcomes := k.send(c)
	late.Stop()
	events := make([]Event, len(c.leases))
	for i, le := range c.leases {
		events[i], _ = le.settle(outcomes[i].Term, outcomes[i].Err, c.sent, c.terms[i].TTL)
	}
	k.answered(c, outcomes)
	for i, le := range c.leases {
		le.report(events[i])
	}
}

// send asks the store, for as long as any of the leases lasts and a request may take.
func (k *keeper) send(c *call) []driver.Renewed {
	if len(c.leases) == 1 {
		le := c.leases[0]
		ctx, cancel := context.WithTimeout(le.ctx, k.l.opts.RequestTimeout)
		defer cancel()
		t, err := k.l.store.Renew(ctx, le.term, c.terms[0].TTL)
		return []driver.Renewed{{Term: t, Err: err}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), k.l.opts.RequestTimeout)
	defer cancel()
	var last atomic.Int64
	last.Store(int64(len(c.leases)))
	for _, le := range c.leases {
		defer context.AfterFunc(le.ctx, func() {
			if last.Add(-1) == 0 {
				cancel()
			}
		})()
	}
	return k.together.RenewAll(ctx, c.terms)
}

// answered gives c's place to others, and plans what comes next for its leases.
func (k *keeper) answered(c *call, outcomes []driver.Renewed) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.l.now()
	at := k.moment(now)
	for i, le := range c.leases {
		from := at
		switch err := outcomes[i].Err; {
		case le.place == 0:
			continue
		case le.ctx.Err() != nil:
			k.remove(le)
			continue
		case err == nil:
			le.asked, le.wanting, le.company, le.pause = nil, false, k.most, le.hold.third()
			from = k.moment(c.sent) // where its trust begins
		case le.asked != c || le.wanting:
			continue // it has been asked for again
		default:
			le.failed(err)
		}
		if le.due = never; le.renews {
			le.due = meet(from, le.pause)
		}
		k.reschedule(le, at+le.lasts(now))
	}
	k.vacate(c, now)
	k.arm(at)
}

// failed plans to ask again soon, and then less soon: one bad reply is no loss.
func (le *Lease) failed(err error) {
	le.asked = nil
	if errors.Is(err, ErrUnknown) {
		le.separate()
	}
	if third := le.hold.third(); le.pause == third {
		le.pause = third / 16
	} else {
		le.pause = min(2*le.pause, third/2)
	}
}

// vacate lets another call have the place of c.
func (k *keeper) vacate(c *call, now instant) {
	if !c.counts {
		return
	}
	c.counts = false
	k.calls--
	k.launch(now)
	k.arm(k.moment(now))
}
