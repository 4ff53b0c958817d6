package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// beyond is how far above the server's clock the floor of a new bucket lies, so
// that a clock which lags that of the server before it repeats no number.
const beyond = time.Minute

// floor is the bucket's own record: at or below Value nothing is granted.
type floor struct {
	Value    fence.Token `json:"floor,omitzero"`
	Before   fence.Token `json:"before,omitzero"` // the floor that this one replaced
	Bucket   string      `json:"bucket"`          // the identity that it was written for
	Previous string      `json:"previous,omitempty"`
	Changed  time.Time   `json:"changed,omitzero"`
	// Fresh means that the bucket is new to Ringfence. The server's timestamp of
	// the record then lends the floor.
	Fresh bool `json:"fresh,omitempty"`

	revision uint64
}

// readFloor reads the bucket's record; ok is false where there is none.
func readFloor(m stored) (f floor, ok bool, err error) {
	if len(m.data) == 0 {
		return floor{revision: m.revision}, false, nil
	}
	if err := json.Unmarshal(m.data, &f); err != nil {
		return floor{}, false, ruling.Refuse(fmt.Errorf("the bucket's own record is not one of Ringfence: %v", err), foreign)
	}
	f.revision = m.revision
	if f.Fresh {
		f.Value = max(f.Value, fence.TickOf(m.at.Add(beyond)).First())
		f.Before = f.Value
		if f.Previous != "" {
			f.Changed = m.at
		}
	}
	return f, true, nil
}

// overtaken reports whether a grant lies at or below the floor that was in force
// when it was stored: a floor that was raised between its caller's read and its
// write. It is never given to anybody. Where the floor was raised since, only its
// last value but one is known, and a grant above that is good; one that isn't may
// be, and is replaced all the same, which only its own caller can notice.
func (f floor) overtaken(t *stamp.Term) bool {
	if t.Grant < f.revision {
		return t.Token <= f.Before
	}
	return t.Token <= f.Value
}

// raise replaces the bucket's record by what change makes of it, unless that is nil.
func (s *Store) raise(ctx context.Context, change func(floor) *floor) (floor, error) {
	doubt := false
	for p := newPause(); ; {
		f, err := s.floor(ctx)
		if err != nil {
			return floor{}, inDoubt(doubt, err)
		}
		next := change(f)
		if next == nil {
			return f, nil
		}
		body, err := json.Marshal(next)
		if err != nil {
			return floor{}, err
		}
		revision, err := s.write(ctx, s.floorSubject(), f.revision, body)
		if err == nil {
			s.saw(revision)
		} else {
			r := judge(err)
			lost := r.Kind == driver.ErrUnknown && ctx.Err() == nil && s.life.Context().Err() == nil
			if doubt = doubt || lost; !r.Again && !lost {
				return floor{}, err
			}
		}
		if err := before(p.Wait(ctx, nil)); err != nil {
			return floor{}, inDoubt(doubt, err)
		}
	}
}

// floor reads the bucket's record, or one with its revision alone.
func (s *Store) floor(ctx context.Context) (floor, error) {
	found, _, err := s.fetch(ctx, s.floorSubject())
	if err != nil {
		return floor{}, err
	}
	f, ok, err := readFloor(found[s.floorSubject()])
	if ok {
		s.floored.Store(&f)
	}
	return f, err
}

// verify checks the bucket that answers, and gives it a fresh floor if it is another
// one than on record, has none, or has lost messages that this process has seen. Writes that
// may have reached it before this check are not counted: they may stand in the place
// of what was lost.
func (s *Store) verify(ctx context.Context) error {
	reconnects, seen, strayed := s.js.Conn().Stats().Reconnects, s.seen.Load(), s.strayed.Load()
	info, err := s.info(ctx)
	if err != nil {
		return err
	}
	if err := fit(info.Config); err != nil {
		return err
	}
	current, last := identity(info), info.State.LastSeq
	_, err = s.raise(ctx, func(f floor) *floor {
		next := &floor{Value: max(f.Value, s.remembered()), Bucket: current, Previous: f.Bucket, Fresh: true}
		switch {
		case f.Bucket != current:
			return next
		case last < seen+uint64(strayed) && f.revision <= last:
			next.Previous = fmt.Sprintf("%s at revision %d", current, seen)
			return next
		}
		return nil
	})
	if err == nil {
		s.seen.CompareAndSwap(seen, last)
		s.verified.Store(reconnects)
		s.strayed.Add(-strayed)
	}
	return err
}

// remembered is the highest floor that this process has seen last.
func (s *Store) remembered() fence.Token {
	if f := s.floored.Load(); f != nil {
		return f.Value
	}
	return 0
}

// saw notes a revision of the bucket.
func (s *Store) saw(revision uint64) {
	for {
		seen := s.seen.Load()
		if revision <= seen || s.seen.CompareAndSwap(seen, revision) {
			return
		}
	}
}

// identity is what a bucket has to itself: the moment at which it was made.
func identity(info *jetstream.StreamInfo) string {
	id := info.Config.Name + " of " + info.Created.UTC().Format(time.RFC3339Nano)
	if info.Domain != "" {
		id += " in " + info.Domain
	}
	return id
}

// Raise implements driver.Recoverer. A grant whose caller read the older floor and
// that is stored later than the new one is found out by its own caller.
func (s *Store) Raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	if above < 0 || above >= fence.MaxToken {
		return 0, fmt.Errorf("%w floor %d: want 0 to %d, so that a token is left above it", fence.ErrInvalid, int64(above), int64(fence.MaxToken-1))
	}
	f, err := run(ctx, s, "raise the floor above "+above.String(), func(ctx context.Context) (floor, error) {
		return s.raiseAbove(ctx, above)
	})
	return f.Value, err
}

func (s *Store) raiseAbove(ctx context.Context, above fence.Token) (floor, error) {
	for range maxTries {
		f, err := s.raise(ctx, func(f floor) *floor {
			if f.Bucket == "" || f.Value >= above {
				return nil
			}
			return &floor{Value: above, Before: f.Value, Bucket: f.Bucket, Previous: f.Previous, Changed: f.Changed}
		})
		if err != nil || f.Bucket != "" {
			return f, err
		}
		if err := s.verify(ctx); err != nil {
			return floor{}, err
		}
	}
	return floor{}, errors.New("the bucket's own record is removed again and again")
}

// Identity implements driver.Recoverer.
func (s *Store) Identity(ctx context.Context) (driver.Identity, error) {
	return run(ctx, s, "read its identity", func(ctx context.Context) (driver.Identity, error) {
		info, err := s.info(ctx)
		if err != nil {
			return driver.Identity{}, err
		}
		f, err := s.floor(ctx)
		id := driver.Identity{Current: identity(info), Floor: f.Value, Previous: f.Previous, ChangedAt: f.Changed}
		if f.Bucket != id.Current {
			id.Previous = f.Bucket
		}
		return id, err
	})
}
