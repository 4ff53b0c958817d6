package ringfencetest

import (
	"github.com/ringfence-go/ringfence/fence"
)

// AssertFenced fails the test for each write that no fence protected: one that came past
// the guard, or with a fence that nobody was granted.
func (d *Destination) AssertFenced() {
	tb := d.store.tb
	tb.Helper()
	for _, e := range d.Log() {
		switch {
		case !e.Guarded():
			tb.Errorf("%s was written without a fence: a paused or replaced holder can do that, too", fence.Quote(e.Value))
		case !d.store.grants.has(e.Write.Fence):
			tb.Errorf("%s was written with token %s of %s, which nobody was granted: take the fence of the lease",
				fence.Quote(e.Value), e.Write.Fence.Token, fence.Quote(e.Write.Fence.Name))
		}
	}
}

// AssertRefused fails the test unless a write with f was refused as superseded, and none
// was applied or tried again after that: refused means stop. Without it, a test may pass
// because the holder never wrote after its lease was taken.
func (d *Destination) AssertRefused(f fence.Fence) {
	tb := d.store.tb
	tb.Helper()
	refused := false
	for _, e := range d.Log() {
		switch {
		case e.Write.Fence != f:
		case refused:
			tb.Errorf("the term with token %s wrote %s after it had been refused: refused means stop", f.Token, fence.Quote(e.Value))
		case e.Verdict.Cause == fence.Superseded:
			refused = true
		}
	}
	if !refused {
		tb.Errorf("no write with token %s of %s was refused: nothing newer had been at the destination, or nothing was written",
			f.Token, fence.Quote(f.Name))
	}
}
