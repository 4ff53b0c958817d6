package zkstore

import (
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

const (
	foreign   = "use a path of Ringfence's own"
	rights    = "let the user read, write, create and delete below the store's path"
	oldServer = "use ZooKeeper 3.6 or later"
)

var (
	errCut     = ruling.Unavailable(errors.New("there is no session with the ensemble"))
	errAgain   = ruling.Changed(errors.New("its record has just changed"))
	errForeign = ruling.Refuse(errors.New("the store's own record is not one of Ringfence"), foreign)
)

// judge rules on an error that came after something was sent. What it can't name
// is a lost connection or an answer that didn't come, and so a doubt. No error is an
// empty ruling.
func judge(err error) ruling.Ruling {
	if r, ruled := ruling.Of(err); ruled || err == nil {
		return r
	}
	switch {
	case errors.Is(err, stamp.ErrExhausted):
		return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: "the floor or the leader's clock is wrong: use another path"}
	case errors.Is(err, zk.ErrNoServer): // the client says so only of what it has not sent
		return ruling.Changed(err)
	case errors.Is(err, zk.ErrBadVersion), errors.Is(err, zk.ErrNodeExists), errors.Is(err, zk.ErrNoNode), errors.Is(err, zk.ErrNotEmpty):
		return ruling.Changed(err)
	case errors.Is(err, zk.ErrNoAuth):
		return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: rights}
	case errors.Is(err, zk.ErrAuthFailed), errors.Is(err, zk.ErrInvalidACL):
		return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: "see the options ACL and Auth"}
	case errors.Is(err, zk.ErrInvalidPath), errors.Is(err, zk.ErrNoChildrenForEphemerals), errors.Is(err, zk.ErrBadArguments):
		return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: foreign}
	}
	return judgeCode(err)
}

// judgeCode rules on the answers that the client has no name for.
func judgeCode(err error) ruling.Ruling {
	var code int
	if n, _ := fmt.Sscanf(err.Error(), "unknown error: %d", &code); n == 1 {
		switch code {
		case -6: // unimplemented
			return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: oldServer}
		case -119: // not read-only
			return ruling.Ruling{Kind: driver.ErrUnavailable, Err: err, Hint: "the server has no quorum, and takes no writes"}
		case -125: // quota exceeded
			return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: "raise the quota of the path"}
		case -127: // throttled
			return ruling.Changed(err)
		}
	}
	return ruling.Doubt(err)
}

// before is err for a call of which nothing was sent that changes anything.
func before(err error) error {
	if err == nil {
		return nil
	}
	r := judge(err)
	if r.Kind == driver.ErrUnknown {
		r = ruling.Changed(r.Err)
	}
	return r
}

// inDoubt is err for a call that may have been applied by an earlier try.
func inDoubt(doubt bool, err error) error { return ruling.Judge(judge).InDoubt(doubt, err) }

// explain turns an error into one of the contract, and names the store in it.
func (s *Store) explain(what string, err error) error {
	return ruling.Judge(judge).Explain(s.props.Store, what, err)
}
