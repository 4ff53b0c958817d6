package etcdstore

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
)

// Prune implements driver.Pruner. A number that is forgotten stays below the
// cluster's revision. How long a term has been over is told by the clock of whoever
// ended it: a wrong one costs the old term its cause, and no number.
func (s *Store) Prune(ctx context.Context, idle time.Duration, limit int) (int, error) {
	if err := checkLimit(limit); err != nil {
		return 0, err
	}
	if idle < 0 {
		return 0, fmt.Errorf("%w idle time of %s for the etcd store: want 0 or more", fence.ErrInvalid, idle)
	}
	gone, after := 0, ""
	for {
		views, err := tries(ctx, s, func(bool) ([]view, error) { return s.page(ctx, "", after, pruneAtOnce) })
		if err != nil {
			return gone, err
		}
		var ops []clientv3.Op
		for _, v := range views {
			after = v.name
			if over := max(0, s.clock().Sub(v.endedAt())); !v.held() && over >= idle && len(ops) < limit-gone {
				ops = append(ops, s.forget(v))
			}
		}
		n, err := s.forgetAll(ctx, ops)
		if gone += n; err != nil || gone >= limit || len(views) < pruneAtOnce {
			return gone, err
		}
	}
}

// pruneAtOnce is how many names go in one transaction; a server's default limit
// is 128 operations.
const pruneAtOnce = 100

// endedAt is when a term that is over ended, as it was noted.
func (v view) endedAt() time.Time {
	if v.note.State != "" && v.note.State != renewed {
		return time.UnixMilli(v.note.At)
	}
	return v.expires()
}

// forget removes a name that nobody holds, unless it was granted meanwhile. A term
// that is over never begins again, so its grant is all there is to compare.
func (s *Store) forget(v view) clientv3.Op {
	same := clientv3.Compare(clientv3.ModRevision(s.keys.term(v.name)), "=", v.term.ModRevision)
	return clientv3.OpTxn([]clientv3.Cmp{same, s.keys.free(v.name)}, []clientv3.Op{
		clientv3.OpDelete(s.keys.term(v.name)), clientv3.OpDelete(s.keys.note(v.name)), clientv3.OpDelete(s.keys.live(v.name)),
	}, nil)
}

func (s *Store) forgetAll(ctx context.Context, ops []clientv3.Op) (int, error) {
	if len(ops) == 0 {
		return 0, nil
	}
	return tries(ctx, s, func(bool) (int, error) {
		resp, err := s.txn(ctx, nil, ops, nil)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, answer := range resp.Responses {
			if answer.GetResponseTxn().Succeeded {
				n++
			}
		}
		return n, nil
	})
}
