package pgxstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

var (
	errClosed = errors.New("the store was closed")
	errDeaf   = errors.New("behind a connection pooler in transaction mode no notification arrives")
)

// fault is why a watch did not begin. It changes no lease, so it leaves no doubt.
func fault(what string, err error) error {
	f := &driver.Fault{Kind: driver.ErrUnavailable, Err: fmt.Errorf("%s: %w", what, err)}
	var below *driver.Fault
	var state interface{ SQLState() string }
	const insufficientPrivilege = "42501"
	switch {
	case errors.Is(err, errClosed):
		f.Kind, f.Hint = driver.ErrClosed, "open another one"
	case errors.Is(err, errDeaf):
		f.Kind, f.Hint = driver.ErrUnfit, "leases work; for hints connect to the server itself, or to a pooler in session mode"
	case errors.As(err, &state) && state.SQLState() == insufficientPrivilege:
		f.Kind, f.Hint = driver.ErrUnfit, "leases work; for hints grant the role SELECT, INSERT, UPDATE and DELETE on ringfence.waiter and ringfence.listener"
	case errors.As(err, &below):
		f.Err, f.Hint = fmt.Errorf("%s: %w", what, below.Err), below.Hint
	}
	return f
}

// pause spaces the attempts to listen again: at once, then after 50 ms, twice that,
// and so on up to a second.
type pause struct{ next time.Duration }

// wait reports whether ctx lasts.
func (p *pause) wait(ctx context.Context) bool {
	d := p.next
	p.next = min(max(2*d, 50*time.Millisecond), time.Second)
	if d == 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
