package ringfence

import (
	"fmt"
	"os"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Options configure a [Locker]. Nil means the defaults.
type Options struct {
	// Holder is the label that others see while a name is held. Proof of nothing.
	// Defaults to HOST:PID.
	Holder string

	// RequestTimeout bounds one call to the store. Defaults to 5 s.
	RequestTimeout time.Duration

	// OnEvent is told what happens to leases: grants, failed renewals, losses. It is
	// called from many goroutines, must return soon, and may be nil. A lease that it is told
	// of is not for it to renew, release or abandon: those wait for what is being told.
	OnEvent func(Event)

	// Clock is the holder's own wall clock. Trust in a lease counts what passed on
	// it or on the monotonic clock, whichever moved more; it is never sent to a
	// store. Defaults to time.Now; a test sets another.
	Clock func() time.Time
}

// DefaultHolder is the label of a holder that gives itself none: HOST:PID.
func DefaultHolder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

func (o *Options) withDefaults() (Options, error) {
	var d Options
	if o != nil {
		d = *o
	}
	if d.Holder == "" {
		d.Holder = DefaultHolder()
	}
	if d.RequestTimeout == 0 {
		d.RequestTimeout = 5 * time.Second
	}
	if d.RequestTimeout < 0 {
		return d, fmt.Errorf("%w Options.RequestTimeout %s: want a positive duration", fence.ErrInvalid, d.RequestTimeout)
	}
	if d.OnEvent == nil {
		d.OnEvent = func(Event) {}
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	return d, driver.CheckHolder(d.Holder)
}

// Hold says how a name is to be held.
type Hold struct {
	// TTL is how long the lease lasts from its grant, and from each renewal.
	// Required; the store's Properties say the shortest, 30 days is the longest.
	TTL time.Duration

	// Renew keeps the lease alive, at a third of TTL or a little before, together with
	// others that are due, until it is released or abandoned or the context given to the
	// acquire ends.
	Renew bool

	// Notice is how long before the end of trust the lease's context ends, so that
	// the work can stop in time. Below TTL/2 where Renew is set, and below TTL.
	// Defaults to 0.
	Notice time.Duration

	// MinHold is how long the name stays held from its grant on at least: after an earlier
	// Release too, and after a crash. So of several who are due at the same time, by clocks
	// that differ by less, one does short work, and the others find the name held.
	// It makes the lease longer where TTL is less. Defaults to 0; 30 days at most.
	MinHold time.Duration

	// Holder is the label of this term. Defaults to Options.Holder.
	Holder string

	// Kind is the kind of lease. Defaults to one name, held by one.
	Kind Kind

	quiet   bool // nobody works under it, and no event tells of it
	settled bool // Kind.DelayAfterExpiry is for those who come later

	patience time.Duration // bounds a try where there is no wait; 0 is as long as it takes
}

// waits reports whether the holder of such a lease may have to wait for more, and has it renewed meanwhile.
func (h Hold) waits() bool {
	return h.Kind.Access == Exclusive || len(h.Kind.Also) != 0 || h.delay() != 0
}

func (h Hold) check() error {
	most, why := h.TTL, "TTL"
	if h.Renew || h.waits() {
		most, why = h.TTL/2, "half of TTL, or no renewal fits before it"
	}
	if h.MinHold < 0 || h.MinHold > driver.MaxTTL {
		return fmt.Errorf("%w MinHold %s: want 0 to %s", fence.ErrInvalid, h.MinHold, driver.MaxTTL)
	}
	if h.Notice < 0 || (h.Notice != 0 && h.Notice >= most) {
		return fmt.Errorf("%w Notice %s: want 0 to less than %s (%s)", fence.ErrInvalid, h.Notice, most, why)
	}
	return nil
}

// CheckWait reports why d can't bound a wait, or nil: more than nothing, and at
// most 30 days.
func CheckWait(d time.Duration) error {
	if d <= 0 || d > driver.MaxTTL {
		return fmt.Errorf("%w wait of %s: want more than 0s, at most %s", fence.ErrInvalid, d, driver.MaxTTL)
	}
	return nil
}
