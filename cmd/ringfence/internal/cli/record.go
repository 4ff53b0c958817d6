package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/witness"
)

// journalEnv names the journal where --journal doesn't.
const journalEnv = "RINGFENCE_JOURNAL"

// noJournal in its place means that nothing is recorded.
const noJournal = "none"

func (a *app) journalFlag(c *cobra.Command) {
	c.Flags().StringVar(&a.journalURL, "journal", "", "`URL|FILE` of the record of what happened; "+journalEnv+" where absent, else the store's own")
}

// namedJournal is the journal that the flag or the environment names; nil for none,
// and found says whether one of them said anything.
func (a *app) namedJournal() (j *open.Journal, found bool, err error) {
	raw, from := a.journalURL, "--journal"
	if raw == "" {
		raw, from = os.Getenv(journalEnv), journalEnv
	}
	switch raw {
	case "":
		return nil, false, nil
	case noJournal:
		return nil, true, nil
	}
	if j, err = open.ParseJournal(raw); err != nil {
		return nil, true, fmt.Errorf("%s: %w", from, err)
	}
	if from == "--journal" {
		a.warnOfPassword(from, j.Target)
	}
	return j, true, nil
}

// journalBeside is the journal to write to: the one that is named, or else that of the
// store. It is nil where there is none.
func (a *app) journalBeside(ofStore func() (*open.Journal, error)) (j *open.Journal, named bool, err error) {
	if j, named, err = a.namedJournal(); named || err != nil {
		return j, named, err
	}
	if j, err = ofStore(); err != nil {
		return nil, false, nil // a store that holds none, and nobody has asked for one
	}
	return j, false, nil
}

// flushTimeout bounds how long the end of a command waits for its record to be
// written.
const flushTimeout = 2 * time.Second

// record writes what happens in one run to the journal. A run without one has a record
// that keeps nothing.
type record struct {
	app      *app
	journal  *open.Journal
	recorder *journal.Recorder
	witness  *witness.Witness

	refusals *refusals

	named bool // the journal is one that somebody asked for

	mu   sync.Mutex
	last error // of a write
	down bool  // the store went away, and that was said
}

// record begins the record of a run, and adds to j what the command must not see.
func (a *app) record(store *open.Lazy, j *job) (*record, error) {
	r := &record{app: a}
	var err error
	if r.journal, r.named, err = a.journalBeside(store.Journal); err != nil {
		return nil, err
	}
	if r.journal != nil {
		r.recorder = journal.NewRecorder(r.journal, &journal.Options{OnError: r.failed})
		j.drop = append(j.drop, r.journal.Target.Secrets...)
		if r.refusals = newRefusals(); r.refusals != nil {
			j.refusals = r.refusals.path()
		}
	}
	r.witness = witness.New(r.recorder, &witness.Options{Detail: filepath.Base(j.args[0])})
	return r, nil
}

func (r *record) failed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = err
}

// saw records an event, and tells it to another.
func (r *record) saw(next func(ringfence.Event)) func(ringfence.Event) {
	return func(e ringfence.Event) {
		r.witness.Saw(e)
		ended, _ := errors.AsType[*ringfence.EndedError](e.Err)
		if e.Kind == ringfence.EventUntold || ended != nil && ended.Cause == ringfence.EndUnreachable {
			r.mu.Lock()
			r.down = true
			r.mu.Unlock()
		}
		next(e)
	}
}

// ended records how the command ended, and returns err as it is.
func (r *record) ended(ctx context.Context, terms []fence.Fence, err error) error {
	r.refusals.add(context.WithoutCancel(ctx), r.recorder)
	for _, term := range terms {
		if term.Token != 0 { // and not unfenced
			r.witness.Ended(term, readable(how(err)))
		}
	}
	return err
}

// how is how a command ended, in few words.
func how(err error) string {
	e, ok := errors.AsType[*exitError](err)
	switch {
	case err == nil:
		return "exit status 0"
	case ok && e.err == nil:
		return e.Error()
	case ok && e.code == exitTimedOut:
		return "ended at its timeout"
	case errors.Is(err, ringfence.ErrLost):
		return "ended by KILL, before its lease was over"
	}
	return err.Error()
}

// close writes what is left. Whatever comes of it, the run is what it was. A store in
// which this role may not keep a record is no reason to warn each time, and one that went
// away was told of, unless somebody asked for a record there.
func (r *record) close(ctx context.Context) {
	if r.journal == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	defer r.refusals.remove()
	err := r.recorder.Close(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if lost := r.recorder.Lost(); lost > 0 && (r.named || !r.down && !errors.Is(r.last, ringfence.ErrUnfit)) {
		r.app.say("warning: the record of this run is not complete: %d events are missing from the journal at %s: %v; --journal names another one, or none",
			lost, r.journal.Label, reason(r.last, err))
	}
	_ = r.journal.Close()
}

func reason(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return errors.New("it could not keep up")
}

// note records one event of a short command.
func (a *app) note(ctx context.Context, e journal.Event) {
	t, err := a.named()
	if err != nil {
		return // which named the store a moment ago
	}
	j, named, err := a.journalBeside(t.OwnJournal)
	if j == nil {
		if err != nil {
			a.say("warning: nothing was recorded: %v", err)
		}
		return
	}
	defer j.Close()
	if _, err := asked(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, write(ctx, j, e) }); err != nil && (named || !errors.Is(err, ringfence.ErrUnfit)) {
		a.say("warning: this was not recorded: %v", err)
	}
}

// write writes one event, and returns when it is in the journal.
func write(ctx context.Context, j journal.Journal, e journal.Event) error {
	r := journal.NewRecorder(j, nil)
	r.Record(e)
	return r.Close(ctx)
}
