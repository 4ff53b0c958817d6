package casstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// Examine says what decides whether a bucket can host leases under the options o,
// finding by finding. It works where New refuses, and changes nothing but the value
// that New writes to as well. The error says that the bucket could not be asked at all,
// and is one of the contract of driver.Store.
func Examine(ctx context.Context, bucket Bucket, label string, o *Options) ([]driver.Finding, error) {
	full, err := o.checked(bucket, label)
	if err != nil {
		return nil, err
	}
	s := newStore(bucket, label, full)
	defer s.Close()
	return run(ctx, s, "examine the store", s.examine)
}

func (s *Store) examine(ctx context.Context) ([]driver.Finding, error) {
	past, err := s.swapProbe(ctx)
	if err != nil && judge(err).Kind != driver.ErrUnfit {
		return nil, before(err)
	}
	all := []driver.Finding{found(driver.Finding{
		Subject: "reading and writing", Found: "both, in the place of what was read", Means: "this client can take the steps of a lease",
	}, err, "no step succeeds")}
	if err == nil {
		all = append(all, s.examineConditions(ctx, past), s.examineStamps(ctx, past))
	}
	if !past.At.IsZero() {
		all = append(all, s.examineClock(past.At))
	}
	return append(all, s.examineList(ctx), s.examineFloor(ctx)), ctx.Err()
}

// found makes f fit, or what err says instead.
func found(f driver.Finding, err error, means string) driver.Finding {
	if f.Grade = driver.Fit; err != nil {
		why := judge(err)
		f.Grade, f.Found, f.Means = driver.Unfit, why.Err.Error(), means
		if f.Do = why.Hint; f.Do == "" {
			f.Do = "ask again; if it stays so, see what the service says about it"
		}
	}
	return f
}

func (s *Store) examineConditions(ctx context.Context, past Object) driver.Finding {
	return found(driver.Finding{
		Subject: "conditional writes", Found: "kept: refused under a past version, and where there was to be none yet",
		Means: "of several that write at once, one succeeds",
	}, s.probeRefusals(ctx, past.Version), "a lease may be granted twice")
}

func (s *Store) examineStamps(ctx context.Context, past Object) driver.Finding {
	return found(driver.Finding{
		Subject: "time of a write", Found: "stamped by the clock of the answers, to within " + s.o.Apart.String(),
		Means: "a step that comes too late is seen to, by everybody",
	}, s.probeStamp(ctx, past.At), "a lease may be granted early, or a renewal that came too late may count")
}

// farOff is how far the clocks may be apart until somebody should look at them: no
// lease hangs on it, but a guard refuses numbers that lie a day ahead.
const farOff = time.Hour

func (s *Store) examineClock(at time.Time) driver.Finding {
	d := time.Until(at).Round(s.o.Unit)
	f := driver.Finding{
		Subject: "clock", Grade: driver.Fit, Found: fmt.Sprintf("%s; %s from this machine's, to %s", s.o.Clock, d, s.o.Unit),
		Means: "no lease hangs on this machine's clock",
	}
	if d.Abs() >= farOff {
		f.Grade, f.Do = driver.Warning, "find out which of the two is wrong"
		f.Means = "no lease hangs on the distance, but tokens begin at the service's clock, and guards refuse those that lie a day beyond theirs"
	}
	return f
}

func (s *Store) examineList(ctx context.Context) driver.Finding {
	f := driver.Finding{Subject: "listing", Grade: driver.Fit, Found: "in order", Means: "records can be listed"}
	after := s.keys.prefix + "lease"
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	keys, _, err := s.bucket.List(ctx, s.keys.prefix, after, mostKeys)
	switch {
	case err != nil:
		f.Found, f.Means, f.Do = judge(err).Err.Error(), "records can't be listed; leases work", judge(err).Hint
	case !slices.IsSorted(keys), slices.ContainsFunc(keys, func(k string) bool { return k <= after || !strings.HasPrefix(k, s.keys.prefix) }):
		f.Found, f.Means, f.Do = "in no order, or more than was asked for", "lists of records are not to be relied on; leases work", "use another kind of bucket, if you need lists"
	default:
		return f
	}
	if f.Grade = driver.Warning; f.Do == "" {
		f.Do = "ask again; if it stays so, see what the service says about it"
	}
	return f
}

// examineFloor looks at the store's own record.
func (s *Store) examineFloor(ctx context.Context) driver.Finding {
	f := driver.Finding{Subject: "identity", Grade: driver.Fit, Found: "no store yet", Means: "the first one to open it makes a record of its own"}
	o, err := s.get(ctx, s.keys.store())
	if err != nil {
		return found(f, err, "nothing can be granted")
	}
	if !o.found() {
		return f
	}
	own, err := s.readFloor(o)
	switch {
	case err != nil:
		return found(f, err, "nothing can be granted")
	case own.Previous != "" && own.Accepted != own.Identity:
		f.Grade, f.Do = driver.Warning, "find out what was lost, and run `ringfence recover` above every mark of what the leases protect"
		f.Found = fmt.Sprintf("%s, made at %s after the one before it was lost", own.Identity, own.Changed.Format(time.RFC3339))
		f.Means = "the bucket was emptied, or the record removed; tokens went on above the bucket's clock"
	default:
		f.Found, f.Means = fmt.Sprintf("%s, floor %s", own.Identity, own.Value), "nothing at or below the floor is granted"
	}
	return f
}
