// Package witness writes down in a journal what a Locker tells of its leases.
//
//	recorder := journal.NewRecorder(j, nil)
//	defer recorder.Close(ctx)
//	locker, err := ringfence.New(store, &ringfence.Options{OnEvent: witness.New(recorder, nil).Saw})
//
// Give the guards recorder.Verdict, so that refused writes stand beside the terms.
package witness

import (
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// Options change what is written. Nil means the defaults.
type Options struct {
	// Detail is what is said of the work when it begins: a command, say. Defaults to nothing.
	Detail string
}

// Witness tells a recorder what happens to leases. Its methods may be called by many
// goroutines at once, and wait for nothing.
type Witness struct {
	recorder *journal.Recorder
	detail   string

	mu    sync.Mutex
	terms map[fence.Fence]*term
	sweep int // how many of them there may be before those long over are forgotten
}

// term is what a witness remembers of one that is not over.
type term struct {
	holder  string
	until   time.Time // of trust, as last heard
	failing bool      // the last renewal failed
}

// New returns a Witness for the leases of one or more Lockers.
func New(r *journal.Recorder, o *Options) *Witness {
	w := &Witness{recorder: r, terms: map[fence.Fence]*term{}}
	if o != nil {
		w.detail = o.Detail
	}
	return w
}

// Saw is for ringfence.Options.OnEvent. Renewals that succeed in time are no events:
// the last one is known from how long the term was trusted when it ended.
func (w *Witness) Saw(e ringfence.Event) {
	out := journal.Event{Name: e.Fence.Name, Token: e.Fence.Token, Until: e.Until}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.terms[e.Fence]
	if t != nil {
		out.Holder = t.holder
	}
	switch e.Kind {
	case ringfence.EventGranted:
		w.forget()
		w.terms[e.Fence] = &term{holder: e.Holder, until: e.Until}
		out.Kind, out.Holder, out.Detail = journal.Granted, e.Holder, w.detail
	case ringfence.EventRenewFailed:
		if t != nil {
			t.failing = true
		}
		return
	case ringfence.EventRenewed:
		if t == nil {
			return
		}
		late := t.failing
		t.until, t.failing = e.Until, false
		if !late {
			return
		}
		out.Kind = journal.RenewedLate
	case ringfence.EventLost:
		out.Kind, out.Cause = ending(e.Err)
		if t != nil {
			out.Until = t.until
		}
	case ringfence.EventSuspect:
		out.Kind, out.Cause = journal.Suspect, cause(e.Err)
		delete(w.terms, e.Fence)
	case ringfence.EventReleased:
		out.Kind = journal.Released
		delete(w.terms, e.Fence)
	case ringfence.EventUntold:
		out.Kind = journal.Untold
		delete(w.terms, e.Fence)
	case ringfence.EventUnfenced:
		out.Kind, out.Detail = journal.Unfenced, w.detail
	case ringfence.EventReclaimed:
		if t == nil { // a grant that nobody was told of
			return
		}
		out.Kind, out.Detail = journal.Ended, "no work was begun"
		delete(w.terms, e.Fence)
	default: // waiting and skipped: there is no term
		return
	}
	w.recorder.Record(out)
}

// forget drops the terms that were left to end by themselves, now and then.
func (w *Witness) forget() {
	const least, long = 64, time.Hour
	if len(w.terms) < max(w.sweep, least) {
		return
	}
	now := time.Now()
	maps.DeleteFunc(w.terms, func(_ fence.Fence, t *term) bool { return now.Sub(t.until) > long })
	w.sweep = 2 * len(w.terms)
}

// Ended says that the work of a term is over, and how.
func (w *Witness) Ended(f fence.Fence, how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := journal.Event{Kind: journal.Ended, Name: f.Name, Token: f.Token, Detail: how}
	if t := w.terms[f]; t != nil {
		e.Holder = t.holder
	}
	w.recorder.Record(e)
}

// ending is the event that goes with the end of a term before its release.
func ending(err error) (journal.Kind, string) {
	ended, ok := errors.AsType[*ringfence.EndedError](err)
	switch {
	case !ok:
		return journal.Expired, ""
	case ended.Cause == ringfence.EndSuperseded:
		return journal.Superseded, string(ended.Cause)
	case ended.Cause == ringfence.EndForced:
		return journal.Forced, string(ended.Cause)
	}
	return journal.Expired, string(ended.Cause)
}

func cause(err error) string {
	if lost, ok := errors.AsType[*ringfence.LostError](err); ok {
		return string(lost.Cause)
	}
	return ""
}
