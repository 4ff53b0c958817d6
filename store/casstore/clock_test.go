package casstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/casstore"
)

func TestLeaseEndsOneUnitLate(t *testing.T) {
	t.Parallel()
	_, s, move := frozen(t)
	take(t, s, "a", 10*time.Second)
	move(10 * time.Second) // a time that says 10 may be 10.9 after one that says 0, or 9.1
	_, err := s.Acquire(t.Context(), request("a", time.Minute))
	if !errors.Is(err, driver.ErrHeld) {
		t.Errorf("after as long as the lease, by whole seconds: %v; want it held", err)
	}
	move(time.Second)
	take(t, s, "a", time.Minute)
}

func TestSlowWriteShortensTheTerm(t *testing.T) {
	t.Parallel()
	m, s, move := frozen(t)
	for _, late := range []time.Duration{time.Second, 7 * time.Second} {
		m.slowly(move, late)
		term := take(t, s, "a"+late.String(), time.Minute)
		if term.Remaining != time.Minute-late {
			t.Errorf("a write of %s leaves %s; want it shorter by that", late, term.Remaining)
		}
	}
}

func TestGrantThatCameTooLate(t *testing.T) {
	t.Parallel()
	m, s, move := frozen(t)
	m.slowly(move, 2*time.Minute)
	_, err := s.Acquire(t.Context(), request("a", time.Minute))
	wantEnded(t, err, driver.EndExpired)
	take(t, s, "a", time.Minute)
}

// TestShortGrantThatCameTooLate: on a fine clock a lease may be over although its grant
// was written soon after the reads.
func TestShortGrantThatCameTooLate(t *testing.T) {
	t.Parallel()
	m := newMemory(time.Millisecond)
	move := m.freeze()
	s := m.open(t, casstore.Options{})
	m.slowly(move, 1500*time.Millisecond)
	_, err := s.Acquire(t.Context(), request("a", time.Second))
	wantEnded(t, err, driver.EndExpired)
}

func TestLateRenewalChangesNothing(t *testing.T) {
	t.Parallel()
	m, s, move := frozen(t)
	other := m.open(t, casstore.Options{})
	term := take(t, s, "a", 10*time.Second)
	m.slowly(move, 11*time.Second)
	_, err := s.Renew(t.Context(), term, time.Hour)
	wantEnded(t, err, driver.EndExpired)
	if rec, err := other.Inspect(t.Context(), "a"); err != nil || rec.State != driver.Expired {
		t.Errorf("after a renewal that came too late: %+v, %v; want it expired for everybody", rec, err)
	}
	take(t, other, "a", time.Minute)

	term = take(t, s, "b", 10*time.Second)
	m.slowly(move, 10*time.Second) // the last moment
	if renewed, err := s.Renew(t.Context(), term, time.Minute); err != nil || renewed.Remaining != 50*time.Second {
		t.Errorf("a slow renewal: %+v, %v; want 50 s left", renewed, err)
	}
}

func TestLateReleaseIsTold(t *testing.T) {
	t.Parallel()
	m, s, move := frozen(t)
	term := take(t, s, "a", 10*time.Second)
	m.slowly(move, 11*time.Second)
	wantEnded(t, s.Release(t.Context(), term), driver.EndExpired)
	if rec, err := s.Inspect(t.Context(), "a"); err != nil || rec.State != driver.Expired {
		t.Errorf("after a release that came too late: %+v, %v; want expired", rec, err)
	}
}

// TestClocksApart: what answers has a clock which lags that of what stamps.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	m, s, move := frozen(t)
	lapsing := take(t, s, "b", 10*time.Second)
	term := take(t, s, "a", time.Minute)
	if err := s.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	m.set(func() { m.ahead = -2 * time.Second })
	newer := take(t, s, "a", time.Minute)
	rec, err := s.Inspect(t.Context(), "a")
	if err != nil || rec.GrantedAt.Before(m.now()) || newer.Remaining > time.Minute || newer.Token <= term.Token {
		t.Errorf("%+v, then %+v, %v; want the time of the last write, not one before it", newer, rec, err)
	}
	m.slowly(move, 11*time.Second) // the answer says 9
	_, err = s.Renew(t.Context(), lapsing, time.Hour)
	wantEnded(t, err, driver.EndExpired)
}

func TestClockSetBack(t *testing.T) {
	t.Parallel()
	_, s, move := frozen(t)
	held := take(t, s, "held", time.Minute)
	var last fence.Token
	for range 3 {
		term := take(t, s, "a", time.Minute)
		if err := s.Release(t.Context(), term); err != nil || term.Token <= last {
			t.Errorf("token %s after %s, %v", term.Token, last, err)
		}
		last = term.Token
		move(-time.Hour)
	}
	if _, err := s.Acquire(t.Context(), request("held", time.Minute)); !errors.Is(err, driver.ErrHeld) {
		t.Errorf("%v; want %s still held", err, held.Name)
	}
}
