package scenario

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

// TestScenario_R02_ZombieWrite: a holder whose lease has run out writes late. The
// second has written; has only established; has done neither.
func TestScenario_R02_ZombieWrite(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		ctx, report, store := t.Context(), d.NewReport(t), d.Store(t)
		locker, db := newLocker(t, store, nil), sqlguard.On(report.DB, d.GuardDialect())
		for _, second := range []string{"wrote", "established", "acquired"} {
			report.Add(t, second)
			write := func(f fence.Fence, body string) error {
				return sqlguard.InTx(ctx, db, f, second, func(tx *sql.Tx) error { return report.Put(ctx, tx, second, body) })
			}
			zombie := acquire(t, locker, second, brief)
			system.AwaitState(t, store, second, driver.Expired)
			newer := acquire(t, locker, second, long)
			mark, want := newer.Fence().Token, ""
			switch second {
			case "wrote":
				want = "newer"
				if err := write(newer.Fence(), "newer"); err != nil {
					t.Fatal(err)
				}
			case "established":
				establish(t, report, second, newer.Fence())
			case "acquired": // the resource can't know: what the second reads next includes the late write
				mark, want = 0, "late"
			}
			err := write(zombie.Fence(), "late")
			refused, _ := errors.AsType[*fence.RefusedError](err)
			switch {
			case mark == 0 && err != nil:
				t.Errorf("the second only %s: the late write was refused: %v", second, err)
			case mark != 0 && (refused == nil || refused.Verdict.Cause != fence.Superseded || refused.Verdict.Mark != mark ||
				refused.Verdict.Fence != zombie.Fence() || refused.Verdict.Observed):
				t.Errorf("the second %s: got %v; want superseded by %s, judged in the step", second, err, mark)
			}
			if body, err := report.Body(ctx, second); err != nil || body != want {
				t.Errorf("the second %s: the report reads %q (error %v); want %q", second, body, err, want)
			}
			wantEnded(t, "the zombie's renewal", zombie.Renew(ctx), ringfence.EndExpired) // by its own clock
		}
	})
}

func establish(t *testing.T, r system.Report, resource string, f fence.Fence) {
	t.Helper()
	g, err := sqlguard.New(r.GuardDialect(), resource, guard.Latest, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Establish(t.Context(), r.DB, f); err != nil {
		t.Fatal(err)
	}
}

// TestScenario_R06_LateRelease: one label on one host for both holders.
func TestScenario_R06_LateRelease(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		store := d.Store(t)
		locker := newLocker(t, store, &ringfence.Options{Holder: "host"})
		first := acquire(t, locker, "job", brief)
		system.AwaitState(t, store, "job", driver.Expired)
		second := acquire(t, locker, "job", long)
		wantEnded(t, "the late release", first.Release(t.Context()), ringfence.EndSuperseded)
		if rec, err := store.Inspect(t.Context(), "job"); err != nil || rec.State != driver.Held || rec.Token != second.Fence().Token {
			t.Errorf("after the late release the store says %+v (error %v)", rec, err)
		}
		if err := second.Renew(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestScenario_R07_LateRenewal: the name is free again, and still the old term is over.
func TestScenario_R07_LateRenewal(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		ctx, store := t.Context(), d.Store(t)
		first, err := store.Acquire(ctx, driver.Request{Name: "job", Attempt: "first", TTL: brief.TTL})
		if err != nil {
			t.Fatal(err)
		}
		system.AwaitState(t, store, "job", driver.Expired)
		second := acquire(t, newLocker(t, store, nil), "job", long)
		if err := second.Release(ctx); err != nil {
			t.Fatal(err)
		}
		_, err = store.Renew(ctx, first, long.TTL)
		wantEnded(t, "the late renewal", err, ringfence.EndSuperseded)
		if rec, err := store.Inspect(ctx, "job"); err != nil || rec.State != driver.Released {
			t.Errorf("after the late renewal the store says %+v (error %v)", rec, err)
		}
	})
}

// TestScenario_R36_NobodyLearnsAnothersToken: neither a stale holder that asks
// again nor a nested acquire is given the number of the term that is.
func TestScenario_R36_NobodyLearnsAnothersToken(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		ctx, store := t.Context(), d.Store(t)
		asked := driver.Request{Name: "job", Attempt: "first", Holder: "host", TTL: brief.TTL}
		if _, err := store.Acquire(ctx, asked); err != nil {
			t.Fatal(err)
		}
		system.AwaitState(t, store, "job", driver.Expired)
		_, err := store.Acquire(ctx, asked)
		wantEnded(t, "the lapsed attempt asked again", err, ringfence.EndExpired)
		locker := newLocker(t, store, &ringfence.Options{Holder: "host"})
		second := acquire(t, locker, "job", long)
		if term, err := store.Acquire(ctx, asked); !errors.Is(err, driver.ErrHeld) {
			t.Errorf("the stale attempt asked again: got %+v (error %v); want held", term, err)
		}
		if nested, err := locker.TryAcquire(ctx, "job", long); !errors.Is(err, ringfence.ErrHeld) {
			t.Errorf("a nested acquire: got %+v (error %v); want held", nested, err)
		}
		if err := second.Renew(ctx); err != nil {
			t.Error(err)
		}
	})
}
