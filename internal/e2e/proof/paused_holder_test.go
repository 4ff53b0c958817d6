package proof

import (
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

// publishing is two processes that publish one report under a lease.
type publishing struct {
	first, second *system.Child
	by            system.Shape
	name          string

	untilFree func() error           // returns when the store says that the lease is over
	body      func() (string, error) // of the report
}

// prove pauses the first process past its lease, until the second has written.
func (p publishing) prove() error {
	acquire := system.Ask{Op: system.Acquire, Name: p.name, TTL: 1500 * time.Millisecond}
	write := func(body string) system.Ask {
		return system.Ask{Op: system.Write, Name: p.name, Body: body, By: p.by}
	}
	stale := p.first.Do(acquire)
	if err := want("granted", "the first process", stale); err != nil {
		return err
	}
	// It has checked that it holds the lease, and is about to write.
	err := errors.Join(p.first.Pause(), p.first.Tell(write("stale")), p.untilFree())
	if err != nil {
		return err
	}
	newer := p.second.Do(acquire)
	err = errors.Join(want("granted", "the second process", newer),
		want("done", "the second process's write", p.second.Do(write("newer"))))
	if err != nil {
		return err
	}
	if err := p.first.Resume(); err != nil {
		return err
	}
	return p.judge(p.first.Hear(), stale.Token, newer.Token)
}

func (p publishing) judge(late system.Answer, stale, newer fence.Token) error {
	body, err := p.body()
	switch {
	case err != nil:
		return err
	case late.Outcome == "done" || body != "newer":
		return harmful(errOverwritten, "the late write with token %s after %s: %s; the report reads %q", stale, newer, late, body)
	}
	if late.Cause != fence.Superseded.String() || late.Token != stale || late.Mark != newer {
		return errors.New("the late write was not refused as superseded, with both tokens: " + late.String())
	}
	return nil
}

func TestProof1_PausedHolderIsRejectedByTheResource(t *testing.T) {
	t.Parallel()
	for by, harm := range map[system.Shape]error{
		system.ByMark: nil, system.ByColumn: nil,
		system.Unguarded: errOverwritten, // the twin
	} {
		t.Run(string(by), func(t *testing.T) {
			t.Parallel()
			system.Each(t, func(t *testing.T, d system.Database) {
				prove(t, harm, newPublishing(t, d, by).prove())
			})
		})
	}
}

func newPublishing(t *testing.T, d system.Database, by system.Shape) publishing {
	t.Helper()
	report, store := d.NewReport(t), d.Store(t)
	p := publishing{
		first:  system.Start(t, system.Config{Database: d, Holder: "first"}),
		second: system.Start(t, system.Config{Database: d, Holder: "second"}),
		by:     by, name: "report/" + string(by),
	}
	report.Add(t, p.name)
	p.body = func() (string, error) { return report.Body(t.Context(), p.name) }
	p.untilFree = func() error {
		return system.Poll(func() (bool, error) {
			rec, err := store.Inspect(t.Context(), p.name)
			return rec.State == driver.Expired, err
		})
	}
	p.first.Ready(t)
	p.second.Ready(t)
	return p
}
