package s3store_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/s3store"
)

// frozen is a store whose server's clock stands still.
func frozen(t testing.TB, o *s3store.Options) (*server, *s3store.Store, func(time.Duration)) {
	server := startServer(t)
	move := server.freeze()
	return server, server.open(t, o), move
}

// slowly makes the clock move by d while the next write of a record is on its way.
func (s *server) slowly(move func(time.Duration), d time.Duration) {
	s.onPut(func(http.ResponseWriter, *http.Request) bool {
		s.heal()
		move(d)
		return true
	})
}

func TestLeaseEndsOneUnitLate(t *testing.T) {
	t.Parallel()
	_, s, move := frozen(t, nil)
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
	server, s, move := frozen(t, nil)
	other := server.open(t, nil)
	term := take(t, s, "a", 10*time.Second)
	server.slowly(move, 11*time.Second)
	_, err := s.Renew(t.Context(), term, time.Hour)
	wantEnded(t, err, driver.EndExpired)
	if rec, err := other.Inspect(t.Context(), "a"); err != nil || rec.State != driver.Expired {
		t.Errorf("after a renewal that came too late: %+v, %v; want it expired for everybody", rec, err)
	}
	take(t, other, "a", time.Minute)

	term = take(t, s, "b", 10*time.Second)
	server.slowly(move, 10*time.Second) // the last moment
	if renewed, err := s.Renew(t.Context(), term, time.Minute); err != nil || renewed.Remaining != 50*time.Second {
		t.Errorf("a slow renewal: %+v, %v; want 50 s left", renewed, err)
	}
}

// TestServersApart: the server of the endpoint that answers has a clock which lags
// that of the one which stamps what is written.
func TestServersApart(t *testing.T) {
	t.Parallel()
	server, s, move := frozen(t, nil)
	lapsing := take(t, s, "b", 10*time.Second)
	term := take(t, s, "a", time.Minute)
	if err := s.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	server.set(func() { server.ahead = -2 * time.Second })
	newer := take(t, s, "a", time.Minute)
	rec, err := s.Inspect(t.Context(), "a")
	if err != nil || rec.GrantedAt.Before(server.Now()) || newer.Remaining > time.Minute || newer.Token <= term.Token {
		t.Errorf("%+v, then %+v, %v; want the time of the last write, not one before it", newer, rec, err)
	}
	server.slowly(move, 11*time.Second) // the answer says 9
	_, err = s.Renew(t.Context(), lapsing, time.Hour)
	wantEnded(t, err, driver.EndExpired)
}

// TestRequests counts what docs/stores/s3.md says.
func TestRequests(t *testing.T) {
	t.Parallel()
	server, s, _ := frozen(t, nil)
	var term driver.Term
	for _, step := range []struct {
		what          string
		f             func() error
		reads, writes int
	}{
		{"acquire", func() (err error) { term, err = s.Acquire(t.Context(), request("a", time.Minute)); return err }, 2, 1},
		{"refused acquire", func() error {
			if _, err := s.Acquire(t.Context(), request("a", time.Minute)); !errors.Is(err, driver.ErrHeld) {
				return err
			}
			return nil
		}, 2, 0},
		{"renew", func() error { _, err := s.Renew(t.Context(), term, time.Minute); return err }, 1, 1},
		{"inspect", func() error { _, err := s.Inspect(t.Context(), "a"); return err }, 1, 0},
		{"release", func() error { return s.Release(t.Context(), term) }, 1, 1},
	} {
		reads, writes := server.requests(t, func() {
			if err := step.f(); err != nil {
				t.Error(step.what, err)
			}
		})
		if reads != step.reads || writes != step.writes {
			t.Errorf("%s: %d reads and %d writes; want %d and %d", step.what, reads, writes, step.reads, step.writes)
		}
	}
}

func remove(t testing.TB, server *server, part string) {
	t.Helper()
	for _, key := range server.keys(t, part) {
		if _, err := server.backend.DeleteObject(bucket, key); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEmptiedBucket(t *testing.T) {
	t.Parallel()
	server, s, _ := frozen(t, nil)
	careful := server.open(t, &s3store.Options{RefuseNewIdentity: true})
	before := take(t, s, "a", time.Minute)
	known, _ := s.Identity(t.Context())
	remove(t, server, "")
	term := take(t, s, "a", time.Minute)
	if term.Token <= before.Token { // although the clock stands still
		t.Errorf("token %s after %s", term.Token, before.Token)
	}
	if id, err := s.Identity(t.Context()); err != nil || id.Previous != known.Current || id.ChangedAt.IsZero() {
		t.Errorf("identity %+v, %v; want the loss noted", id, err)
	}
	_, err := careful.Acquire(t.Context(), request("b", time.Minute))
	wantError(t, err, driver.ErrUnfit, "ringfence recover")
	late := server.open(t, &s3store.Options{RefuseNewIdentity: true})
	_, err = late.Acquire(t.Context(), request("b", time.Minute))
	wantError(t, err, driver.ErrUnfit, "ringfence recover")
	server.set(func() { server.now = time.Now })
	if _, err := careful.Raise(t.Context(), term.Token); err != nil {
		t.Fatal(err)
	}
	take(t, careful, "b", time.Minute)
	take(t, late, "c", time.Minute)
}
