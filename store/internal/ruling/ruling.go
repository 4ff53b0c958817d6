// Package ruling is what an error means for the call of a store that met it.
package ruling

import (
	"errors"
	"fmt"

	"github.com/ringfence-go/ringfence/driver"
)

// Ruling is an error with what it means.
type Ruling struct {
	Kind error // one of the sentinels of package driver
	Err  error
	Hint string
	// Again: certainly not applied, and worth another try soon.
	Again bool
}

func (r Ruling) Error() string { return r.Err.Error() }
func (r Ruling) Unwrap() error { return r.Err }

// Resolve is the hint of a doubt.
const Resolve = "ask again with the same attempt, or read the record, before anything else"

// Doubt rules on an error that came after something was sent, and leaves open whether
// it was applied.
func Doubt(err error) Ruling { return Ruling{Kind: driver.ErrUnknown, Err: err, Hint: Resolve} }

// Refuse makes the error of a store that can't host leases as it is.
func Refuse(err error, hint string) error {
	return Ruling{Kind: driver.ErrUnfit, Err: err, Hint: hint}
}

// Unavailable makes the error of a request that was not sent.
func Unavailable(err error) error { return Ruling{Kind: driver.ErrUnavailable, Err: err} }

// Changed rules on an error that says that somebody else has written first.
func Changed(err error) Ruling { return Ruling{Kind: driver.ErrUnavailable, Err: err, Again: true} }

// Of finds the ruling in an error that has one, or the fault that it already is.
func Of(err error) (r Ruling, ok bool) {
	var f *driver.Fault
	switch {
	case errors.As(err, &r):
		return r, true
	case errors.As(err, &f):
		return Ruling{Kind: f.Kind, Err: f.Err, Hint: f.Hint}, true
	}
	return Ruling{}, false
}

// Judge rules on any error that a store's client returns.
type Judge func(error) Ruling

// InDoubt is err for a call that may have been applied by an earlier try.
func (judge Judge) InDoubt(doubt bool, err error) error {
	r := judge(err)
	if doubt && (r.Kind == driver.ErrUnavailable || r.Kind == driver.ErrClosed) {
		r.Kind, r.Hint = driver.ErrUnknown, Resolve
	}
	return r
}

// Explain turns an error into one of the contract, and names the store in it.
func (judge Judge) Explain(store, what string, err error) error {
	if err == nil || errors.Is(err, driver.ErrHeld) || errors.Is(err, driver.ErrEnded) {
		return err
	}
	r := judge(err)
	return &driver.Fault{Kind: r.Kind, Err: fmt.Errorf("%s: %s: %w", store, what, r.Err), Hint: r.Hint}
}
