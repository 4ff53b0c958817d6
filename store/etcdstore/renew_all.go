package etcdstore

import (
	"context"
	"errors"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

// maxTogether is how many renewals share a Txn. Within etcd's limit of 128
// operations it leaves room for those of each.
const maxTogether = 100

// together is one renewal of many, and the etcd lease that it would move to.
type together struct {
	driver.Renewal
	at   int // its place among all
	lent *lent
}

// RenewAll implements driver.BatchRenewer: up to 100 renewals in a Txn, each a
// transaction of its own within. One that this does not renew is asked for by
// itself, so that its outcome is that of Renew.
func (s *Store) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	done := make([]driver.Renewed, len(all))
	tried := make([]error, len(all))
	for _, batch := range s.batches(all) {
		s.renewTogether(ctx, batch, done, tried)
	}
	var each sync.WaitGroup
	for i, r := range all {
		if done[i].Term.Token != 0 {
			continue
		}
		each.Go(func() {
			done[i].Term, done[i].Err = s.Renew(ctx, r.Term, r.TTL)
			if errors.Is(tried[i], driver.ErrUnknown) && errors.Is(done[i].Err, driver.ErrUnavailable) {
				done[i].Err = doubt.because(tried[i]).fault()
			}
		})
	}
	each.Wait()
	return done
}

// batches are the renewals that can go together. etcd writes a key once in a Txn,
// so the second of one name waits for its own.
func (s *Store) batches(all []driver.Renewal) (batches [][]together) {
	names := map[string]bool{}
	for i, r := range all {
		if r.Term.Check() != nil || s.props.CheckTTL(r.TTL) != nil || names[r.Term.Name] {
			continue
		}
		names[r.Term.Name] = true
		last := len(batches) - 1
		if last < 0 || len(batches[last]) == maxTogether {
			batches, last = append(batches, nil), last+1
		}
		r.TTL = s.props.RoundTTL(r.TTL)
		batches[last] = append(batches[last], together{Renewal: r, at: i})
	}
	return batches
}

// renewTogether notes in done what one Txn has renewed, and in tried what it ended
// with where it failed.
func (s *Store) renewTogether(ctx context.Context, batch []together, done []driver.Renewed, tried []error) {
	var ops []clientv3.Op
	var sent []together
	for _, r := range batch {
		l, err := s.pool.take(ctx, r.TTL)
		if err != nil {
			continue
		}
		r.lent = l
		sent, ops = append(sent, r), append(ops, s.renewal(r))
	}
	if len(sent) == 0 {
		return
	}
	resp, err := s.txn(ctx, nil, ops, nil)
	for i, r := range sent {
		if err != nil {
			s.unused(r.lent, err)
			var known ruling
			if errors.As(err, &known) {
				tried[r.at] = known.fault()
			}
			continue
		}
		own := resp.Responses[i].GetResponseTxn()
		if !own.Succeeded {
			s.pool.back(r.lent)
			continue
		}
		s.pool.off(own.Responses[0].GetResponsePut().PrevKv.Lease)
		r.Term.Remaining = r.lent.remaining()
		done[r.at].Term = r.Term
	}
}

// renewal moves one live key to a newer etcd lease, if its term is the current one.
func (s *Store) renewal(r together) clientv3.Op {
	n := note{State: renewed, TTL: r.TTL.Milliseconds(), Token: r.Term.Token, At: s.clock().UnixMilli()}
	return clientv3.OpTxn(s.keys.exact(r.Term, s.history.get().Base), []clientv3.Op{
		clientv3.OpPut(s.keys.live(r.Term.Name), "", clientv3.WithLease(r.lent.id), clientv3.WithPrevKV()),
		clientv3.OpPut(s.keys.note(r.Term.Name), n.encode()),
	}, nil)
}
