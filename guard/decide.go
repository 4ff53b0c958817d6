package guard

import "github.com/ringfence-go/ringfence/fence"

// Mark is what a resource remembers, as durable as its data and changed only in
// one atomic step with it. A Mark whose Token is 0 is no mark: whatever it
// protects is not established.
type Mark struct {
	// Lease is the name of the only lease whose fences count here. A resource
	// that knows its lease sets it before there is a mark; otherwise the fence
	// that establishes the resource binds it.
	Lease string
	Token fence.Token // the highest token admitted or established; it never falls
	Seq   uint64      // the last write of that term; 0 when it only established
	Key   string      // the idempotency key of that last write
}

// Established reports whether m is a mark.
func (m Mark) Established() bool { return m.Token != 0 }

// Decide judges a write against the mark that the resource has, and returns the
// mark that it must have afterwards. Only an Admitted verdict changes the mark.
//
// The caller loads the mark, decides, and stores the new mark together with the
// data in one atomic step; on any other outcome than Admitted it applies no
// data. limit is fence.FutureLimit of the resource's own clock.
//
// Under Sequenced a write before the last one is a Duplicate whatever its key:
// a mark keeps the last key only.
func Decide(r Rule, m Mark, w Write, limit fence.Token) (Mark, fence.Verdict) {
	return DecideFresh(r, m, w, limit, Freshness{})
}

// DecideFresh is [Decide] at a resource that limits the age of a write's inputs.
func DecideFresh(r Rule, m Mark, w Write, limit fence.Token, f Freshness) (Mark, fence.Verdict) {
	if w.Check(r) != nil || f.MaxAge > 0 && w.AsOf.IsZero() {
		return m, refuse(m, w.Fence, fence.Invalid)
	}
	if cause := judge(m, w.Fence, limit); cause != fence.NoCause {
		return m, refuse(m, w.Fence, cause)
	}
	var v fence.Verdict
	switch r {
	case Once:
		v = decideOnce(m, w)
	case Sequenced:
		v = decideSequenced(m, w)
	case Latest:
		v = answer(m, w.Fence, fence.Admitted)
	}
	if v.Outcome != fence.Admitted {
		return m, v
	}
	if cause := f.Judge(w.AsOf); cause != fence.NoCause {
		return m, refuse(m, w.Fence, cause)
	}
	m = admitted(r, w)
	v.Mark = m.Token
	return m, v
}

// admitted is the mark after w.
func admitted(r Rule, w Write) Mark {
	m := Mark{Lease: w.Fence.Name, Token: w.Fence.Token}
	switch r {
	case Once:
		m.Seq, m.Key = 1, w.Key
	case Sequenced:
		m.Seq, m.Key = w.Seq, w.Key
	}
	return m
}

// Establish judges the start of a term at a resource: it raises the mark to the
// fence's token, creates it where there is none, and is Admitted without any
// change when the term is established already, so that it may be repeated.
func Establish(m Mark, f fence.Fence, limit fence.Token) (Mark, fence.Verdict) {
	if f.Check() != nil {
		return m, refuse(m, f, fence.Invalid)
	}
	switch cause := judge(m, f, limit); cause {
	case fence.NoCause, fence.NotEstablished:
	default:
		return m, refuse(m, f, cause)
	}
	if f.Token > m.Token {
		m = Mark{Lease: f.Name, Token: f.Token}
	}
	return m, answer(m, f, fence.Admitted)
}

// Landed completes a Superseded verdict of a Sequenced resource: last and key
// are the place and the key of the last write of w's own term, 0 where the term
// has none. The answer is final, since nothing of that term can be admitted any
// more. Like [Decide], it compares the key with the last write only.
func Landed(v fence.Verdict, w Write, last uint64, key string) fence.Verdict {
	v.Landed = v.Cause == fence.Superseded && (w.Seq < last || w.Seq == last && w.Key == key)
	return v
}

// judge finds what refuses a fence under every rule, in the order in which the
// causes take precedence.
func judge(m Mark, f fence.Fence, limit fence.Token) fence.Cause {
	switch {
	case m.Lease != "" && m.Lease != f.Name:
		return fence.Invalid
	case f.Token > limit:
		return fence.Future
	case !m.Established():
		return fence.NotEstablished
	case f.Token < m.Token:
		return fence.Superseded
	}
	return fence.NoCause
}

func decideOnce(m Mark, w Write) fence.Verdict {
	switch {
	case w.Fence.Token > m.Token || m.Seq == 0:
		return answer(m, w.Fence, fence.Admitted)
	case w.Key == m.Key:
		return answer(m, w.Fence, fence.Duplicate)
	}
	return refuse(m, w.Fence, fence.Conflict)
}

func decideSequenced(m Mark, w Write) fence.Verdict {
	last := m.Seq
	if w.Fence.Token > m.Token {
		last = 0
	}
	switch {
	case w.Seq == last+1:
		return answer(m, w.Fence, fence.Admitted)
	case w.Seq > last:
		return refuse(m, w.Fence, fence.OutOfSequence)
	case w.Seq < last || w.Key == m.Key:
		return answer(m, w.Fence, fence.Duplicate)
	}
	return refuse(m, w.Fence, fence.Conflict)
}

func answer(m Mark, f fence.Fence, o fence.Outcome) fence.Verdict {
	return fence.Verdict{Outcome: o, Fence: f, Mark: m.Token}
}

func refuse(m Mark, f fence.Fence, c fence.Cause) fence.Verdict {
	return fence.Verdict{Outcome: fence.Refused, Cause: c, Fence: f, Mark: m.Token}
}
