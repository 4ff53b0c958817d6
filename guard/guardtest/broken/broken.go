// Package broken holds wrong guards, each with one fault that some write path in
// the wild has had. It is the test of package guardtest: the suite must fail on
// exactly the clause that a fault breaks, and on none for the right guard.
package broken

import (
	"context"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
)

// Fault is one way for a guard to be wrong.
type Fault struct {
	Name   string     // what the guard does
	Clause string     // the clause that forbids it
	Rule   guard.Rule // the rule that it means to follow

	bare  bool // without a step that establishes, and without keys
	spoil func(*memory)
}

// Target returns a guard with the fault, for the suite.
func (f Fault) Target() guardtest.Target {
	return guardtest.Target{
		Rule: f.Rule, Establishes: !f.bare, Keys: !f.bare, Unwritable: unwritable,
		Open: func(_ context.Context, lease string) (guardtest.Resource, error) { return f.open(lease), nil },
		Aging: func(_ context.Context, lease string, maxAge time.Duration) (guardtest.Aging, error) {
			m := f.open(lease)
			m.maxAge = maxAge
			return m, nil
		},
	}
}

func (f Fault) open(lease string) *memory {
	m := newMemory(lease, f.Rule, !f.bare)
	if f.bare && f.Rule == guard.Once {
		m.forgetKeys()
	}
	if f.spoil != nil {
		f.spoil(m)
	}
	return m
}

// forgetKeys makes r a guard like a fence column: it knows that a term has
// written, and not what.
func (r *memory) forgetKeys() {
	right := r.decide
	r.decide = func(m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
		next, v := right(m, w, limit)
		if v.Outcome == fence.Duplicate {
			v.Outcome, v.Cause = fence.Refused, fence.Conflict
		}
		return next, v
	}
}

// Right lists right guards of every kind; the suite must find nothing in them.
func Right() []Fault {
	return []Fault{
		{Name: "right, once", Rule: guard.Once},
		{Name: "right, sequenced", Rule: guard.Sequenced},
		{Name: "right, latest", Rule: guard.Latest},
		{Name: "right, once, bare", Rule: guard.Once, bare: true},
		{Name: "right, latest, bare", Rule: guard.Latest, bare: true},
	}
}

// decides replaces the decision about a write; right is the right one.
func decides(f func(r *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict)) func(*memory) {
	return func(r *memory) {
		right := r.decide
		r.decide = func(m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
			return f(r, right, m, w, limit)
		}
	}
}

type decision = func(guard.Mark, guard.Write, fence.Token) (guard.Mark, fence.Verdict)

// answersInstead gives one refusal another answer, and admits where that is Admitted.
func answersInstead(when func(m guard.Mark, w guard.Write, v fence.Verdict) bool, o fence.Outcome, c fence.Cause) func(*memory) {
	return decides(func(_ *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
		next, v := right(m, w, limit)
		if !when(m, w, v) {
			return next, v
		}
		v.Outcome, v.Cause = o, c
		if o != fence.Admitted {
			return m, v
		}
		v.Mark = max(m.Token, w.Fence.Token)
		return guard.Mark{Lease: m.Lease, Token: v.Mark, Seq: max(w.Seq, m.Seq), Key: w.Key}, v
	})
}

func because(c fence.Cause) func(guard.Mark, guard.Write, fence.Verdict) bool {
	return func(_ guard.Mark, _ guard.Write, v fence.Verdict) bool { return v.Cause == c }
}

// outside makes the guard decide on what the mark was a while ago: everybody
// else reads it in between, and the highest token goes on first.
func outside(when func(m guard.Mark, f fence.Fence, writes bool) bool) func(*memory) {
	return func(r *memory) {
		r.unlocked = func(m guard.Mark, f fence.Fence, writes bool) {
			if when(m, f, writes) {
				time.Sleep(time.Millisecond - time.Duration(f.Token%100)*time.Microsecond)
			}
		}
	}
}
