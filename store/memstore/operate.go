package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var (
	_ driver.Store        = (*Store)(nil)
	_ driver.Lister       = (*Store)(nil)
	_ driver.Breaker      = (*Store)(nil)
	_ driver.BatchRenewer = (*Store)(nil)
	_ driver.Recoverer    = (*Store)(nil)
	_ driver.Pruner       = (*Store)(nil)
)

// List implements driver.Lister. It looks at every name for each page.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
	if err := checkLimit(limit); err != nil {
		return nil, err
	}
	return step(ctx, s, func(m *shared, now time.Time) ([]driver.Record, error) {
		names := slices.DeleteFunc(slices.Collect(maps.Keys(m.rows)), func(name string) bool {
			return name <= after || !strings.HasPrefix(name, prefix)
		})
		slices.Sort(names)
		var page []driver.Record
		for _, name := range names[:min(limit, len(names))] {
			page = append(page, m.record(name, now))
		}
		return page, nil
	})
}

// Break implements driver.Breaker.
func (s *Store) Break(ctx context.Context, name, by string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	if err := driver.CheckHolder(by); err != nil {
		return driver.Record{}, err
	}
	return step(ctx, s, func(m *shared, now time.Time) (driver.Record, error) {
		before := m.record(name, now)
		if before.State == driver.Held {
			m.rows[name].end(driver.EndForced, by, now)
			m.wake(name)
		}
		return before, nil
	})
}

// RenewAll implements driver.BatchRenewer: all of them in one step.
func (s *Store) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	outcomes := make([]driver.Renewed, len(all))
	_, err := step(ctx, s, func(m *shared, now time.Time) (struct{}, error) {
		for i, r := range all {
			if outcomes[i].Err = checkRenewal(r.Term, r.TTL); outcomes[i].Err == nil {
				outcomes[i].Term, outcomes[i].Err = m.renew(r.Term, r.TTL, now)
			}
		}
		return struct{}{}, nil
	})
	for i, r := range all {
		if err != nil {
			outcomes[i].Err = cmp.Or(checkRenewal(r.Term, r.TTL), err)
		}
	}
	return outcomes
}

// Raise implements driver.Recoverer.
func (s *Store) Raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	if above < 0 || above >= fence.MaxToken {
		return 0, fmt.Errorf("%w floor %d for the memory store: want 0 to %d, so that a token is left above it",
			fence.ErrInvalid, int64(above), int64(fence.MaxToken-1))
	}
	return step(ctx, s, func(m *shared, _ time.Time) (fence.Token, error) {
		m.floor = max(m.floor, above)
		return m.floor, nil
	})
}

// Identity implements driver.Recoverer. A memory is another one in each process.
func (s *Store) Identity(ctx context.Context) (driver.Identity, error) {
	return step(ctx, s, func(m *shared, _ time.Time) (driver.Identity, error) {
		return driver.Identity{Current: m.identity, Floor: m.floor}, nil
	})
}

// Prune implements driver.Pruner. Each row leaves its token behind as the floor
// in the same step: of all that is forgotten only the highest number matters.
func (s *Store) Prune(ctx context.Context, idle time.Duration, limit int) (int, error) {
	if err := checkLimit(limit); err != nil {
		return 0, err
	}
	if idle < 0 {
		return 0, fmt.Errorf("%w idle time of %s for the memory store: want 0 or more", fence.ErrInvalid, idle)
	}
	return step(ctx, s, func(m *shared, now time.Time) (int, error) {
		gone := 0
		for name, r := range m.rows {
			if gone == limit {
				break
			}
			if r.overFor(now) >= idle {
				m.floor = max(m.floor, r.Token)
				delete(m.rows, name)
				gone++
			}
		}
		return gone, nil
	})
}

func checkLimit(limit int) error {
	if limit < 1 {
		return fmt.Errorf("%w limit of %d for the memory store: want 1 or more", fence.ErrInvalid, limit)
	}
	return nil
}
