package ringfence

import (
	"context"
	"time"
)

// least is how long the store is asked to hold the name at the grant.
func (h Hold) least() time.Duration { return max(h.TTL+h.delay(), h.MinHold) }

// ttl is how long a renewal asks for.
func (le *Lease) ttl() time.Duration { return max(le.hold.TTL+le.hold.delay(), le.owed()) }

// owed is what is left of Hold.MinHold, or 0. It counts from the answer to the acquire,
// which came after the grant, on whichever clock has moved less: a wall clock that is
// set forward must not free the name early.
func (le *Lease) owed() time.Duration {
	now := le.l.now()
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.waived {
		return 0
	}
	passed := max(now.leastElapsed(le.granted), 0)
	return max(le.hold.MinHold-passed+margin(passed, 0), 0)
}

// Waive gives up Hold.MinHold, where nothing was done under the lease after all: Release
// then frees the name at once.
func (le *Lease) Waive() {
	for part := range le.all() {
		part.mu.Lock()
		part.waived = true
		part.mu.Unlock()
	}
}

// leave is how a holder takes leave of its term: the store ends it now, or is asked to
// let it end by itself when the name has been held for long enough.
func (le *Lease) leave(ctx context.Context) error {
	owed := le.owed()
	if owed == 0 {
		return le.l.store.Release(ctx, le.term)
	}
	owed = max(owed, le.l.props.MinTTL)
	latest := le.l.now().at.Add(le.l.opts.RequestTimeout + owed) // should it be granted, and nobody told
	le.mu.Lock()
	if latest.After(le.ends) {
		le.ends = latest
	}
	le.cut = true
	le.mu.Unlock()
	term, err := le.l.store.Renew(ctx, le.term, owed)
	if err != nil {
		return err
	}
	le.mu.Lock()
	defer le.mu.Unlock()
	le.kept = le.l.now().at.Add(term.Remaining)
	return nil
}

// left reports whether a term that is over was ended by an earlier try of leave whose
// answer was lost.
func (le *Lease) left(ended *EndedError) bool {
	le.mu.Lock()
	defer le.mu.Unlock()
	return ended.Cause == EndReleased || ended.Cause == EndExpired && le.cut
}
