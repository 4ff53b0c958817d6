package broken

import (
	"context"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// raises replaces what establishing does; right is the right way.
func raises(f func(r *memory, right raising, m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict)) func(*memory) {
	return func(r *memory) {
		right := r.establish
		r.establish = func(m guard.Mark, fe fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
			return f(r, right, m, fe, limit)
		}
	}
}

type raising = func(guard.Mark, fence.Fence, fence.Token) (guard.Mark, fence.Verdict)

var establishClears = raises(func(r *memory, right raising, m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := right(m, f, limit)
	if next.Token > m.Token {
		r.data = ""
	}
	return next, v
})

var establishUnlessWritten = raises(func(r *memory, right raising, m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := right(m, f, limit)
	if _, wrote := r.last[m.Token]; wrote {
		next = m
	}
	return next, v
})

var establishRestarts = raises(func(_ *memory, right raising, m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := right(m, f, limit)
	if v.OK() {
		next.Seq, next.Key = 0, ""
	}
	return next, v
})

func establishLowers(r *memory) {
	begun := make(map[fence.Token]bool)
	raises(func(_ *memory, right raising, m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
		if begun[f.Token] && f.Token < m.Token {
			m.Token = f.Token
		}
		begun[f.Token] = true
		return right(m, f, limit)
	})(r)
}

var asTexts = decides(func(_ *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := right(m, w, limit)
	if v.Cause == fence.Superseded && w.Fence.Token.String() > m.Token.String() {
		return m, fence.Verdict{Outcome: fence.Admitted, Fence: w.Fence, Mark: m.Token}
	}
	return next, v
})

func oneKeyOnly(r *memory) {
	keys := make(map[fence.Token]string)
	decides(func(_ *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
		next, v := right(m, w, limit)
		key, wrote := keys[w.Fence.Token]
		switch {
		case v.OK() && wrote && key != w.Key:
			return m, fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Fence: w.Fence, Mark: m.Token}
		case v.OK():
			keys[w.Fence.Token] = w.Key
		}
		return next, v
	})(r)
}

var anyLease = decides(func(_ *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	w.Fence.Name = m.Lease
	return right(m, w, limit)
})

var anyNumber = decides(func(_ *memory, right decision, m guard.Mark, w guard.Write, _ fence.Token) (guard.Mark, fence.Verdict) {
	return right(m, w, fence.MaxToken)
})

func noSlack(r *memory) {
	r.clock = func() fence.Tick { return fence.TickOf(present().AddDate(0, 0, -1)) }
}

var cutKeys = decides(func(_ *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	w.Key = w.Key[:min(len(w.Key), guard.MaxKeyBytes)]
	return right(m, w, limit)
})

var zeroIsOne = decides(func(_ *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	w.Seq = max(w.Seq, 1)
	return right(m, w, limit)
})

var applyOtherText = decides(func(r *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := right(m, w, limit)
	if v.Outcome == fence.Duplicate && r.text != r.data {
		v.Outcome = fence.Admitted
	}
	return next, v
})

func landedNothing(r *memory) {
	r.landed = func(v fence.Verdict, _ guard.Write, _ guard.Mark) fence.Verdict { return v }
}

func landedAll(r *memory) {
	r.landed = func(v fence.Verdict, _ guard.Write, _ guard.Mark) fence.Verdict {
		v.Landed = v.Cause == fence.Superseded
		return v
	}
}

func anyWrite(_ guard.Mark, _ fence.Fence, writes bool) bool { return writes }

func firstEstablish(m guard.Mark, _ fence.Fence, writes bool) bool {
	return !writes && !m.Established()
}

func sameTerm(m guard.Mark, f fence.Fence, writes bool) bool { return writes && f.Token == m.Token }

func markFirst(r *memory) { r.failed = func(r *memory, next guard.Mark) { r.mark = next } }

func cutIs(o fence.Outcome) func(*memory) {
	return func(r *memory) { r.cut = func(fence.Verdict) fence.Outcome { return o } }
}

func deaf(r *memory) { r.ended = func(context.Context) bool { return false } }

func silent(r *memory) {
	r.answer = func(v fence.Verdict) (fence.Verdict, error) {
		if v.Outcome == fence.Refused {
			v.Mark = 0
		}
		return v, v.Err()
	}
}

func noError(r *memory) { r.answer = func(v fence.Verdict) (fence.Verdict, error) { return v, nil } }

func undeclared(r *memory) { r.begin = r.raise }
