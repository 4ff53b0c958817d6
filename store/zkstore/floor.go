package zkstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// beyond is how far above the leader's clock the floor of a store lies whose record was
// lost, so that a leader whose clock lags that of the one before it repeats no number.
// A store that nobody knows another one before of has none: its numbers would be ahead
// of the clock for that long, and an older copy of it would repeat them.
const beyond = time.Minute

// floor is the store's own record: at or below Value nothing is granted. Every write
// of a lease has it as a condition, so a raised floor is in force at once.
type floor struct {
	Identity string      `json:"identity"` // random, made with the record
	Value    fence.Token `json:"floor,omitzero"`
	Previous string      `json:"previous,omitempty"`
	Changed  time.Time   `json:"changed,omitzero"`
	// Fresh means that the record was made in the place of one that was lost. The
	// leader's time of its write then lends the floor.
	Fresh bool `json:"fresh,omitempty"`

	version int32
	epoch   uint64
}

var goodIdentity = regexp.MustCompile(`^[A-Z2-7]{20,64}$`)

func parseFloor(identity string, n node) (*floor, error) {
	f := &floor{version: n.version, epoch: n.epoch}
	if err := json.Unmarshal(n.data, f); err != nil || f.Identity != identity || f.Value < 0 {
		return nil, errForeign
	}
	if f.Fresh {
		f.Changed = n.wrote
		f.Value = max(f.Value, fence.TickOf(n.wrote.Add(beyond)).First())
	}
	return f, nil
}

// condition holds while f is the store's record. Its path has the identity in it, so
// that a record that was removed and made again is never taken for it, though its
// version may be the same.
func (s *Store) condition(f *floor) any {
	return &zk.CheckVersionRequest{Path: s.paths.record(f.Identity), Version: f.version}
}

// floor is the store's record, as it was when this connection last saw it. A record
// that is missing is made.
func (s *Store) floor(ctx context.Context) (*floor, error) {
	if f := s.memory.at(s.link.now()); f != nil {
		return f, nil
	}
	return s.currentFloor(ctx)
}

// currentFloor reads the store's record, or makes it.
func (s *Store) currentFloor(ctx context.Context) (*floor, error) {
	for p := newPause(); ; {
		f, err := s.findFloor(ctx)
		if err != nil {
			return nil, err
		}
		if f != nil && s.memory.learn(f) {
			return f, nil
		}
		if f != nil { // an older copy was put back: a floor never falls
			_, highest := s.memory.last()
			if _, err := s.raise(ctx, f, highest); err != nil && !judge(err).Again {
				return nil, before(err)
			}
		}
		if err := before(p.Wait(ctx, nil)); err != nil {
			return nil, err
		}
	}
}

// readFloor reads the store's record; f is nil where there is none. named is the
// znode with the identity, which may be there without its record.
func (s *Store) readFloor(ctx context.Context) (named node, f *floor, err error) {
	named, err = s.get(ctx, s.paths.store())
	if err != nil || !named.found {
		return named, nil, err
	}
	identity := string(named.data)
	if !goodIdentity.MatchString(identity) {
		return named, nil, errForeign
	}
	record, err := s.get(ctx, s.paths.record(identity))
	if err != nil || !record.found {
		return named, nil, err
	}
	f, err = parseFloor(identity, record)
	return named, f, err
}

// findFloor reads the store's record. Where it is missing it makes another one and
// returns nil.
func (s *Store) findFloor(ctx context.Context) (*floor, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	named, f, err := s.readFloor(ctx)
	if f != nil || err != nil {
		return f, err
	}
	next := floor{Identity: rand.Text()}
	next.Previous, next.Value = s.memory.last()
	name := any(&zk.CreateRequest{Path: s.paths.store(), Data: []byte(next.Identity), Acl: s.acl})
	if named.found {
		next.Previous = string(named.data)
		name = &zk.SetDataRequest{Path: s.paths.store(), Data: []byte(next.Identity), Version: named.version}
	}
	next.Fresh = next.Previous != ""
	body, err := json.Marshal(next)
	if err != nil {
		return nil, err
	}
	_, err = s.commit(ctx, 0, name, &zk.CreateRequest{Path: s.paths.record(next.Identity), Data: body, Acl: s.acl})
	if r := judge(err); r.Kind != nil && !r.Again && r.Kind != driver.ErrUnknown {
		return nil, err
	}
	return nil, nil
}

// ready makes the store's folder, and has the server catch up with the leader.
func (s *Store) ready(ctx context.Context) error {
	if err := s.sync(ctx); err != nil && !errors.Is(err, zk.ErrNoNode) {
		return err
	}
	root, err := s.get(ctx, s.paths.root)
	if err != nil || root.found {
		return err
	}
	return s.ensure(ctx, s.paths.root)
}

// raise makes the floor at least above, together with other writes, or none of it.
func (s *Store) raise(ctx context.Context, f *floor, above fence.Token, more ...any) (stats, error) {
	next := *f
	next.Value, next.Fresh = max(f.Value, above), false
	body, err := json.Marshal(next)
	if err != nil {
		return stats{failed: -1}, err
	}
	set := &zk.SetDataRequest{Path: s.paths.record(f.Identity), Data: body, Version: f.version}
	return s.commit(ctx, f.epoch, append([]any{set}, more...)...)
}

// Raise implements driver.Recoverer. The floor is in force when it is written.
func (s *Store) Raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	if above < 0 || above >= fence.MaxToken {
		return 0, fmt.Errorf("%w floor %d for %s: want 0 to %d, so that a token is left above it",
			fence.ErrInvalid, int64(above), s.props.Store, int64(fence.MaxToken-1))
	}
	return run(ctx, s, "raise the floor above "+above.String(), func(ctx context.Context) (fence.Token, error) {
		doubt := false
		for p := newPause(); ; {
			f, err := s.currentFloor(ctx)
			if err == nil && f.Value >= above {
				return f.Value, nil
			}
			if err == nil {
				_, err = s.raise(ctx, f, above)
			}
			r := judge(err)
			doubt = doubt || r.Kind == driver.ErrUnknown
			if r.Kind != nil && !r.Again && r.Kind != driver.ErrUnknown || ctx.Err() != nil {
				return 0, inDoubt(doubt, err)
			}
			if err := before(p.Wait(ctx, nil)); err != nil {
				return 0, inDoubt(doubt, err)
			}
		}
	})
}

// Identity implements driver.Recoverer.
func (s *Store) Identity(ctx context.Context) (driver.Identity, error) {
	return run(ctx, s, "read its identity", func(ctx context.Context) (driver.Identity, error) {
		f, err := s.currentFloor(ctx)
		if err != nil {
			return driver.Identity{}, err
		}
		return driver.Identity{Current: f.Identity, Previous: f.Previous, ChangedAt: f.Changed, Floor: f.Value}, nil
	})
}
