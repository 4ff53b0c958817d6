package cli

import (
	"errors"
	"fmt"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// The exit statuses that are not the child's own. 64, 69 and 75 are those of
// sysexits.h, 124 to 127 and 128+n those of timeout(1), env(1) and the shell.
const (
	exitWarnings      = 1   // doctor: fit, with warnings
	exitUnfit         = 2   // doctor: unfit
	exitUsage         = 64  // the command line, a name, a duration or a URL is wrong
	exitData          = 65  // what is to be written is wrong
	exitUnavailable   = 69  // the store can't be used
	exitUnknown       = 74  // nobody knows whether a write is applied
	exitHeld          = 75  // somebody else holds the name, or as many wait for it as may
	exitRefused       = 77  // what is written to refuses this fence
	exitLost          = 79  // the lease ended before the work did
	exitTimedOut      = 124 // the work used up its timeout
	exitInternal      = 125 // ringfence itself failed
	exitNotExecutable = 126 // the command can't be executed
	exitNotFound      = 127 // the command was not found
	exitSignal        = 128 // plus the signal's number
)

const exitHelp = `Exit status:
  the command's own, or
  0    also when the run was skipped, as --if-held or --if-unavailable asks
  64   usage: a flag, name, duration or URL is wrong; nothing was touched
  69   the store can't be used: unreachable, or unfit to host a lease
  75   the name is held by somebody else, or kept for one who waits for it, or too many wait
  77   what is written to refused the fence: a newer holder has been there
  79   the lease ended before the work did
  124  the work used up its timeout
  125  ringfence itself failed
  126  the command can't be executed
  127  the command was not found
  128+n  the command was killed by signal n`

// exitError ends the command with a status. A nil err prints nothing more.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// status is the exit status that err asks for.
func status(err error) int {
	if errors.Is(err, ringfence.ErrLost) { // whatever the command's own status was
		return exitLost
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ringfence.ErrInvalid):
		return exitUsage
	case errors.Is(err, ringfence.ErrHeld), errors.Is(err, ringfence.ErrFull):
		return exitHeld
	case errors.Is(err, fence.ErrRefused):
		return exitRefused
	case errors.Is(err, ringfence.ErrUnavailable), errors.Is(err, ringfence.ErrUnknown), errors.Is(err, ringfence.ErrUnfit):
		return exitUnavailable
	}
	return exitInternal
}
