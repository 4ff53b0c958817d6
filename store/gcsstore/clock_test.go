package gcsstore_test

import (
	"errors"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/gcstest"
	"github.com/ringfence-go/ringfence/store/gcsstore"
)

func TestLeaseEndsOneUnitLate(t *testing.T) {
	t.Parallel()
	_, s, move := frozen(t)
	take(t, s, "a", 10*time.Second)
	move(10 * time.Second) // a Date that says 10 may be 10.9 after one that says 0, or 9.1
	_, err := s.Acquire(t.Context(), request("a", time.Minute))
	if !errors.Is(err, driver.ErrHeld) {
		t.Errorf("after as long as the lease, by whole seconds: %v; want it held", err)
	}
	move(time.Second)
	take(t, s, "a", time.Minute)
}

func TestLateRenewalChangesNothing(t *testing.T) {
	t.Parallel()
	server, s, move := frozen(t)
	other := server.open(t, gcsstore.Options{})
	term := take(t, s, "a", 10*time.Second)
	server.slowly(move, 11*time.Second)
	_, err := s.Renew(t.Context(), term, time.Hour)
	wantEnded(t, err, driver.EndExpired)
	if rec, err := other.Inspect(t.Context(), "a"); err != nil || rec.State != driver.Expired {
		t.Errorf("after a renewal that came too late: %+v, %v; want it expired for everybody", rec, err)
	}
	take(t, other, "a", time.Minute)
}

// TestServersApart: the server of the endpoint that answers has a clock which lags
// that of the one which stamps what is written.
func TestServersApart(t *testing.T) {
	t.Parallel()
	server, s, _ := frozen(t)
	term := take(t, s, "a", time.Minute)
	if err := s.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	var now time.Time
	server.Set(func(h *gcstest.Hooks) { h.Ahead, now = -2*time.Second, h.Now() })
	newer := take(t, s, "a", time.Minute)
	rec, err := s.Inspect(t.Context(), "a")
	if err != nil || rec.GrantedAt.Before(now) || newer.Remaining > time.Minute || newer.Token <= term.Token {
		t.Errorf("%+v, then %+v, %v; want the time of the last write, not one before it", newer, rec, err)
	}
}

func TestEmptiedBucket(t *testing.T) {
	t.Parallel()
	server, s, _ := frozen(t)
	careful := server.open(t, gcsstore.Options{RefuseNewIdentity: true})
	before := take(t, s, "a", time.Minute)
	server.Remove("")
	if term := take(t, s, "a", time.Minute); term.Token <= before.Token { // although the clock stands still
		t.Errorf("token %s after %s", term.Token, before.Token)
	}
	_, err := careful.Acquire(t.Context(), request("b", time.Minute))
	wantError(t, err, driver.ErrUnfit, "ringfence recover")
}

// TestRequests counts what docs/stores/gcs.md says.
func TestRequests(t *testing.T) {
	t.Parallel()
	server, s, _ := frozen(t)
	var term driver.Term
	for _, step := range []struct {
		what          string
		f             func() error
		reads, writes int
	}{
		{"acquire", func() (err error) { term, err = s.Acquire(t.Context(), request("a", time.Minute)); return err }, 4, 1},
		{"refused acquire", func() error {
			if _, err := s.Acquire(t.Context(), request("a", time.Minute)); !errors.Is(err, driver.ErrHeld) {
				return err
			}
			return nil
		}, 4, 0},
		{"renew", func() error { _, err := s.Renew(t.Context(), term, time.Minute); return err }, 2, 1},
		{"inspect", func() error { _, err := s.Inspect(t.Context(), "a"); return err }, 2, 0},
		{"release", func() error { return s.Release(t.Context(), term) }, 2, 1},
	} {
		got := server.Requests(func() {
			if err := step.f(); err != nil {
				t.Error(step.what, err)
			}
		})
		want := map[string]int{http.MethodGet: step.reads, http.MethodPost: step.writes}
		maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v; want %v", step.what, got, want)
		}
	}
}
