package natsstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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
	goneHint    = "open the store again to make the bucket; no number comes back, because the clock lends the floor"
	foreign     = "use a bucket of Ringfence's own"
	oldServer   = "use nats-server 2.11 or later"
	noJetStream = "enable JetStream on the server and for the account"
)

var errExhausted = refuse(fmt.Errorf("no token is left: %d is the highest", fence.MaxToken),
	"the floor or the server's clock is wrong: use another bucket")

// refuse makes the error of a store that can't host leases as it is.
func refuse(err error, hint string) error {
	return ruling{kind: driver.ErrUnfit, err: err, hint: hint}
}

func unavailable(err error) error { return ruling{kind: driver.ErrUnavailable, err: err} }

// judge rules on an error that came after something was sent. What it can't name
// is a lost connection or a reply that didn't come, and so a doubt.
func judge(err error) ruling {
	var r ruling
	if errors.As(err, &r) {
		return r
	}
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrConnectionDraining):
		return ruling{kind: driver.ErrClosed, err: err, hint: "close the store before its connection"}
	case errors.As(err, &api):
		return judgeAPI(err, api)
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse),
		errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrNoServers):
		return ruling{kind: driver.ErrUnavailable, err: err, hint: "no leader of the bucket answers: see `nats stream info`"}
	case errors.Is(err, nats.ErrPermissionViolation), errors.Is(err, nats.ErrAuthorization):
		return ruling{kind: driver.ErrUnfit, err: err, hint: rights}
	}
	return ruling{kind: driver.ErrUnknown, err: err, hint: resolveHint}
}

// judgeAPI rules on an answer of JetStream. One that refuses a message has not
// stored it.
func judgeAPI(err error, api *jetstream.APIError) ruling {
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return ruling{kind: driver.ErrUnavailable, err: err, again: true}
	case jetstream.JSErrCodeStreamNotFound:
		return ruling{kind: driver.ErrUnfit, err: err, hint: goneHint}
	case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return ruling{kind: driver.ErrUnfit, err: err, hint: noJetStream}
	}
	return ruling{kind: driver.ErrUnavailable, err: err}
}

const rights = "let the user publish to $KV.BUCKET.> and to $JS.API.>, and subscribe to _INBOX.>"

// before is err for a call of which nothing was sent that changes anything.
func before(err error) error {
	if err == nil {
		return nil
	}
	r := judge(err)
	if r.kind == driver.ErrUnknown {
		r.kind, r.hint = driver.ErrUnavailable, ""
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

var errClosed = ruling{kind: driver.ErrClosed, err: context.Canceled, hint: "open another one"}
