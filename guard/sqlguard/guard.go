package sqlguard

import (
	"context"
	"database/sql"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Options of a Guard. Nil means the defaults.
type Options struct {
	// Lease is the name of the only lease whose fences count at the resource.
	// Defaults to the name in the fence that first establishes it.
	Lease string
	// Counter counts the verdicts; several guards may share one.
	// Defaults to a counter of the guard's own.
	Counter *guard.Counter
	// MaxAge is the greatest age of a write's inputs, in whole milliseconds: a write
	// that was computed from older ones is refused as Outdated, by the database's clock
	// when its mark is locked. It needs Write.AsOf, see [Now]. Defaults to no limit.
	MaxAge time.Duration
}

// Guard judges writes to one resource by a mark in the same database as the
// data. It may be used by many goroutines. All guards of a resource use the same rule.
type Guard struct {
	marks
	rule    guard.Rule
	lease   string
	maxAge  time.Duration
	counter *guard.Counter
}

// New makes a guard of the resource of that name, which is any text that your
// program gives it: a table, a row, a report of one day. It sends nothing.
func New(d Dialect, resource string, r guard.Rule, o *Options) (*Guard, error) {
	if o == nil {
		o = new(Options)
	}
	for _, err := range []error{d.check(), guard.CheckResource(resource), r.Check(), guard.CheckMaxAge(o.MaxAge)} {
		if err != nil {
			return nil, err
		}
	}
	if o.Lease != "" {
		if err := fence.CheckName(o.Lease); err != nil {
			return nil, err
		}
	}
	g := &Guard{marks: marks{d, resource}, rule: r, lease: o.Lease, maxAge: o.MaxAge, counter: o.Counter}
	if g.counter == nil {
		g.counter = new(guard.Counter)
	}
	return g, nil
}

// Counter is where the guard counts its verdicts. A verdict of Admit and
// EstablishTx is counted when it is made, whatever becomes of the transaction.
func (g *Guard) Counter() *guard.Counter { return g.counter }

// Establish begins a term at the resource in a transaction of its own: when it
// returns, nothing older can land any more. Read what you will change after
// that, not before. It may be repeated, and creates the mark where there is none.
func (g *Guard) Establish(ctx context.Context, db Beginner, f fence.Fence) (fence.Verdict, error) {
	establish := func(tx *sql.Tx, again bool) (fence.Verdict, error) { return g.establish(ctx, tx, f, again) }
	v, err := g.about(f).transact(ctx, db, g.dialect, establish, nil)
	return g.counted(v), err
}

// EstablishTx is Establish as a part of tx. It holds from its statement on
// against others, and for good when tx commits. Roll tx back on an error.
func (g *Guard) EstablishTx(ctx context.Context, tx *sql.Tx, f fence.Fence) (fence.Verdict, error) {
	v, err := g.establish(ctx, tx, f, false)
	return g.counted(v), err
}

// Admit judges w as a part of tx: it locks the mark, decides, and stores the new
// mark. The mark stays locked until tx ends, so every statement of tx is fenced.
// Call it before the first statement that reads what the write depends on.
//
// The error is nil exactly when the verdict is Admitted or Duplicate; on an
// error roll tx back. A Duplicate had been applied before: do not apply it
// again. [Guard.InTx] sees to both.
func (g *Guard) Admit(ctx context.Context, tx *sql.Tx, w guard.Write) (fence.Verdict, error) {
	v, err := g.admit(ctx, tx, w)
	return g.counted(v), err
}

// InTx runs one guarded write in a transaction of its own: Admit, then fn, then
// the commit. When w was applied before, it does not run fn, and the verdict is
// Duplicate. When fn fails, nothing is applied, the mark is as it was, and fn's
// error is returned. fn leaves commit and rollback to InTx.
func (g *Guard) InTx(ctx context.Context, db Beginner, w guard.Write, fn func(*sql.Tx) error) (fence.Verdict, error) {
	admit := func(tx *sql.Tx, _ bool) (fence.Verdict, error) { return g.admit(ctx, tx, w) }
	v, err := g.about(w.Fence).transact(ctx, db, g.dialect, admit, fn)
	return g.counted(v), err
}

// establish first locks the mark, or first tries to create it.
func (g *Guard) establish(ctx context.Context, tx *sql.Tx, f fence.Fence, create bool) (fence.Verdict, error) {
	if _, v := guard.Establish(guard.Mark{Lease: g.lease}, f, fence.MaxToken); v.Cause == fence.Invalid {
		return g.conclude(v) // before anything is sent
	}
	for look := g.lock; ; look = g.lock {
		if create {
			look, create = g.absent, false
		}
		m, now, err := look(ctx, tx)
		if err != nil {
			return g.about(f).broken(err)
		}
		next, v := guard.Establish(m, f, futureLimit(now))
		switch {
		case next == m:
		case m.Established():
			err = g.store(ctx, tx, g.rule, next)
		default:
			var bar fence.Token
			var created bool
			if bar, err = g.bar(ctx, tx); err != nil {
				break
			}
			if _, v := guard.Establish(guard.Mark{Token: bar + 1}, f, futureLimit(now)); v.Cause == fence.Superseded {
				return g.conclude(v)
			}
			if created, err = g.create(ctx, tx, next); err == nil && !created {
				continue // somebody else created it, and it is there to be locked now
			}
		}
		if err != nil {
			return g.about(f).broken(err)
		}
		return g.conclude(v)
	}
}

func (g *Guard) admit(ctx context.Context, tx *sql.Tx, w guard.Write) (fence.Verdict, error) {
	fresh := guard.Freshness{MaxAge: g.maxAge}
	if _, v := guard.DecideFresh(g.rule, guard.Mark{Lease: g.lease}, w, fence.MaxToken, fresh); v.Cause == fence.Invalid {
		return g.conclude(v) // before anything is sent
	}
	m, now, err := g.lock(ctx, tx)
	if err != nil {
		return g.about(w.Fence).broken(err)
	}
	fresh.Now = now
	next, v := guard.DecideFresh(g.rule, m, w, futureLimit(now), fresh)
	switch {
	case next != m:
		err = g.store(ctx, tx, g.rule, next)
	case v.Cause == fence.Superseded && g.rule == guard.Sequenced:
		var seq uint64
		var key string
		seq, key, err = g.last(ctx, tx, w.Fence.Token)
		v = guard.Landed(v, w, seq, key)
	}
	if err != nil {
		return g.about(w.Fence).broken(err)
	}
	return g.conclude(v)
}

func (g *Guard) about(f fence.Fence) subject { return about(g.resource, f) }

func (g *Guard) conclude(v fence.Verdict) (fence.Verdict, error) {
	v.Resource = g.resource
	return v, v.Err()
}

func (g *Guard) counted(v fence.Verdict) fence.Verdict {
	g.counter.Count(v)
	return v
}
