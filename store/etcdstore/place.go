package etcdstore

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

// Wait implements driver.Queue. A place is a key that hangs on an etcd lease of this
// process, and is as old as the revision that made it. To keep it costs a look at the
// line, and every second or two a request for all that wait in this process.
func (s *Store) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	if err := r.CheckWait(s.props, keep); err != nil {
		return driver.Place{}, err
	}
	return tries(ctx, s, func(bool) (driver.Place, error) { return s.stand(ctx, r, keep) })
}

func (s *Store) stand(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	on, err := s.keeper.take(ctx, keep)
	if err != nil {
		return driver.Place{}, err
	}
	had := s.places.hold(s, r.Name, r.Attempt, on, keep)
	if had.mod != 0 && had.on == on {
		line, err := s.rolls.recent(ctx, r.Name, had.mod)
		if p, here := s.in(line, had); here || err != nil {
			return p, err
		}
	}
	return s.enter(ctx, r, on)
}

// in is where a place is in a line, if it is there.
func (s *Store) in(line roll, p place) (driver.Place, bool) {
	ahead, here := line.ahead(p.mod)
	return driver.Place{Ahead: ahead, Waited: s.since(p.since)}, here
}

// WaitAll implements driver.BatchQueue. A line is looked at once for all of them; who turns
// out to have no place in it gets another one.
func (s *Store) WaitAll(ctx context.Context, all []driver.Waiting) []driver.Placed {
	done := make([]driver.Placed, len(all))
	lines := map[string]roll{}
	var rest sync.WaitGroup
	for i, w := range all {
		var here bool
		if done[i].Place, here = s.stay(ctx, w, lines); !here {
			rest.Go(func() { done[i].Place, done[i].Err = s.Wait(ctx, w.Request, w.Keep) })
		}
	}
	rest.Wait()
	return done
}

// stay keeps the place of one of many, if it has one and nothing is in the way. lines are
// those that were looked at for the others.
func (s *Store) stay(ctx context.Context, w driver.Waiting, lines map[string]roll) (driver.Place, bool) {
	if w.Request.CheckWait(s.props, w.Keep) != nil || s.left(ctx).kind != nil {
		return driver.Place{}, false
	}
	on, err := s.keeper.take(ctx, w.Keep)
	if err != nil {
		return driver.Place{}, false
	}
	had := s.places.hold(s, w.Request.Name, w.Request.Attempt, on, w.Keep)
	if had.mod == 0 || had.on != on {
		return driver.Place{}, false
	}
	line, known := lines[w.Request.Name]
	if !known {
		if line, err = s.rolls.call(ctx, w.Request.Name); err != nil {
			return driver.Place{}, false
		}
		lines[w.Request.Name] = line
	}
	return s.in(line, had)
}

// enter goes to the end of the line, or moves the place that there is to the etcd lease on.
func (s *Store) enter(ctx context.Context, r driver.Request, on clientv3.LeaseID) (driver.Place, error) {
	key := s.keys.place(r.Name, r.Attempt)
	mine := waiting{Holder: r.Holder, Since: s.clock().UnixMilli()}
	resp, err := s.txn(ctx, []clientv3.Cmp{clientv3.Compare(clientv3.CreateRevision(key), "=", 0)},
		[]clientv3.Op{s.keys.waiting(r.Name), clientv3.OpPut(key, mine.encode(), clientv3.WithLease(on))},
		[]clientv3.Op{clientv3.OpGet(key), clientv3.OpPut(key, "", clientv3.WithIgnoreValue(), clientv3.WithLease(on))})
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		s.keeper.lost(on)
	}
	if err != nil {
		return driver.Place{}, err
	}
	if !resp.Succeeded {
		return s.again(ctx, r, resp.Responses[0].GetResponseRange().Kvs[0])
	}
	ahead := resp.Responses[0].GetResponseRange().Count
	if ahead >= driver.MaxWaiters {
		_ = s.leave(ctx, r.Name, r.Attempt) // where that fails it lapses
		return driver.Place{}, &driver.FullError{Name: r.Name}
	}
	s.places.note(r.Name, r.Attempt, resp.Header.Revision, mine.Since)
	s.hub.moved(r.Name, r.Attempt)
	return driver.Place{Ahead: int(ahead)}, nil
}

// again is a place that was there already, made by another client, or by a request whose answer was lost.
func (s *Store) again(ctx context.Context, r driver.Request, kv *mvccpb.KeyValue) (driver.Place, error) {
	w, err := decodeWaiting(kv)
	if err != nil {
		return driver.Place{}, err
	}
	s.places.note(r.Name, r.Attempt, kv.CreateRevision, w.Since)
	line, err := s.rolls.recent(ctx, r.Name, kv.CreateRevision)
	at, _ := s.in(line, place{mod: kv.CreateRevision, since: w.Since})
	return at, err
}

// Leave implements driver.Queue.
func (s *Store) Leave(ctx context.Context, name, attempt string) error {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return err
	}
	_, err := tries(ctx, s, func(bool) (struct{}, error) { return struct{}{}, s.leave(ctx, name, attempt) })
	return err
}

func (s *Store) leave(ctx context.Context, name, attempt string) error {
	_, err := s.txn(ctx, nil, []clientv3.Op{clientv3.OpDelete(s.keys.place(name, attempt))}, nil)
	if err == nil {
		s.gone(name, attempt)
	}
	return err
}

// gone takes note that an attempt has no place any more.
func (s *Store) gone(name, attempt string) {
	s.places.drop(name, attempt)
	s.hub.moved(name, attempt)
}

// Waiters implements driver.Queue. It is one read, and one more for each process that
// waits.
func (s *Store) Waiters(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
	if err := driver.CheckWaiters(name, limit); err != nil {
		return nil, err
	}
	return tries(ctx, s, func(bool) ([]driver.Waiter, error) {
		resp, err := s.read(ctx, clientv3.OpGet(s.keys.line(name), clientv3.WithPrefix(), clientv3.WithLimit(int64(limit)),
			clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend)))
		if err != nil {
			return nil, err
		}
		var all []driver.Waiter
		known := map[int64]time.Duration{}
		for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
			w, err := s.shown(ctx, kv, known)
			if err != nil {
				return nil, err
			}
			if w.Left > 0 {
				all = append(all, w)
			}
		}
		return all, nil
	})
}

// shown is what anybody may see of a place. known are the etcd leases that were asked
// about already. Nothing is left of a place that has lapsed meanwhile.
func (s *Store) shown(ctx context.Context, kv *mvccpb.KeyValue, known map[int64]time.Duration) (driver.Waiter, error) {
	w, err := decodeWaiting(kv)
	if err != nil {
		return driver.Waiter{}, err
	}
	left, ok := known[kv.Lease]
	if !ok {
		var there bool
		if left, there, err = s.remaining(ctx, clientv3.LeaseID(kv.Lease)); err != nil {
			return driver.Waiter{}, err
		}
		if there {
			left = min(max(time.Second, left), driver.MaxKeep)
		}
		known[kv.Lease] = left
	}
	return driver.Waiter{Holder: w.Holder, Since: time.UnixMilli(w.Since).UTC(), Waited: s.since(w.Since), Left: left}, nil
}

// since is how long ago a noted time was, which may be another clock's.
func (s *Store) since(ms int64) time.Duration {
	return max(0, s.clock().Sub(time.UnixMilli(ms)))
}

// waiting is the value of a place's key.
type waiting struct {
	Holder string `json:"holder"`
	Since  int64  `json:"since_ms"` // noted by the caller, for people
}

func (w waiting) encode() string {
	text, _ := json.Marshal(w)
	return string(text)
}

func decodeWaiting(kv *mvccpb.KeyValue) (waiting, error) {
	var w waiting
	if json.Unmarshal(kv.Value, &w) != nil {
		return w, corrupt(kv)
	}
	return w, nil
}
