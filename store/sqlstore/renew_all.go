package sqlstore

import (
	"context"
	"sync"

	"github.com/ringfence-go/ringfence/driver"
)

// RenewAll implements driver.BatchRenewer: up to 256 names go in one statement, or
// one transaction. What could not be settled by those is asked for again by itself.
func (s *Store) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	outcomes := make([]driver.Renewed, len(all))
	var at []int // the place of each call in all
	var asked []call
	var calls []*call // the same, sent: whoever gave one up may not look at it
	for i, r := range all {
		c, err := s.renewal(r.Term, r.TTL)
		if err != nil {
			outcomes[i].Err = err
			continue
		}
		at, asked, calls = append(at, i), append(asked, c), append(calls, c.fresh())
	}
	accepted := s.accepted.Load()
	errs := s.queue.askAll(ctx, calls)
	var rest sync.WaitGroup
	for i, c := range calls {
		out, err := &outcomes[at[i]], errs[i]
		if err == nil && c.answer.final() {
			out.Term, out.Err = c.answer.result(*c, false)
			continue
		}
		rest.Go(func() {
			p := &progress{call: asked[i]}
			if s.note(ctx, p, accepted, c, err) {
				out.Term, out.Err = p.term, p.err
			} else {
				out.Term, out.Err = s.finish(ctx, p)
			}
		})
	}
	rest.Wait()
	return outcomes
}
