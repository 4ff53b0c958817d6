package etcdstore

import (
	"context"
	"sync"

	"github.com/ringfence-go/ringfence/driver"
)

// RenewAll implements driver.BatchRenewer: the queue makes a few Txns of them all.
func (s *Store) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	done := make([]driver.Renewed, len(all))
	var each sync.WaitGroup
	for i, r := range all {
		each.Go(func() { done[i].Term, done[i].Err = s.Renew(ctx, r.Term, r.TTL) })
	}
	each.Wait()
	return done
}
