package guardtest

import (
	"strings"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

func badWritesRefused(e *env) {
	e.begin(older)
	good := e.write(older, 1)
	spoil := []func(*guard.Write){
		func(w *guard.Write) { w.Key = strings.Repeat("k", guard.MaxKeyBytes+1) },
		func(w *guard.Write) { w.Key = "a\x00" },
		func(w *guard.Write) { w.Key = "\xff" },
	}
	switch e.target.Rule {
	case guard.Sequenced:
		spoil = append(spoil, func(w *guard.Write) { w.Seq = 0 }, func(w *guard.Write) { w.Seq = guard.MaxSeq + 1 })
	default:
		spoil = append(spoil, func(w *guard.Write) { w.Seq = 1 })
	}
	if e.target.Rule != guard.Latest {
		spoil = append(spoil, func(w *guard.Write) { w.Key = "" })
	}
	for _, f := range spoil {
		bad := good
		f(&bad)
		e.refuses(bad, fence.Invalid)
	}
	e.admits(good, "first")
}

// repeatedWrite: what a retry after a lost reply sends. A guard that is not told
// the key can't know that it is the same write, and must not say so.
func repeatedWrite(e *env) {
	e.begin(older)
	first := e.write(older, 1)
	e.admits(first, "first")
	if e.target.Keys {
		e.repeats(first)
		e.repeats(first)
	} else {
		e.refuses(first, fence.Conflict)
	}
}

func repeatedEarlierWrite(e *env) {
	e.begin(older)
	e.admits(e.write(older, 1), "first")
	e.admits(e.write(older, 2), "second")
	e.repeats(e.write(older, 1))
	e.admits(e.write(older, 3), "third")
}

func samePlaceOtherKey(e *env) {
	e.begin(older)
	e.admits(e.write(older, 1), "first")
	rival := e.write(older, 1)
	rival.Key = "of a second holder of the term"
	e.refuses(rival, fence.Conflict)
	e.admits(e.write(older, 2), "second")
}

func gapRefused(e *env) {
	e.begin(older)
	e.admits(e.write(older, 1), "first")
	e.refuses(e.write(older, 3), fence.OutOfSequence)
	e.admits(e.write(older, 2), "second")
}

// termBeginsWithOne: a newer term does not go on where the older one was, and a
// refused write does not raise the mark.
func termBeginsWithOne(e *env) {
	e.begin(older)
	e.admits(e.write(older, 1), "first")
	e.refuses(e.write(newer, 2), fence.OutOfSequence)
	e.admits(e.write(older, 2), "second")
	e.admits(e.write(newer, 1), "first of the newer term")
}

// landedIsTold: the older holder lost the replies to its writes, and asks after
// it was superseded. The answer must stay true after more writes and terms.
func landedIsTold(e *env) {
	e.begin(older)
	e.admits(e.write(older, 1), "first")
	e.admits(e.write(older, 2), "second")
	for token := newer; token < newer+2; token++ {
		e.begin(token)
		e.admits(e.write(token, 1), "first of the newer term "+token.String())
		for n, want := range []bool{true, true, false} {
			if v := e.refuses(e.write(older, uint64(n+1)), fence.Superseded); v.Landed != want {
				e.Errorf("write %d of the older term: landed is %t; want %t", n+1, v.Landed, want)
			}
		}
	}
}
