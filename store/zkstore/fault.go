package zkstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// ruling is what an error means for the call that met it.
type ruling struct {
	kind error // one of the sentinels of package driver
	err  error
	hint string
	// again: certainly not applied, and worth another try soon.
	again bool
}

func (r ruling) Error() string { return r.err.Error() }
func (r ruling) Unwrap() error { return r.err }

const (
	resolveHint = "ask again with the same attempt, or read the record, before anything else"
	foreign     = "use a path of Ringfence's own"
	rights      = "let the user read, write, create and delete below the store's path"
	oldServer   = "use ZooKeeper 3.6 or later"
)

var (
	errClosed    = ruling{kind: driver.ErrClosed, err: context.Canceled, hint: "open another one"}
	errCut       = unavailable(errors.New("there is no session with the ensemble"))
	errBusy      = unavailable(errors.New("its record changes all the time"))
	errAgain     = ruling{kind: driver.ErrUnavailable, err: errors.New("its record has just changed"), again: true}
	errForeign   = refuse(errors.New("the store's own record is not one of Ringfence"), foreign)
	errExhausted = refuse(fmt.Errorf("no token is left: %d is the highest", fence.MaxToken),
		"the floor or the leader's clock is wrong: use another path")
)

// refuse makes the error of a store that can't host leases as it is.
func refuse(err error, hint string) error {
	return ruling{kind: driver.ErrUnfit, err: err, hint: hint}
}

func unavailable(err error) error { return ruling{kind: driver.ErrUnavailable, err: err} }

// judge rules on an error that came after something was sent. What it can't name
// is a lost connection or an answer that didn't come, and so a doubt. No error is an
// empty ruling.
func judge(err error) ruling {
	var r ruling
	if err == nil || errors.As(err, &r) {
		return r
	}
	switch {
	case errors.Is(err, zk.ErrNoServer): // the client says so only of what it has not sent
		return ruling{kind: driver.ErrUnavailable, err: err, again: true}
	case errors.Is(err, zk.ErrBadVersion), errors.Is(err, zk.ErrNodeExists), errors.Is(err, zk.ErrNoNode), errors.Is(err, zk.ErrNotEmpty):
		return ruling{kind: driver.ErrUnavailable, err: err, again: true}
	case errors.Is(err, zk.ErrNoAuth):
		return ruling{kind: driver.ErrUnfit, err: err, hint: rights}
	case errors.Is(err, zk.ErrAuthFailed), errors.Is(err, zk.ErrInvalidACL):
		return ruling{kind: driver.ErrUnfit, err: err, hint: "see the options ACL and Auth"}
	case errors.Is(err, zk.ErrInvalidPath), errors.Is(err, zk.ErrNoChildrenForEphemerals), errors.Is(err, zk.ErrBadArguments):
		return ruling{kind: driver.ErrUnfit, err: err, hint: foreign}
	}
	return judgeCode(err)
}

// judgeCode rules on the answers that the client has no name for.
func judgeCode(err error) ruling {
	var code int
	if n, _ := fmt.Sscanf(err.Error(), "unknown error: %d", &code); n == 1 {
		switch code {
		case -6: // unimplemented
			return ruling{kind: driver.ErrUnfit, err: err, hint: oldServer}
		case -119: // not read-only
			return ruling{kind: driver.ErrUnavailable, err: err, hint: "the server has no quorum, and takes no writes"}
		case -125: // quota exceeded
			return ruling{kind: driver.ErrUnfit, err: err, hint: "raise the quota of the path"}
		case -127: // throttled
			return ruling{kind: driver.ErrUnavailable, err: err, again: true}
		}
	}
	return ruling{kind: driver.ErrUnknown, err: err, hint: resolveHint}
}

// before is err for a call of which nothing was sent that changes anything.
func before(err error) error {
	if err == nil {
		return nil
	}
	r := judge(err)
	if r.kind == driver.ErrUnknown {
		r = ruling{kind: driver.ErrUnavailable, err: r.err, again: true}
	}
	return r
}

// inDoubt is err for a call that may have been applied by an earlier try.
func inDoubt(doubt bool, err error) error {
	r := judge(err)
	if doubt && (r.kind == driver.ErrUnavailable || r.kind == driver.ErrClosed) {
		r.kind, r.hint = driver.ErrUnknown, resolveHint
	}
	return r
}

// explain turns an error into one of the contract, and names the store in it.
func (s *Store) explain(what string, err error) error {
	if err == nil || errors.Is(err, driver.ErrHeld) || errors.Is(err, driver.ErrEnded) {
		return err
	}
	r := judge(err)
	return &driver.Fault{Kind: r.kind, Err: fmt.Errorf("%s: %s: %w", s.props.Store, what, r.err), Hint: r.hint}
}
