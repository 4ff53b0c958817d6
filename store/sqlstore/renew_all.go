package sqlstore

import (
	"context"

	"github.com/ringfence-go/ringfence/driver"
)

// RenewAll implements driver.BatchRenewer: up to 256 names go in one statement, or
// one transaction.
func (s *Store) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	outcomes := make([]driver.Renewed, len(all))
	var at []int // the place of each step in all
	var steps []*progress
	for i, r := range all {
		c, err := s.renewal(r.Term, r.TTL)
		if err != nil {
			outcomes[i].Err = err
			continue
		}
		at, steps = append(at, i), append(steps, &progress{call: c})
	}
	s.all(ctx, steps)
	for i, p := range steps {
		outcomes[at[i]] = driver.Renewed{Term: p.term, Err: p.err}
	}
	return outcomes
}
