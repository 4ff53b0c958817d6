package ringfence

import (
	"container/heap"
	"math"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// keeper looks after all leases of a Locker: it ends the context of each whose trust
// runs out, and has those renewed that are due, many with one request. It has one
// timer and no goroutine for all of them.
//
// Nothing that takes time happens under its lock: a request to the store and what is
// told to Options.OnEvent have goroutines of their own, so that neither a store nor a
// handler that hangs keeps a lease from its end or from its renewal.
type keeper struct {
	l        *Locker
	epoch    time.Time
	together driver.BatchRenewer // nil where the store renews one by one
	most     int                 // leases in a call
	atOnce   int                 // calls under way, but for those that are overdue

	mu      sync.Mutex
	timer   *time.Timer // nil while no lease is held
	wakes   moment      // when the timer fires
	swept   moment      // when all leases were looked at last
	leases  schedule    // all that are held
	wanting []*Lease    // those that wait for a place in a call
	sorted  bool        // wanting is, by the ends of their trust
	calls   int         // under way and not overdue
}

// moment counts from the making of the keeper, on the monotonic clock.
type moment = time.Duration

const (
	never moment = math.MaxInt64

	// sweepEvery is how often all leases are looked at: a timer counts on the
	// monotonic clock alone, and trust can end sooner on the wall clock.
	sweepEvery = time.Second
)

// noted is what the keeper notes about a lease, guarded by keeper.mu.
type noted struct {
	place   int           // in keeper.leases, from 1; 0 where it isn't there
	next    moment        // when to look at it: the earlier of the next two
	until   moment        // the end of trust, less Hold.Notice
	due     moment        // when to renew it
	pause   time.Duration // before the renewal that is due
	renews  bool          // it is to be renewed
	company int           // how many leases a call with it may hold
	wanting bool          // it waits for a place in a call
	asked   *call         // the last one that holds it and has not been answered
}

func newKeeper(l *Locker) *keeper {
	k := &keeper{l: l, epoch: l.now().at, most: 1, atOnce: singlesAtOnce, wakes: never}
	if k.together, _ = l.store.(driver.BatchRenewer); k.together != nil {
		k.most, k.atOnce = batchSize, batchesAtOnce
	}
	return k
}

func (k *keeper) moment(now instant) moment { return now.at.Sub(k.epoch) }

// add begins to look after le.
func (k *keeper) add(le *Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.l.now()
	at := k.moment(now)
	le.due, le.pause, le.company = never, le.hold.third(), k.most
	if le.renews = le.hold.Renew; le.renews {
		le.due = meet(at, le.pause)
	}
	le.until = at + le.lasts(now)
	le.next = min(le.due, le.until)
	if len(k.leases) == 0 {
		k.swept = at
	}
	heap.Push(&k.leases, le)
	k.arm(at)
}

// keepUp begins or ends the renewals of le, whose Hold asks for none.
func (k *keeper) keepUp(le *Lease, on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if le.hold.Renew || le.place == 0 {
		return
	}
	now := k.l.now()
	at := k.moment(now)
	le.due, le.renews = never, on
	if on {
		le.due = meet(at, le.hold.third())
	}
	k.reschedule(le, at+le.lasts(now))
	k.arm(at)
}

// drop ends looking after le, if it was not dropped before.
func (k *keeper) drop(le *Lease) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if le.place != 0 {
		k.remove(le)
		k.arm(k.moment(k.l.now()))
	}
}

func (k *keeper) remove(le *Lease) { heap.Remove(&k.leases, le.place-1) }

// look does what there is to do by now.
func (k *keeper) look() {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.l.now()
	at := k.moment(now)
	k.wakes = never // it has fired
	if at >= k.swept+sweepEvery {
		k.sweep(now)
	}
	for len(k.leases) > 0 && k.leases[0].next <= at {
		le := k.leases[0]
		left := le.lasts(now)
		switch {
		case le.ctx.Err() != nil:
			k.remove(le)
			continue
		case left <= 0:
			k.remove(le)
			go le.end(le.lapse())() // the context ends here, and its goroutine tells
			continue
		case le.due <= at:
			k.want(le)
		}
		k.reschedule(le, at+left)
	}
	k.launch(now)
	k.arm(at)
}

// sweep brings forward what has come nearer on the wall clock, or ended.
func (k *keeper) sweep(now instant) {
	at := k.moment(now)
	k.swept = at
	for _, le := range k.leases {
		le.next = min(le.next, at+le.lasts(now))
		if le.ctx.Err() != nil {
			le.next = at
		}
	}
	heap.Init(&k.leases)
}

// reschedule notes the end of trust in le, and when to look at it next.
func (k *keeper) reschedule(le *Lease, until moment) {
	le.until = until
	le.next = min(le.due, le.until)
	heap.Fix(&k.leases, le.place-1)
}

// arm sets the timer, where it would fire too late.
func (k *keeper) arm(at moment) {
	if len(k.leases) == 0 {
		if k.timer != nil {
			k.timer.Stop()
		}
		k.timer, k.wakes = nil, never
		return
	}
	next := min(k.leases[0].next, k.swept+sweepEvery)
	switch {
	case next >= k.wakes:
		return
	case k.timer == nil:
		k.timer = time.AfterFunc(next-at, k.look)
	default:
		k.timer.Reset(next - at)
	}
	k.wakes = next
}

// schedule is a heap of leases, the next to look at first.
type schedule []*Lease

func (s schedule) Len() int           { return len(s) }
func (s schedule) Less(i, j int) bool { return s[i].next < s[j].next }

func (s schedule) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].place, s[j].place = i+1, j+1
}

// Push implements heap.Interface.
func (s *schedule) Push(le any) {
	*s = append(*s, le.(*Lease))
	le.(*Lease).place = len(*s)
}

// Pop implements heap.Interface.
func (s *schedule) Pop() any {
	n := len(*s) - 1
	le := (*s)[n]
	(*s)[n] = nil
	*s = (*s)[:n]
	le.place = 0
	return le
}
