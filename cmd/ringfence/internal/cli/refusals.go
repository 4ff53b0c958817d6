package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/filejournal"
)

// refusalsEnv names the file in which what a run has started notes that a destination
// refused it. The run adds that to its record: its command knows no journal, since a
// journal's URL may hold a password.
const refusalsEnv = "RINGFENCE_REFUSALS"

// refusals is the file of a run, in a folder of its own.
type refusals struct {
	folder string
	added  map[string]bool // ids of what is in the record
}

// newRefusals makes the folder. Where that is impossible there are no notes.
func newRefusals() *refusals {
	folder, err := os.MkdirTemp("", "ringfence-refusals-")
	if err != nil {
		return nil
	}
	return &refusals{folder, map[string]bool{}}
}

func (n *refusals) path() string { return filepath.Join(n.folder, "refusals") }

// add records what was noted since the last time.
func (n *refusals) add(ctx context.Context, r *journal.Recorder) {
	if n == nil {
		return
	}
	var found []journal.Event
	for e, err := range filejournal.Open(n.path(), nil).Read(ctx, journal.Query{}) {
		if err == nil && e.Kind == journal.Refused && !n.added[e.ID] {
			found = append(found, e)
		}
	}
	for _, e := range slices.Backward(found) { // the first one first
		n.added[e.ID] = true
		r.Record(e)
	}
}

func (n *refusals) remove() {
	if n != nil {
		_ = os.RemoveAll(n.folder)
	}
}

// noteRefusal records that a destination refused a write: in the journal that is named,
// or with the run that this is a part of, or with the store that is named. It changes
// nothing of what the command says and how it ends.
func (a *app) noteRefusal(ctx context.Context, err error) {
	refused, is := errors.AsType[*fence.RefusedError](err)
	if !is {
		return
	}
	e, _ := journal.OfVerdict(refused.Verdict)
	ctx = context.WithoutCancel(ctx) // a signal came too late to undo it
	path := os.Getenv(refusalsEnv)
	switch {
	case a.journalURL == "" && path != "":
		j := filejournal.Open(path, nil)
		_, _ = asked(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, write(ctx, j, e) })
	case a.journalURL != "", os.Getenv(journalEnv) != "", os.Getenv(storeEnv) != "":
		a.note(ctx, e)
	}
}
