package guardtest

import (
	"context"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Aging is a resource that limits the age of a write's inputs.
type Aging interface {
	Resource
	// Now reads the clock by which the resource judges the age.
	Now(ctx context.Context) (time.Time, error)
}

const maxAge = time.Hour

// aging is the env with a resource that limits the age of inputs to maxAge.
func (e *env) aging() aging {
	e.Helper()
	r, err := e.target.Aging(e.ctx, e.lease, maxAge)
	if err != nil {
		e.Fatalf("open a resource that limits the age of inputs: %v", err)
	}
	now, err := r.Now(e.ctx)
	if err != nil {
		e.Fatalf("the resource's clock: %v", err)
	}
	own := *e
	own.r = r
	return aging{&own, now}
}

type aging struct {
	*env
	now time.Time
}

// of is a write with inputs of that age.
func (a aging) of(w guard.Write, age time.Duration) guard.Write {
	w.AsOf = a.now.Add(-age)
	return w
}

func (a aging) fresh(w guard.Write) guard.Write { return a.of(w, maxAge/2) }

func (a aging) outdated(w guard.Write) guard.Write { return a.of(w, maxAge+time.Minute) }

func outdatedRefused(e *env) {
	a := e.aging()
	a.begin(older)
	a.refuses(a.outdated(a.write(older, 1)), fence.Outdated)
	a.admits(a.fresh(a.write(older, 1)), "computed anew")
}

// outdatedLeavesTheMark: a newer term that has nothing fresh to write supersedes nobody
// by trying.
func outdatedLeavesTheMark(e *env) {
	a := e.aging()
	a.begin(older)
	a.refuses(a.outdated(a.write(newer, 1)), fence.Outdated)
	a.admits(a.fresh(a.write(older, 1)), "of the older holder, whom nobody superseded")
}

// repeatedWriteMayBeOld: a write is sent again after a lost reply, and its inputs have
// aged meanwhile. What was applied is a Duplicate all the same.
func repeatedWriteMayBeOld(e *env) {
	a := e.aging()
	a.begin(older)
	first := a.write(older, 1)
	a.admits(a.fresh(first), "first")
	if v := a.send(a.outdated(first), "first"); v.Outcome != fence.Duplicate {
		a.Errorf("the same write sent again, with inputs that are too old by now: %v; want duplicate", v)
	}
}

func fenceBeforeFreshness(e *env) {
	a := e.aging()
	a.begin(older)
	a.admits(a.fresh(a.write(newer, 1)), "of the newer holder")
	a.refuses(a.outdated(a.write(older, 1)), fence.Superseded)
}

// inputsNeedATime: no time is not the present, and neither is one that lies further
// ahead of the resource's clock than that of any of its nodes may.
func inputsNeedATime(e *env) {
	a := e.aging()
	a.begin(older)
	a.refuses(a.write(older, 1), fence.Invalid)
	a.refuses(a.of(a.write(older, 1), -2*maxAge), fence.Future)
	a.admits(a.fresh(a.write(older, 1)), "first")
}
