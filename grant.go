package ringfence

import (
	"context"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Grant is a lease as it can be written down, so that another process takes it up: the
// next step of a script, say. With the attempt in it goes the right to renew and to
// release the term, so it is for nobody else to read.
type Grant struct {
	Fence   fence.Fence
	Attempt string
	Holder  string
	TTL     time.Duration // how long a renewal makes it last
	Delay   time.Duration // Kind.DelayAfterExpiry
	Trust   time.Duration // how long the term is trusted, from Sent on
	Sent    time.Time     // on the holder's wall clock: before the last request that was granted
}

// Grant is the lease as it stands. Whoever writes it down abandons the lease, so that one
// process holds it at a time. A lease of several names and a shared one are more than a Grant
// holds: theirs is the zero Grant. Hold.MinHold isn't in it: the release by whoever takes the
// lease up frees the name at once.
func (le *Lease) Grant() Grant {
	if len(le.with) != 0 || le.carries.Token != 0 {
		return Grant{}
	}
	le.mu.Lock()
	defer le.mu.Unlock()
	return Grant{le.term.Fence, le.term.Attempt, le.hold.Holder, le.hold.TTL, le.hold.delay(), le.trust, le.sent.wall.Round(0)}
}

// Resume takes up a lease that was written down. age is how long ago g.Sent was at least,
// on a clock that nobody sets, or 0: what passed on the wall clock since then counts where
// that is more. The store isn't asked.
//
// The lease lives no longer than ctx, and is renewed by Renew alone. One whose trust is
// over has a context that has ended. It can't be renewed; Release tells how it ended, or
// ends it at the store.
func (l *Locker) Resume(ctx context.Context, g Grant, age time.Duration) (*Lease, error) {
	term := driver.Term{Fence: g.Fence, Attempt: g.Attempt}
	if err := term.Check(); err != nil {
		return nil, err
	}
	if err := l.props.CheckTTL(g.TTL + max(g.Delay, 0)); err != nil {
		return nil, err
	}
	if g.Trust > driver.MaxTTL || g.Sent.IsZero() {
		return nil, fmt.Errorf("%w grant: it is trusted for %s from %s on; want a time, and %s at most", fence.ErrInvalid, g.Trust, g.Sent, driver.MaxTTL)
	}
	now := l.now()
	lease := &Lease{l: l, term: term, hold: Hold{TTL: g.TTL, Holder: g.Holder, Kind: Kind{DelayAfterExpiry: g.Delay}}, granted: now, trust: g.Trust}
	lease.sent = instant{at: now.at.Add(-age), wall: g.Sent}
	lease.ends = now.at.Add(lease.Remaining() + g.Delay + margin(g.TTL+g.Delay, l.props.Resolution))
	lease.ctx, lease.cancel = context.WithCancelCause(ctx)
	if lease.Remaining() <= 0 {
		lease.end(EndExpired)()
		return lease, nil
	}
	l.keeper.add(lease)
	return lease, nil
}
