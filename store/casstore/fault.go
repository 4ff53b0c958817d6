package casstore

import (
	"errors"
	"fmt"
	"net"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

const (
	resolveHint = "ask again with the same attempt, or read the record, before anything else"
	foreign     = "use a prefix of Ringfence's own"
	unfitBucket = "use a service that keeps conditions; docs/stores names some"
)

var (
	errExhausted = unfit(fmt.Errorf("no token is left: %d is the highest", fence.MaxToken),
		"the floor or the bucket's clock is wrong: use another prefix")
)

// unfit makes the error of a store that can't host leases as it is.
func unfit(err error, hint string) error {
	return &driver.Fault{Kind: driver.ErrUnfit, Err: err, Hint: hint}
}

// doubt makes the error of a step that may have been taken.
func doubt(err error) *driver.Fault {
	return &driver.Fault{Kind: driver.ErrUnknown, Err: err, Hint: resolveHint}
}

// judge says what the error of a write means, as the contract of Bucket has it. What it
// can't name is a doubt.
func judge(err error) driver.Fault {
	var f *driver.Fault
	var network *net.OpError
	switch {
	case errors.As(err, &f):
		return *f
	case errors.As(err, &network) && network.Op == "dial":
		return driver.Fault{Kind: driver.ErrUnavailable, Err: err}
	}
	for _, kind := range []error{ErrMoved, ErrBusy, driver.ErrUnavailable, driver.ErrUnfit} {
		if errors.Is(err, kind) {
			return driver.Fault{Kind: kind, Err: err}
		}
	}
	return *doubt(err)
}

// elsewhere reports whether err is about the writes of others.
func elsewhere(kind error) bool { return kind == ErrMoved || kind == ErrBusy }

// again reports whether err means that nothing was applied, and another try may do better.
func again(err error) bool {
	kind := judge(err).Kind
	return elsewhere(kind) || kind == driver.ErrUnavailable
}

// before is err for a call of which nothing was sent that changes anything.
func before(err error) error {
	if err == nil {
		return nil
	}
	f := judge(err)
	if f.Kind == driver.ErrUnknown {
		f = driver.Fault{Kind: driver.ErrUnavailable, Err: f.Err}
	}
	return &f
}

// inDoubt is err for a call that may have been applied by an earlier try.
func inDoubt(lost bool, err error) error {
	f := judge(err)
	if lost && f.Kind != driver.ErrUnknown {
		return doubt(f.Err)
	}
	return &f
}

// giveUp is the error of a call that stops trying, and of its last try where there was one.
func giveUp(stop, last error) error {
	f := judge(stop)
	if last != nil {
		f.Err = fmt.Errorf("%w; the last try: %w", f.Err, judge(last).Err)
	}
	return &f
}

// explain turns an error into one of the contract, and names the store in it.
func (s *Store) explain(what string, err error) error {
	if err == nil || errors.Is(err, driver.ErrHeld) || errors.Is(err, driver.ErrEnded) {
		return err
	}
	f := judge(err)
	switch {
	case elsewhere(f.Kind):
		f.Kind = driver.ErrUnavailable
	case f.Kind == driver.ErrUnknown && f.Hint == "":
		f.Hint = resolveHint
	}
	f.Err = fmt.Errorf("%s: %s: %w", s.props.Store, what, f.Err)
	return &f
}
