package guardtest

import (
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

func noMarkNoWrite(e *env) {
	e.refuses(e.write(older, 1), fence.NotEstablished)
	e.refuses(e.write(newer, 1), fence.NotEstablished) // refused writes leave no mark behind
	e.begin(older)
	e.admits(e.write(older, 1), "first")
}

func currentTermAdmitted(e *env) {
	e.begin(older)
	e.admits(e.write(older, 1), "first")
	e.begin(newer)
	e.holds("first") // to establish is not to write
	e.admits(e.write(newer, 1), "second")
}

// staleAfterNewerWrite is scenario R02: the paused holder wakes up and writes.
// The newer holder did not establish, so its write alone must raise the mark.
// The older token has fewer digits: as texts the two compare the other way round.
func staleAfterNewerWrite(e *env) {
	const old = fence.Token(999)
	e.begin(old)
	e.admits(e.write(newer, 1), "of the newer holder")
	e.refuses(e.write(old, 1), fence.Superseded)
}

func staleAfterNewerEstablish(e *env) {
	e.begin(older)
	e.admits(e.write(older, 1), "of the older holder")
	e.begin(newer)
	e.refuses(e.write(older, 2), fence.Superseded)
}

func secondWriteOfATerm(e *env) {
	e.begin(older)
	e.admits(e.write(older, 1), "first")
	if e.target.Rule == guard.Once {
		e.refuses(e.write(older, 2), fence.Conflict)
		return
	}
	e.admits(e.write(older, 2), "second")
}

func otherLeaseRefused(e *env) {
	e.begin(older)
	other := e.write(newer, 1)
	other.Fence.Name += "/other"
	e.refuses(other, fence.Invalid)
	if e.target.Establishes {
		e.refusesEstablish(other.Fence, fence.Invalid)
	}
	e.admits(e.write(older, 1), "first") // the mark is untouched
}

func futurePoisonsNothing(e *env) {
	e.begin(older)
	e.refuses(e.write(fence.MaxToken, 1), fence.Future)
	if e.target.Establishes {
		e.refusesEstablish(e.fence(fence.MaxToken), fence.Future)
	}
	e.admits(e.write(older, 1), "first")
}

// nearFutureAdmitted: an authority whose clock is half a day ahead of the
// resource's is a real one. The resource's clock may be off by that much, too.
func nearFutureAdmitted(e *env) {
	now := time.Now()
	if today := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); now.Before(today) {
		now = today // a test's clock that begins long ago
	}
	ahead := fence.TickOf(now.Add(12 * time.Hour)).First()
	e.begin(older)
	e.admits(e.write(ahead, 1), "of an authority whose clock is ahead")
}

func badTokensRefused(e *env) {
	e.begin(older)
	for _, token := range []fence.Token{0, -1, -1 << 63, fence.MaxToken + 1, 1<<63 - 1} {
		e.refuses(e.write(token, 1), fence.Invalid)
		if e.target.Establishes {
			e.refusesEstablish(e.fence(token), fence.Invalid)
		}
	}
	e.admits(e.write(older, 1), "first")
}

func establishTwice(e *env) {
	e.begin(older)
	e.begin(older)
	first := e.write(older, 1)
	e.admits(first, "first")
	e.begin(older)
	e.holds("first")
	if e.target.Rule != guard.Latest && e.target.Keys {
		if v := e.send(first, "first"); v.Outcome != fence.Duplicate {
			e.Errorf("the same write after establishing again: %v; want duplicate, since no new term began", v)
		}
	}
}

func establishNeverLowers(e *env) {
	e.begin(older)
	e.begin(newer)
	e.refusesEstablish(e.fence(older), fence.Superseded)
	e.refuses(e.write(older, 1), fence.Superseded)
	e.admits(e.write(newer, 1), "first")
}
