package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/journal"
)

// journalHelp is what the commands that read a journal have in common.
const journalHelp = `What happened is recorded by ringfence run, elect, break and recover, and by programs
that use package journal: in the store itself where that is PostgreSQL, MySQL, Redis or NATS,
in a file beside that of SQLite, or where --journal or ` + journalEnv + ` says: a file, or
the URL of such a store. The record is bounded: 90 days and 100,000 events; a file of 16 MiB and the one before it.
What was not recorded is not shown: a program that does not record leaves no trace here.`

// onJournal does a short command on the journal to read; a signal ends it.
func (a *app) onJournal(ctx context.Context, do func(context.Context, *open.Journal) error) error {
	j, named, err := a.namedJournal()
	switch {
	case err != nil:
		return err
	case named && j == nil:
		return usage("there is nothing to read: --journal or %s says none", journalEnv)
	case !named:
		t, err := a.target()
		if err != nil {
			return err
		}
		if j, err = t.OwnJournal(); err != nil {
			return err
		}
	}
	defer closeSoon(j)
	early := catchEarly(ctx)
	defer early.stop()
	return early.orEnded(do(early.ctx, j), "")
}

// readJournal reads what q asks for, until enough says so. Entries that can't be read
// are warned of, once.
func (a *app) readJournal(ctx context.Context, j *open.Journal, q journal.Query, enough func(journal.Event) bool) ([]journal.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, recoverLimit)
	defer cancel()
	var events []journal.Event
	corrupt, first := 0, error(nil)
	for e, err := range j.Read(ctx, q) {
		switch {
		case errors.Is(err, journal.ErrCorrupt):
			if corrupt++; first == nil {
				first = err
			}
			continue
		case err != nil:
			return nil, fmt.Errorf("%s: %w", j.Label, err)
		}
		if enough(e) {
			return events, a.warnOfCorrupt(corrupt, first)
		}
		events = append(events, e)
	}
	return events, a.warnOfCorrupt(corrupt, first)
}

func (a *app) warnOfCorrupt(corrupt int, first error) error {
	if corrupt > 0 {
		a.say("warning: entries of the journal that could not be read and are left out: %d, the last of them: %v", corrupt, first)
	}
	return nil
}

func never(journal.Event) bool { return false }
