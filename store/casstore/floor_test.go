package casstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/casstore"
)

// TestFloorRaisedDuringAGrant holds a grant back until the floor is in force.
func TestFloorRaisedDuringAGrant(t *testing.T) {
	t.Parallel()
	m, s, move := frozen(t)
	operator := m.open(t, casstore.Options{})
	above := take(t, s, "before", time.Minute).Token + 1<<32
	m.onRecord(func() error {
		m.heal()
		raised := make(chan error, 1)
		go func() { _, err := operator.Raise(t.Context(), above); raised <- err }()
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case err := <-raised:
				return err
			case <-tick.C:
				move(time.Second)
			}
		}
	})
	r := request("a", time.Hour)
	term, err := s.Acquire(t.Context(), r)
	if err != nil || term.Token <= above {
		t.Errorf("a grant that was under way: %+v, %v; want a token above %s", term, err, above)
	}
	if again, err := operator.Acquire(t.Context(), r); err != nil || again.Token != term.Token {
		t.Errorf("its attempt again: %+v, %v; want the same grant", again, err)
	}
}

func TestEmptiedBucket(t *testing.T) {
	t.Parallel()
	m, s, _ := frozen(t)
	careful := m.open(t, casstore.Options{RefuseNewIdentity: true})
	before := take(t, s, "a", time.Minute)
	known, _ := s.Identity(t.Context())
	m.remove("")
	term := take(t, s, "a", time.Minute)
	if term.Token <= before.Token { // although the clock stands still
		t.Errorf("token %s after %s", term.Token, before.Token)
	}
	if id, err := s.Identity(t.Context()); err != nil || id.Previous != known.Current || id.ChangedAt.IsZero() {
		t.Errorf("identity %+v, %v; want the loss noted", id, err)
	}
	_, err := careful.Acquire(t.Context(), request("b", time.Minute))
	wantError(t, err, driver.ErrUnfit, "ringfence recover")
	late := m.open(t, casstore.Options{RefuseNewIdentity: true})
	_, err = late.Acquire(t.Context(), request("b", time.Minute))
	wantError(t, err, driver.ErrUnfit, "ringfence recover")
	m.set(func() { m.now = time.Now })
	if _, err := careful.Raise(t.Context(), term.Token); err != nil {
		t.Fatal(err)
	}
	take(t, careful, "b", time.Minute)
	take(t, late, "c", time.Minute)
}

func TestLossOfOneRecord(t *testing.T) {
	t.Parallel()
	m, s, move := frozen(t)
	move(2 * time.Minute) // past the floor of a new store
	before := take(t, s, "a", time.Minute)
	m.remove("lease/")
	move(time.Second)
	if term := take(t, s, "a", time.Minute); term.Token <= before.Token {
		t.Errorf("token %s after %s", term.Token, before.Token)
	}
	_, err := s.Renew(t.Context(), before, time.Minute)
	wantEnded(t, err, driver.EndSuperseded)
}

// ticking is a bucket whose clock moves with each read.
type ticking struct {
	*memory
	move func(time.Duration)
}

func (k ticking) Get(ctx context.Context, key string) (casstore.Object, error) {
	k.move(300 * time.Millisecond)
	return k.memory.Get(ctx, key)
}

// TestRaiseReturnsInForce: a raised floor counts once no grant can be under way that
// was decided before, which is Patience and Apart after its write.
func TestRaiseReturnsInForce(t *testing.T) {
	t.Parallel()
	m := newMemory(time.Millisecond)
	o := casstore.Options{Unit: m.unit, Apart: time.Second, Patience: 3 * time.Second}
	s, err := casstore.New(t.Context(), ticking{m, m.freeze()}, "memory", &o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Raise(t.Context(), 1<<52); err != nil {
		t.Fatal(err)
	}
	if passed := m.now().Sub(m.values["store"].Wrote); passed <= o.Patience+o.Apart {
		t.Errorf("returned %s after its write; want more than %s", passed, o.Patience+o.Apart)
	}
}
