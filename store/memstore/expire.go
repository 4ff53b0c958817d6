package memstore

import (
	"context"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Expire lets the current lease of name run out now, as if its time had passed, and
// returns its record as it was. Nobody is told but those who wait. A name that nobody
// holds is left alone and returned as it is. It is for tests: see package ringfencetest.
func (s *Store) Expire(ctx context.Context, name string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	return step(ctx, s, func(m *shared, now time.Time) (driver.Record, error) {
		before := m.record(name, now)
		if before.State == driver.Held {
			m.rows[name].expires = now
			m.wake(name)
		}
		return before, nil
	})
}
