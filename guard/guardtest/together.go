package guardtest

import (
	"sync"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

const crowd = 8

// atOnce calls f for 0 to crowd-1 at the same time and returns the verdicts.
// Calls that the resource asks to retry are made again.
func (e *env) atOnce(f func(n int) (fence.Verdict, error)) []fence.Verdict {
	e.Helper()
	verdicts, errs := make([]fence.Verdict, crowd), make([]error, crowd)
	start := make(chan struct{})
	var all sync.WaitGroup
	for n := range crowd {
		all.Go(func() {
			<-start
			verdicts[n], errs[n] = e.persist(func() (fence.Verdict, error) { return f(n) })
		})
	}
	close(start)
	all.Wait()
	for n, v := range verdicts {
		e.definite(v, errs[n], "one of many at once")
	}
	return verdicts
}

// writersAtOnce: many terms write at the same moment. Whatever the order, the
// highest token is admitted, it is the last one that is, and nothing of an
// older term is left in the data.
func writersAtOnce(e *env) {
	e.begin(older)
	token := func(n int) fence.Token { return newer + fence.Token(n) }
	verdicts := e.atOnce(func(n int) (fence.Verdict, error) {
		return e.r.Write(e.ctx, e.write(token(n), 1), "of "+token(n).String())
	})
	for n, v := range verdicts {
		late := v.Outcome == fence.Refused && v.Cause == fence.Superseded
		if v.Outcome != fence.Admitted && !late || late && n == crowd-1 {
			e.Errorf("token %s: %v; want it admitted, or superseded by a higher one", token(n), v)
		}
	}
	e.holds("of " + token(crowd-1).String())
	e.refuses(e.write(token(crowd-2), 2), fence.Superseded)
}

// establishAtOnce: many terms begin on a resource that has no mark yet.
func establishAtOnce(e *env) {
	token := func(n int) fence.Token { return newer + fence.Token(n) }
	for n, v := range e.atOnce(func(n int) (fence.Verdict, error) { return e.r.Establish(e.ctx, e.fence(token(n))) }) {
		late := v.Outcome == fence.Refused && v.Cause == fence.Superseded
		if !v.OK() && !late || late && n == crowd-1 {
			e.Errorf("token %s: %v; want it established, or superseded by a higher one", token(n), v)
		}
	}
	e.refuses(e.write(token(crowd-2), 1), fence.Superseded)
	e.admits(e.write(token(crowd-1), 1), "of the highest")
}

// oneWriteAtOnce: the same write arrives many times at the same moment.
func oneWriteAtOnce(e *env) {
	e.begin(older)
	w, admitted := e.write(older, 1), 0
	for _, v := range e.atOnce(func(int) (fence.Verdict, error) { return e.r.Write(e.ctx, w, "once") }) {
		switch {
		case v.Outcome == fence.Admitted:
			admitted++
		case v.Outcome == fence.Duplicate, !e.target.Keys && v.Cause == fence.Conflict:
		default:
			e.Errorf("a copy of the write: %v; want it admitted once and repeated after that", v)
		}
	}
	if admitted != 1 {
		e.Errorf("%d of %d copies of one write were admitted; want 1", admitted, crowd)
	}
	if e.target.Rule == guard.Sequenced {
		e.admits(e.write(older, 2), "next")
	}
}
