// Package recovery raises a store's floor above every mark of the destinations that
// its leases protect, in the order that docs/recovery.md gives reasons for: read the
// marks, choose a floor above them, establish it at the destinations, and only then
// let the store grant.
package recovery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Room is how far above the highest mark the floor is chosen: more than the grants of
// one name that can be under way without any of them having reached a destination.
// On a store with a clock it is the numbers of 18 minutes.
const Room = 1 << 32

// Destination is a place where marks are kept.
type Destination interface {
	// Marks sums up the marks of the leases whose names begin with prefix.
	Marks(ctx context.Context, prefix string) (guard.Marks, error)
	// Raise raises those that are lower, and returns how many.
	Raise(ctx context.Context, prefix string, to fence.Token) (int, error)
	Close() error
}

// Place is a destination that may not be reachable.
type Place struct {
	Label string
	Open  func(context.Context) (Destination, error)
	// Risk lets the store be opened where this one can't be reached.
	Risk bool
}

// Store is what a recovery needs of the store.
type Store interface {
	Raise(ctx context.Context, above fence.Token) (fence.Token, error)
}

// Plan says what to do.
type Plan struct {
	Places []Place
	Prefix string      // of the names whose marks count
	Above  fence.Token // the floor is at least that; 0 for none
	// Check refuses a floor. It is asked before anything is changed.
	Check func(floor fence.Token) error
	// DryRun reads the marks and changes nothing.
	DryRun bool
	// Limit bounds each question to a destination or to the store.
	Limit time.Duration
}

// Report is what was found and done.
type Report struct {
	Floor        fence.Token `json:"floor,omitzero"` // what was chosen; 0 where nothing asked for a floor
	Destinations []Reached   `json:"destinations"`
	DryRun       bool        `json:"dry_run,omitempty"`
}

// Reached is a destination in a report.
type Reached struct {
	Label string `json:"destination"`
	guard.Marks
	Raised int    `json:"raised"`
	Error  string `json:"error,omitempty"` // why it was left out, its risk accepted
}

// ErrClosed is matched by the error of a recovery that has left the store as it was.
var ErrClosed = errors.New("the store was not opened")

// Run carries out p, and returns the store's floor. Where it fails before its last
// step, the store grants what it granted before, and the marks that were raised stay:
// run it again.
func Run(ctx context.Context, s Store, p Plan) (Report, fence.Token, error) {
	r := &run{Plan: p, report: Report{DryRun: p.DryRun, Destinations: make([]Reached, len(p.Places))}}
	defer r.close()
	err := r.establish(ctx)
	if err != nil {
		return r.report, 0, errors.Join(ErrClosed, err)
	}
	if p.DryRun {
		return r.report, 0, nil
	}
	floor, err := within(ctx, p.Limit, func(ctx context.Context) (fence.Token, error) { return s.Raise(ctx, r.report.Floor) })
	return r.report, floor, err
}

type run struct {
	Plan
	report Report
	open   []Destination // nil where one was left out
}

func (r *run) close() {
	for _, d := range r.open {
		if d != nil {
			_ = d.Close()
		}
	}
}

// mostRounds bounds how often a mark is found above a floor that was chosen above all.
const mostRounds = 5

// establish chooses the floor and raises every mark to it. A mark that has risen
// above it meanwhile was brought by a holder: the floor is chosen anew, above that.
func (r *run) establish(ctx context.Context) error {
	highest, err := r.read(ctx)
	if err != nil {
		return err
	}
	for range mostRounds {
		if r.report.Floor, err = r.choose(highest); err != nil || r.DryRun {
			return err
		}
		if highest, err = r.raise(ctx); err != nil || highest <= r.report.Floor {
			return err
		}
	}
	return errors.New("marks rise above each floor that is chosen: stop whoever writes to the destinations, and run it again")
}

func (r *run) choose(highest fence.Token) (fence.Token, error) {
	floor := r.Above
	if highest > 0 {
		floor = max(floor, highest+Room)
	}
	if floor == 0 {
		return 0, nil
	}
	return floor, r.Check(floor)
}

// read opens every destination and finds the highest mark. All are asked, so that
// one run tells of each that can't be reached.
func (r *run) read(ctx context.Context) (highest fence.Token, err error) {
	r.open = make([]Destination, len(r.Places))
	for i, place := range r.Places {
		found := &r.report.Destinations[i]
		found.Label = place.Label
		var failed error
		if r.open[i], failed = within(ctx, r.Limit, place.Open); failed == nil {
			found.Marks, failed = r.marks(ctx, i)
		}
		switch {
		case failed != nil && place.Risk && ctx.Err() == nil:
			r.leaveOut(i, failed)
		case failed != nil:
			err = errors.Join(err, fmt.Errorf("destination %s: %w", place.Label, failed))
		}
		highest = max(highest, found.Highest)
	}
	return highest, err
}

func (r *run) leaveOut(i int, why error) {
	r.report.Destinations[i].Error = why.Error()
	if r.open[i] != nil {
		_ = r.open[i].Close()
		r.open[i] = nil
	}
}

func (r *run) marks(ctx context.Context, i int) (guard.Marks, error) {
	return within(ctx, r.Limit, func(ctx context.Context) (guard.Marks, error) { return r.open[i].Marks(ctx, r.Prefix) })
}

// raise establishes the floor, and finds the highest mark afterwards. Every failure
// counts here: a destination that was read has to be raised.
func (r *run) raise(ctx context.Context) (highest fence.Token, err error) {
	floor := r.report.Floor
	for i, d := range r.open {
		found := &r.report.Destinations[i]
		if d == nil || floor == 0 {
			continue
		}
		var after guard.Marks
		n, err := within(ctx, r.Limit, func(ctx context.Context) (int, error) { return d.Raise(ctx, r.Prefix, floor) })
		if found.Raised += n; err == nil {
			after, err = r.marks(ctx, i)
		}
		if err == nil && after.Count > 0 && after.Highest < floor {
			err = fmt.Errorf("its marks stay at %s: its clock is more than a day behind the floor %s", after.Highest, floor)
		}
		if err != nil {
			return 0, fmt.Errorf("destination %s: %w", found.Label, err)
		}
		highest = max(highest, after.Highest)
	}
	return highest, nil
}

// within bounds a question.
func within[R any](ctx context.Context, limit time.Duration, question func(context.Context) (R, error)) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return question(ctx)
}
