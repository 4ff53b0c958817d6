package natsstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Examine says what decides whether the bucket of o can host leases, finding by
// finding. It works where Open refuses, and changes nothing: neither does it make
// the bucket. The error says that the server could not be asked at all, and is one
// of the contract.
func Examine(ctx context.Context, js jetstream.JetStream, o *Options) ([]driver.Finding, error) {
	if js == nil {
		return nil, fmt.Errorf("%w call of natsstore.Examine: it needs a JetStream", fence.ErrInvalid)
	}
	full, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := newStore(js, full)
	defer s.Close()
	return run(ctx, s, "examine the store", func(ctx context.Context) ([]driver.Finding, error) {
		return s.examine(ctx, full)
	})
}

func (s *Store) examine(ctx context.Context, o Options) ([]driver.Finding, error) {
	if err := s.reachable(); err != nil {
		return nil, before(err)
	}
	all := []driver.Finding{version(s.js.Conn().ConnectedServerVersion())}
	asked := time.Now()
	info, err := s.info(ctx)
	took := time.Since(asked)
	var api *jetstream.APIError
	errors.As(err, &api)
	switch {
	case err == nil:
		all = append(all, s.bucketFindings(ctx, info)...)
		return append(all, clock(info.TimeStamp, asked, took)), ctx.Err()
	case api != nil && api.ErrorCode == jetstream.JSErrCodeStreamNotFound:
		all = append(all, s.noBucket(o))
		return append(all, s.account(ctx)...), ctx.Err()
	case s.refused() == nil && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || s.reachable() != nil):
		return nil, before(err)
	}
	return append(all, s.unanswered("bucket", err)), nil
}

func version(v string) driver.Finding {
	f := driver.Finding{Subject: "version", Grade: driver.Fit, Found: "nats-server " + v, Means: "has what the store uses"}
	var major, minor int
	if n, _ := fmt.Sscanf(v, "%d.%d", &major, &minor); n == 2 && (major < 2 || major == 2 && minor < 11) {
		f.Grade, f.Means, f.Do = driver.Unfit, "knows no time to live of a message, and no read of several at once", oldServer
	}
	return f
}

// unanswered tells of a question to which there was no good answer. A server
// that refuses a subject doesn't answer, and tells the connection instead.
func (s *Store) unanswered(subject string, err error) driver.Finding {
	r := judge(err)
	f := driver.Finding{Subject: subject, Grade: driver.Unfit, Found: r.Error(), Means: "no step can be taken", Do: r.Hint}
	if last := s.refused(); last != nil {
		f.Subject, f.Found, f.Do = "rights", last.Error(), rights
	}
	if errors.Is(err, nats.ErrNoResponders) {
		f.Found, f.Do = "JetStream does not answer", noJetStream+"; in a cluster, see that JetStream has a leader (`nats server report jetstream`)"
	}
	if f.Do == "" {
		f.Do = "see the server's log, and `nats stream info " + s.stream + "`"
	}
	return f
}

func (s *Store) noBucket(o Options) driver.Finding {
	f := driver.Finding{Subject: "bucket", Grade: driver.Fit, Found: "none called " + s.bucket + " yet",
		Means: fmt.Sprintf("Open makes it, on %d server(s)", o.Replicas)}
	if o.NoSetup {
		f.Grade, f.Means, f.Do = driver.Unfit, "with NoSetup the store doesn't make it", "open the store once without NoSetup, as a user who may make it"
	}
	return f
}

// account covers what the account may still store, where the user may ask.
func (s *Store) account(ctx context.Context) []driver.Finding {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	a, err := s.js.AccountInfo(ctx)
	if err != nil {
		return nil // a right that the store doesn't need
	}
	var all []driver.Finding
	for _, l := range []struct {
		what        string
		used, limit int64
	}{{"streams", int64(a.Streams), int64(a.Limits.MaxStreams)}, {"bytes", int64(a.Store), a.Limits.MaxStore}} {
		if l.limit > 0 && 10*l.used >= 9*l.limit {
			all = append(all, driver.Finding{Subject: "account", Grade: driver.Warning, Found: fmt.Sprintf("%d of %d %s in use", l.used, l.limit, l.what),
				Means: "at its limit no bucket is made, and no grant is stored", Do: "raise the account's limit"})
		}
	}
	return all
}

// clock compares the time at the bucket's leader with this machine's, which takes
// no part in a lease.
func clock(there, asked time.Time, took time.Duration) driver.Finding {
	off := there.Sub(asked.Add(took / 2))
	f := driver.Finding{Subject: "clock", Grade: driver.Fit,
		Found: fmt.Sprintf("%+d ms against this machine's, give or take %.1f ms", off.Milliseconds(), took.Seconds()*500+0.05),
		Means: "the clock of the bucket's leader judges leases; this machine's takes no part"}
	if off.Abs() > time.Minute {
		f.Grade = driver.Warning
		f.Means = "one of the two is wrong; a new leader whose clock lags by more than a minute can repeat tokens, and a guard refuses one that is a day ahead of its own clock"
		f.Do = "keep the clocks of all servers together (NTP)"
	}
	return f
}
