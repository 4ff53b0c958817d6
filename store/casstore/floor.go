package casstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

const (
	// beyond is how far above the bucket's clock the floor of a new store lies, so
	// that a clock which lags the one before it repeats no number.
	beyond = time.Minute
	// lookAgain is how often a store reads the clock at most while it waits for it.
	lookAgain = 100 * time.Millisecond
)

// settling is how long after its write a raised floor is in force: longer than a grant
// goes on from a read of the floor without reading it again, which is prompt, and one
// unit that the clock leaves out, or Patience; and clocks may be Apart.
func (o Options) settling() time.Duration { return max(o.Patience, prompt+o.Unit) + o.Apart }

// floor is the store's own record: at or below Value nothing is granted.
type floor struct {
	Value    fence.Token `json:"floor"`
	Identity string      `json:"identity"` // random, made with the record
	Previous string      `json:"previous,omitempty"`
	Changed  time.Time   `json:"changed,omitzero"`
	Accepted string      `json:"accepted,omitempty"` // the identity that an operator has accepted
	Raised   bool        `json:"raised,omitempty"`   // by hand, above what others were granting from
	Nonce    string      `json:"nonce"`

	inForce time.Time // from when on nothing at or below Value is handed out
}

// floor reads the store's record, at the bucket's time that it returns, and
// refuses an identity that nobody has accepted. A record that is missing is made.
func (s *Store) floor(ctx context.Context) (floor, time.Time, error) {
	f, o, err := s.currentFloor(ctx)
	if err == nil {
		err = s.accept(f)
	}
	return f, o.At, err
}

// accept reports why this client can't grant for the identity of f, or nil.
func (s *Store) accept(f floor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.above = max(s.above, f.Value)
	switch {
	case s.known == "" && s.o.RefuseNewIdentity && f.Previous != "" && f.Accepted != f.Identity:
		s.known = f.Previous
	case s.known == "" || !s.o.RefuseNewIdentity || f.Accepted == f.Identity:
		s.known = f.Identity
	}
	if s.known != f.Identity {
		return unfit(fmt.Errorf("the store's own record was lost: its identity was %s, and is %s now", s.known, f.Identity),
			"raise the floor with `ringfence recover` above every mark of what the leases protect")
	}
	return nil
}

// currentFloor reads the store's record, or makes it.
func (s *Store) currentFloor(ctx context.Context) (floor, Object, error) {
	for p := newPause(); ; {
		o, err := s.get(ctx, s.keys.store())
		if err != nil {
			return floor{}, o, err
		}
		if o.found() {
			f, err := s.readFloor(o)
			return f, o, err
		}
		if err = s.putFloor(ctx, "", s.newFloor(o.At)); err != nil && !again(err) {
			return floor{}, o, before(err)
		}
		if err := before(p.Wait(ctx, nil)); err != nil {
			return floor{}, o, err
		}
	}
}

func (s *Store) readFloor(o Object) (floor, error) {
	var f floor
	if err := json.Unmarshal(o.Data, &f); err != nil || f.Identity == "" || f.Value < 0 {
		return f, unfit(errors.New("the store's own record is not one of Ringfence"), foreign)
	}
	if f.inForce = o.Wrote; f.Raised {
		f.inForce = o.Wrote.Add(s.o.settling())
	}
	return f, nil
}

// newFloor is the record of a store that has none: a new one, or one that was lost.
// After a loss it lies as far above the floor before, too, so that two losses in one
// second repeat no number.
func (s *Store) newFloor(at time.Time) floor {
	f := floor{Value: fence.TickOf(at.Add(beyond)).First(), Identity: rand.Text()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known != "" {
		f.Previous, f.Changed = s.known, at
		f.Value = max(f.Value, s.above+fence.Tick(beyond/time.Millisecond).First())
	}
	return f
}

func (s *Store) putFloor(ctx context.Context, version string, f floor) error {
	f.Nonce = rand.Text()
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	_, err = s.put(ctx, s.keys.store(), version, body)
	return err
}

// Raise implements driver.Recoverer. It returns when the floor is in force, some
// seconds after it is written. Where it fails with ErrUnknown, raise again.
func (s *Store) Raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	if above < 0 || above >= fence.MaxToken {
		return 0, fmt.Errorf("%w floor %d for %s: want 0 to %d, so that a token is left above it",
			fence.ErrInvalid, int64(above), s.props.Store, int64(fence.MaxToken-1))
	}
	return run(ctx, s, "raise the floor", func(ctx context.Context) (fence.Token, error) {
		written := false
		for p := newPause(); ; {
			f, o, err := s.currentFloor(ctx)
			if err == nil && f.Value >= above && f.Accepted == f.Identity {
				return f.Value, s.await(ctx, f.inForce)
			}
			if err == nil {
				next := f
				next.Value, next.Accepted, next.Raised = max(f.Value, above), f.Identity, true
				err = s.putFloor(ctx, o.Version, next)
				written = written || err == nil || judge(err).Kind == driver.ErrUnknown
			}
			if err != nil && !again(err) && judge(err).Kind != driver.ErrUnknown {
				return 0, inDoubt(written, err)
			}
			if err := before(p.Wait(ctx, nil)); err != nil {
				return 0, inDoubt(written, err)
			}
		}
	})
}

// await returns when the bucket's clock has passed a time. If it can't be known
// that it has, the error is a doubt.
func (s *Store) await(ctx context.Context, end time.Time) error {
	for {
		o, err := s.get(ctx, s.keys.store())
		if err != nil {
			return inDoubt(true, err)
		}
		if o.At.After(end) {
			return nil
		}
		t := time.NewTimer(max(s.o.Unit, lookAgain))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return inDoubt(true, ctx.Err())
		}
	}
}

// Identity implements driver.Recoverer.
func (s *Store) Identity(ctx context.Context) (driver.Identity, error) {
	return run(ctx, s, "read the store's identity", func(ctx context.Context) (driver.Identity, error) {
		f, _, err := s.currentFloor(ctx)
		return driver.Identity{Current: f.Identity, Previous: f.Previous, ChangedAt: f.Changed, Floor: f.Value}, err
	})
}
