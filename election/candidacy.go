package election

import (
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Unavailable says what a candidate does when the store is down. There is no default:
// its zero value is refused.
type Unavailable uint8

// What to do when a campaign begins, at first or after a term, and the store can't be
// asked. Whoever waits for the name already waits an outage out, too.
const (
	_    Unavailable = iota
	Wait             // ask until it answers
	Fail             // Run fails with ErrUnavailable or ErrUnknown
)

// DefaultPause is longer than anybody who waits for a name goes without asking for it.
const DefaultPause = 10 * time.Second

// Candidacy says how to stand for election.
type Candidacy struct {
	// Unavailable says what to do when the store is down. Required.
	Unavailable Unavailable

	// Resources are what the leader writes to. Each is established before the work
	// begins, so that whatever an older leader still sends there is refused. When one
	// can't be reached, the term is given back and another candidate has its turn.
	// Defaults to none: then the work establishes what it writes to.
	Resources []Resource

	// Lease is the length of the lease, and so how long after a crash nobody leads.
	// Defaults to ringfence.DefaultLease.
	Lease time.Duration

	// Grace is how long the work may take to stop once its context has ended. Less than
	// half of Lease. Defaults to ringfence.DefaultGrace, or to a third of Lease where
	// that is less.
	Grace time.Duration

	// Pause is how long this candidate holds back after a term that it gave up, or that
	// was taken from it (by an operator, a newer term, or a resource that knows one), so
	// that another is elected if there is one. Defaults to DefaultPause.
	Pause time.Duration

	// Once makes Run return after the first term, however it ended.
	Once bool

	// Holder is the label that others see. Defaults to that of the Locker.
	Holder string

	// OnEvent is told what happens. It is called from several goroutines, must return
	// soon, and may be nil.
	OnEvent func(Event)
}

// withDefaults checks c and derives how each term is worked.
func (c Candidacy) withDefaults() (Candidacy, ringfence.Work, error) {
	w := ringfence.Work{Renew: true, Lease: c.Lease, Grace: c.Grace, Holder: c.Holder, Unavailable: ringfence.Fail}
	switch {
	case c.Unavailable != Wait && c.Unavailable != Fail:
		return c, w, fmt.Errorf("%w Candidacy.Unavailable: say what to do when the store is down: Wait or Fail", fence.ErrInvalid)
	case c.Pause < 0 || c.Pause > driver.MaxTTL:
		return c, w, fmt.Errorf("%w Candidacy.Pause %s: want 0s, which is %s, to %s", fence.ErrInvalid, c.Pause, DefaultPause, driver.MaxTTL)
	}
	plan, err := w.Plan()
	if err != nil {
		return c, w, err
	}
	if c.Pause == 0 {
		c.Pause = DefaultPause
	}
	if c.OnEvent == nil {
		c.OnEvent = func(Event) {}
	}
	w.Lease, w.Grace = plan.Lease, plan.Grace
	return c, w, nil
}
