package natsjournal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
)

// missing reports whether the stream isn't there, as far as one can tell: nobody listens
// on its subject, or JetStream knows none of the name.
func missing(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders)
}

// denies reports whether err, the last of a connection, says that its user may not
// publish to subject.
func denies(err error, subject string) bool {
	return err != nil && strings.Contains(strings.ToLower(err.Error()), `permissions violation for publish to "`+strings.ToLower(subject)+`"`)
}

// fault names the journal in an error. kind is for those that say nothing of what was
// done.
func (j *Journal) fault(what string, kind, err error) error {
	if err == nil {
		return nil
	}
	f := &driver.Fault{Kind: kind, Err: fmt.Errorf("%s the journal at %s: %w", what, j.opts.Label, err)}
	var api *jetstream.APIError
	switch {
	case denies(err, j.subject), errors.Is(err, nats.ErrPermissionViolation), errors.Is(err, nats.ErrAuthorization), missing(err):
		f.Kind, f.Hint = driver.ErrUnfit, "let the user publish to "+j.subject+", and have the stream "+j.stream+" made: see docs/stores/nats.md; or name another journal"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		f.Kind, f.Hint = driver.ErrUnfit, "enable JetStream on the server and for the account"
	case errors.As(err, &api) && !errors.Is(err, context.DeadlineExceeded):
		f.Kind = driver.ErrUnavailable // an answer that refuses a message
	}
	return f
}
