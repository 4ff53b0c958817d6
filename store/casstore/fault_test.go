package casstore_test

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/casstore"
)

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	m, s, _ := frozen(t)
	m.loseAnswers(1)
	term := take(t, s, "a", time.Minute)
	m.loseAnswers(2)
	if renewed, err := s.Renew(t.Context(), term, time.Hour); err != nil || renewed.Remaining < 50*time.Minute {
		t.Errorf("renew: %+v, %v", renewed, err)
	}
	m.loseAnswers(1)
	if err := s.Release(t.Context(), term); err != nil {
		t.Errorf("release whose answer was lost: %v; want that it succeeded", err)
	}
	wantEnded(t, s.Release(t.Context(), term), driver.EndReleased)
}

// TestLostAnswerIsTheCallsOwn: while the answer to a release is lost, the name is
// granted and released by others. A record tells of the term before it, and no further.
func TestLostAnswerIsTheCallsOwn(t *testing.T) {
	t.Parallel()
	m, s, _ := frozen(t)
	other := m.open(t, casstore.Options{})
	for grants := range 3 {
		name := fmt.Sprint("name ", grants)
		term := take(t, s, name, time.Minute)
		m.set(func() {
			m.after = func(string) error {
				m.heal()
				for range grants {
					if err := other.Release(t.Context(), take(t, other, name, time.Minute)); err != nil {
						t.Error(err)
					}
				}
				return errLost
			}
		})
		err := s.Release(t.Context(), term)
		switch {
		case grants < 2 && err != nil:
			t.Errorf("released, and %d grants since: %v; want that it succeeded", grants, err)
		case grants == 2:
			wantError(t, err, driver.ErrUnknown, "granted again")
		}
	}
}

// TestErrorsOfABucket: what each kind of error means for a call, and how often it is
// tried.
func TestErrorsOfABucket(t *testing.T) {
	t.Parallel()
	fault := func(kind error) error {
		return &driver.Fault{Kind: kind, Err: errors.New("no"), Hint: "do that"}
	}
	for _, c := range []struct {
		name   string
		answer error
		want   error
		says   string
		tries  int
	}{
		{"moved", fault(casstore.ErrMoved), driver.ErrUnavailable, "changes all the time", 16},
		{"unavailable", fault(driver.ErrUnavailable), driver.ErrUnavailable, "do that", 5},
		{"unfit", fault(driver.ErrUnfit), driver.ErrUnfit, "do that", 1},
		{"a connection that could not be made", &net.OpError{Op: "dial", Err: errors.New("refused")}, driver.ErrUnavailable, "refused", 5},
		{"anything else", errLost, driver.ErrUnknown, "same attempt", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, s, _ := frozen(t)
			tries := 0
			m.onRecord(func() error { tries++; return c.answer })
			_, err := s.Acquire(t.Context(), request("a", time.Minute))
			wantError(t, err, c.want, c.says)
			if tries != c.tries || errors.Is(err, casstore.ErrMoved) && c.name != "moved" {
				t.Errorf("%d tries, %v; want %d", tries, err, c.tries)
			}
		})
	}
}

func TestBusyBucketIsWaitedFor(t *testing.T) {
	t.Parallel()
	m, s, _ := frozen(t)
	tries := 0
	m.onRecord(func() error {
		if tries++; tries <= 6 {
			return casstore.ErrBusy
		}
		return nil
	})
	take(t, s, "a", time.Minute)
}

func TestBucketsThatCannotHostLeases(t *testing.T) {
	t.Parallel()
	for says, spoil := range map[string]func(*memory){
		"the condition that there is no value": func(m *memory) { m.ignore = func(version string) bool { return version == "" } },
		"the condition of a version":           func(m *memory) { m.ignore = func(version string) bool { return version != "" } },
		"by another clock":                     func(m *memory) { m.ahead = time.Hour },
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			m := newMemory(time.Second)
			spoil(m)
			_, err := casstore.New(t.Context(), m, "memory", nil)
			wantError(t, err, driver.ErrUnfit, says)
		})
	}
}

func TestValuesOfAnother(t *testing.T) {
	t.Parallel()
	m, s, _ := frozen(t)
	take(t, s, "a", time.Minute)
	take(t, s, "b", time.Minute)
	keys, _, _ := m.List(t.Context(), "lease/", "", 2)
	for says, data := range map[string][]byte{"is that of": m.values[keys[0]].Data, "not one of Ringfence": []byte("{}")} {
		m.set(func() {
			o := m.values[keys[1]]
			o.Data = data
			m.values[keys[1]] = o
		})
		_, err := s.Acquire(t.Context(), request("b", time.Minute))
		wantError(t, err, driver.ErrUnfit, says)
		_, err = s.List(t.Context(), "", "", 10)
		wantError(t, err, driver.ErrUnfit, "not a record of Ringfence")
	}
}

func TestBadCallsOfNew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bucket casstore.Bucket
		label  string
		o      casstore.Options
	}{
		{nil, "memory", casstore.Options{}},
		{newMemory(time.Second), "", casstore.Options{}},
		{newMemory(time.Second), "memory", casstore.Options{Unit: time.Microsecond}},
		{newMemory(time.Second), "memory", casstore.Options{Apart: -time.Second}},
		{newMemory(time.Second), "memory", casstore.Options{Patience: time.Second}},
	} {
		if _, err := casstore.New(t.Context(), c.bucket, c.label, &c.o); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%q, %+v: %v; want invalid", c.label, c.o, err)
		}
	}
}
