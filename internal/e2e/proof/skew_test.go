package proof

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// proveSkew has two parties contend whose clocks, or whose store's, are off. Only
// the elapsed time of this process counts here.
func proveSkew(holder, other system.Party) error {
	const ttl = time.Minute
	ask := system.Ask{Op: system.Acquire, Name: "long", TTL: ttl}
	sent := time.Now()
	held := holder.Do(ask)
	if err := errors.Join(want("granted", "the holder", held), trusted(held, sent, ttl)); err != nil {
		return err
	}
	switch refused := other.Do(ask); {
	case refused.Outcome == "granted":
		return harmful(errEarly, "token %s was granted %s into a lease of %s", refused.Token, time.Since(sent), ttl)
	case refused.Outcome != "held" || refused.Token != held.Token:
		return errors.New("the other party was not told who holds the name: " + refused.String())
	case refused.Remaining > ttl || refused.Remaining < ttl-time.Since(sent)-time.Millisecond:
		return harmful(errRemaining, "%s are left %s into a lease of %s", refused.Remaining, time.Since(sent), ttl)
	}
	sent = time.Now()
	renewed := holder.Do(system.Ask{Op: system.Renew, Name: "long"})
	seen := other.Do(system.Ask{Op: system.Inspect, Name: "long"})
	if seen.Remaining > ttl || seen.Remaining < ttl-time.Since(sent)-time.Millisecond {
		return harmful(errRemaining, "after a renewal for %s a look says %s", ttl, seen.Remaining)
	}
	return errors.Join(want("done", "the renewal", renewed), trusted(renewed, sent, ttl), proveHandOver(holder, other))
}

// trusted checks a lease's trust: not dead on arrival, and not beyond the lease.
func trusted(a system.Answer, sent time.Time, ttl time.Duration) error {
	margin := ttl/1000 + time.Millisecond // as docs of the lease say, and one for the rounding
	from, to := sent.Add(ttl-margin-time.Millisecond), time.Now().Add(ttl)
	if a.Trusted.Before(from) || a.Trusted.After(to) {
		return harmful(errRemaining, "a lease of %s is trusted until %s; want %s to %s", ttl, a.Trusted, from, to)
	}
	if a.Remaining <= 0 {
		return harmful(errRemaining, "a lease of %s was dead on arrival: %s", ttl, a.Remaining)
	}
	return nil
}

// proveHandOver lets a short lease run out: the other party gets it then, not
// before and not an hour later.
func proveHandOver(holder, other system.Party) error {
	const ttl = 500 * time.Millisecond
	ask := system.Ask{Op: system.Acquire, Name: "short", TTL: ttl}
	sent := time.Now()
	if err := want("granted", "the holder", holder.Do(ask)); err != nil {
		return err
	}
	err := system.Poll(func() (bool, error) {
		a := other.Do(ask)
		if a.Outcome != "granted" {
			return false, want("held", "the other", a)
		}
		if took := time.Since(sent); took < ttl {
			return true, harmful(errEarly, "after %s of a lease of %s", took, ttl)
		}
		return true, nil
	})
	return err
}

// judgesByCaller is the twin: a lease has ended when the caller's clock says so.
func judgesByCaller(s *sqlstore.Store, _ *sql.DB, c system.Config) driver.Store {
	return byCaller{s, func() time.Time { return time.Now().Add(c.Skew) }}
}

type byCaller struct {
	*sqlstore.Store
	now func() time.Time
}

func (b byCaller) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	rec, err := b.Inspect(ctx, r.Name)
	if err != nil {
		return driver.Term{}, err
	}
	left := rec.ExpiresAt.Sub(b.now())
	if left > 0 && (rec.State == driver.Held || rec.State == driver.Expired) {
		return driver.Term{}, &driver.HeldError{Name: r.Name, Holder: rec.Holder, Token: rec.Token, Remaining: left}
	}
	if _, err := b.Break(ctx, r.Name, "caller"); err != nil {
		return driver.Term{}, err
	}
	return b.Store.Acquire(ctx, r)
}

// TestProof3_SkewDoesNotGrant_Caller: processes whose clock is an hour off, as
// holder and as contender.
func TestProof3_SkewDoesNotGrant_Caller(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		holder, other time.Duration
		fault         string
		harm          error
	}{
		"holder ahead":           {holder: time.Hour},
		"holder behind":          {holder: -time.Hour},
		"other ahead":            {other: time.Hour},
		"other behind":           {other: -time.Hour},
		"twin with other ahead":  {other: time.Hour, fault: "judges by caller", harm: errEarly},
		"twin with other behind": {other: -time.Hour, fault: "judges by caller", harm: errRemaining},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			system.Each(t, func(t *testing.T, d system.Database) {
				holder := system.Start(t, system.Config{Database: d, Holder: "holder", Skew: c.holder, Fault: c.fault})
				other := system.Start(t, system.Config{Database: d, Holder: "other", Skew: c.other, Fault: c.fault})
				prove(t, c.harm, proveSkew(holder.Ready(t), other.Ready(t)))
			})
		})
	}
}

// TestProof3_SkewDoesNotGrant_Server: a PostgreSQL whose clock is an hour off.
func TestProof3_SkewDoesNotGrant_Server(t *testing.T) {
	t.Parallel()
	for clock, harm := range map[string]error{"+3600": errRemaining, "-3600": errEarly} {
		t.Run(clock+"s", func(t *testing.T) {
			t.Parallel()
			pg := realserver.NewPostgres(t, &realserver.PostgresOptions{FakeTime: clock})
			pg.Exec("CREATE DATABASE twin")
			for database, c := range map[string]struct {
				fault string
				harm  error
			}{"postgres": {}, "twin": {"judges by caller", harm}} {
				d := system.Database{Postgres: true, URL: pg.URL(database)}
				config := system.Config{Database: d, Fault: c.fault}
				if off := serverSkew(t, d); off.Abs() < 50*time.Minute {
					t.Fatalf("the server's clock is off by %s only", off)
				}
				prove(t, c.harm, proveSkew(agent(t, config), agent(t, config)))
			}
		})
	}
}

func serverSkew(t *testing.T, d system.Database) time.Duration {
	t.Helper()
	var now time.Time
	if err := d.Open(t).QueryRowContext(t.Context(), "SELECT clock_timestamp()").Scan(&now); err != nil {
		t.Fatal(err)
	}
	return time.Until(now)
}
