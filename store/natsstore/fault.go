package natsstore

import (
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

const (
	goneHint    = "open the store again to make the bucket; no number comes back, because the clock lends the floor"
	foreign     = "use a bucket of Ringfence's own"
	oldServer   = "use nats-server 2.11 or later"
	noJetStream = "enable JetStream on the server and for the account"
)

// judge rules on an error that came after something was sent. What it can't name
// is a lost connection or a reply that didn't come, and so a doubt.
func judge(err error) ruling.Ruling {
	if r, ruled := ruling.Of(err); ruled {
		return r
	}
	var api *jetstream.APIError
	switch {
	case errors.Is(err, stamp.ErrExhausted):
		return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: "the floor or the server's clock is wrong: use another bucket"}
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrConnectionDraining):
		return ruling.Ruling{Kind: driver.ErrClosed, Err: err, Hint: "close the store before its connection"}
	case errors.As(err, &api):
		return judgeAPI(err, api)
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse),
		errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrNoServers):
		return ruling.Ruling{Kind: driver.ErrUnavailable, Err: err, Hint: "no leader of the bucket answers: see `nats stream info`"}
	case errors.Is(err, nats.ErrPermissionViolation), errors.Is(err, nats.ErrAuthorization):
		return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: rights}
	}
	return ruling.Doubt(err)
}

// judgeAPI rules on an answer of JetStream. One that refuses a message has not
// stored it.
func judgeAPI(err error, api *jetstream.APIError) ruling.Ruling {
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return ruling.Changed(err)
	case jetstream.JSErrCodeStreamNotFound:
		return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: goneHint}
	case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return ruling.Ruling{Kind: driver.ErrUnfit, Err: err, Hint: noJetStream}
	}
	return ruling.Ruling{Kind: driver.ErrUnavailable, Err: err}
}

const rights = "let the user publish to $KV.BUCKET.> and to $JS.API.>, and subscribe to _INBOX.>"

// before is err for a call of which nothing was sent that changes anything.
func before(err error) error {
	if err == nil {
		return nil
	}
	r := judge(err)
	if r.Kind == driver.ErrUnknown {
		r.Kind, r.Hint = driver.ErrUnavailable, ""
	}
	return r
}

// inDoubt is err for a call that may have been applied by an earlier try.
func inDoubt(doubt bool, err error) error { return ruling.Judge(judge).InDoubt(doubt, err) }

// explain turns an error into one of the contract, and names the store in it.
func (s *Store) explain(what string, err error) error {
	return ruling.Judge(judge).Explain(s.props.Store, what, err)
}
