package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// lateness is how long after its end a lease may still keep others out before
// that is a fault.
const lateness = 30 * time.Second

// expiry takes a short lease, leaves it alone, and asks until somebody else gets
// the name: the store has to end it, and then to refuse its holder.
func (m *measurement) expiry(ctx context.Context) driver.Finding {
	ttl := m.shortTTL()
	begun := time.Now()
	old, err := m.acquire(ctx, m.on, m.name, ttl)
	if err != nil {
		return failure("expiry", err)
	}
	m.granted(old)
	answered := time.Now()
	next, err := m.await(ctx, answered.Add(ttl+lateness), ttl)
	free := time.Now()
	if err != nil {
		return notFreed(ttl, err)
	}
	m.granted(next)
	_, late := m.stores[0].Renew(ctx, old, m.longTTL())
	m.forget(old)
	_ = m.release(ctx, m.on, next)
	f := driver.Finding{Subject: "expiry", Grade: driver.Fit, Means: "a name becomes free without its holder, on the store's clock; shortest lease " + m.props.MinTTL.String()}
	switch {
	case free.Sub(begun) < ttl:
		f.Grade, f.Found = driver.Unfit, fmt.Sprintf("a lease of %s was granted to somebody else after %s", ttl, brief(free.Sub(begun)))
		f.Means, f.Do = "two holders at once, each within its lease", "find out what moves the store's clock"
	case !errors.Is(late, driver.ErrEnded):
		f.Grade, f.Found = driver.Unfit, fmt.Sprintf("the late renewal of an expired lease was not refused (%v)", late)
		f.Means, f.Do = "a holder that was paused would go on beside the next one", "use another store, and tell the authors of Ringfence"
	default:
		f.Found = fmt.Sprintf("a lease of %s ended %s after its time, and its late renewal was refused", ttl, brief(max(0, free.Sub(answered)-ttl)))
	}
	return f
}

// await asks until the name is granted.
func (m *measurement) await(ctx context.Context, until time.Time, ttl time.Duration) (driver.Term, error) {
	pace := time.NewTicker(min(max(ttl/20, 10*time.Millisecond), 200*time.Millisecond))
	defer pace.Stop()
	for {
		t, err := m.acquire(ctx, m.stores[1], m.name, m.longTTL())
		if err == nil || !errors.Is(err, driver.ErrHeld) || time.Now().After(until) {
			return t, err
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
			return t, ctx.Err()
		}
	}
}

func notFreed(ttl time.Duration, err error) driver.Finding {
	if !errors.Is(err, driver.ErrHeld) {
		return failure("expiry", err)
	}
	return driver.Finding{Subject: "expiry", Grade: driver.Unfit, Found: fmt.Sprintf("a lease of %s was not over %s after its end", ttl, lateness),
		Means: "the name of a holder that crashed stays held", Do: "find out whether the store's clock stands still"}
}

// brief renders a duration in three digits or so.
func brief(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
