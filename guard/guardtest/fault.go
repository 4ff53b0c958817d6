package guardtest

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// failedWriteLeavesTheMark: the mark and the data change together or not at all.
func failedWriteLeavesTheMark(e *env) {
	e.begin(older)
	next := e.write(newer, 1)
	v, err := e.persist(func() (fence.Verdict, error) { return e.r.Write(e.ctx, next, e.target.Unwritable) })
	if err == nil || v.OK() || v.Outcome == fence.Refused {
		e.Fatalf("write of the unwritable text: %v (error %v); want the failure of the data, not the guard's answer", v, err)
	}
	e.admits(e.write(older, 1), "of the older holder, whom nobody superseded")
	e.admits(next, "of the newer holder, once it can be written")
}

// lostReply ends the caller's context at many moments of a write. What comes
// back must be true, and sending the same write again must settle what is not known.
func lostReply(e *env) {
	const rounds, step = 24, 50 * time.Microsecond
	for n := range rounds {
		token := newer + fence.Token(n)
		e.begin(token)
		w, value := e.write(token, 1), "of "+token.String()
		ctx, cancel := context.WithTimeout(e.ctx, time.Duration(n)*step)
		v, err := e.r.Write(ctx, w, value)
		cancel()
		landed := e.read() == value
		switch {
		case v.Outcome == fence.Admitted && (!landed || err != nil), v.Outcome == fence.Unavailable && landed,
			v.Outcome == fence.Refused, v.Outcome == fence.Duplicate, err == nil && !v.OK():
			e.Errorf("write whose context ended: %v (error %v), and the resource holds it: %t", v, err, landed)
		}
		e.settles(w, value)
	}
}

// settles sends again a write that may have been applied.
func (e *env) settles(w guard.Write, value string) {
	e.Helper()
	v := e.send(w, value)
	unkeyed := e.target.Rule == guard.Once && !e.target.Keys && v.Cause == fence.Conflict
	if !v.OK() && !unkeyed {
		e.Errorf("the same write sent again: %v; want admitted or duplicate", v)
	}
	e.holds(value)
}

// endedContext: a call whose context is over before it begins changes nothing.
func endedContext(e *env) {
	e.begin(older)
	ctx, cancel := context.WithCancel(e.ctx)
	cancel()
	if v, err := e.r.Write(ctx, e.write(newer, 1), "too late"); err == nil || v.OK() || v.Outcome == fence.Refused {
		e.Errorf("write with a context that is over: %v (error %v); want an error and no answer", v, err)
	}
	e.holds("")
	e.admits(e.write(older, 1), "first")
}

func verdictSaysItAll(e *env) {
	e.begin(newer)
	good, stale := e.write(newer, 1), e.write(older, 1)
	v, err := e.persist(func() (fence.Verdict, error) { return e.r.Write(e.ctx, good, "first") })
	if err != nil || v.Fence != good.Fence || v.Resource == "" || v.Mark != newer || v.Cause != fence.NoCause {
		e.Errorf("admitted: %#v (error %v); want resource, fence and mark, and no error", v, err)
	}
	v, err = e.persist(func() (fence.Verdict, error) { return e.r.Write(e.ctx, stale, "stale") })
	if v.Fence != stale.Fence || v.Resource == "" || v.Mark != newer {
		e.Errorf("refused: %#v; want resource, fence and the mark that refused it", v)
	}
	var refused *fence.RefusedError
	if !errors.Is(err, fence.ErrRefused) || !errors.As(err, &refused) || !reflect.DeepEqual(refused.Verdict, v) {
		e.Errorf("refused: error %#v; want a RefusedError with the same verdict", err)
	}
}

func establishesAsDeclared(e *env) {
	v, err := e.persist(func() (fence.Verdict, error) { return e.r.Establish(e.ctx, e.fence(newer)) })
	if e.target.Establishes {
		if !v.OK() || err != nil {
			e.Errorf("establish: %v (error %v); want what Target.Establishes declares", v, err)
		}
		return
	}
	if !errors.Is(err, errors.ErrUnsupported) || v.OK() {
		e.Errorf("establish: %v (error %v); want errors.ErrUnsupported, or Target.Establishes set", v, err)
	}
	e.admits(e.write(older, 1), "first") // nothing was raised
}
