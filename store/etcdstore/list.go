package etcdstore

import (
	"context"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// List implements driver.Lister. A page is one read, and one more for each etcd
// lease on it.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
	if err := checkLimit(limit); err != nil {
		return nil, err
	}
	return tries(ctx, s, func(bool) ([]driver.Record, error) {
		views, err := s.page(ctx, prefix, after, limit)
		if err != nil {
			return nil, err
		}
		var records []driver.Record
		known := map[clientv3.LeaseID]time.Duration{}
		for _, v := range views {
			r, err := s.show(ctx, v, known)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
		return records, nil
	})
}

// page reads up to limit names in byte order. Each of the three reads begins at
// the same name, and only names with a grant have the other keys: so what is
// there of the first limit names lies in the first limit keys of each kind.
func (s *Store) page(ctx context.Context, prefix, after string, limit int) ([]view, error) {
	from := max(prefix, after+"\x00")
	if prefix != "" && from >= clientv3.GetPrefixRangeEnd(prefix) {
		return nil, nil // every name with the prefix comes before
	}
	get := func(key func(string) string) clientv3.Op {
		end := clientv3.GetPrefixRangeEnd(key(prefix))
		return clientv3.OpGet(key(from), clientv3.WithRange(end), clientv3.WithLimit(int64(limit)))
	}
	resp, err := s.read(ctx, get(s.keys.live), get(s.keys.term), get(s.keys.note))
	if err != nil {
		return nil, err
	}
	live := byName(resp.Responses[0], s.keys.live(""))
	notes := byName(resp.Responses[2], s.keys.note(""))
	var views []view
	for _, term := range resp.Responses[1].GetResponseRange().Kvs {
		v := view{name: string(term.Key[len(s.keys.term("")):])}
		if err := v.fill(live[v.name], term, notes[v.name]); err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

func byName(answer *etcdserverpb.ResponseOp, prefix string) map[string]*mvccpb.KeyValue {
	found := map[string]*mvccpb.KeyValue{}
	for _, kv := range answer.GetResponseRange().Kvs {
		found[string(kv.Key[len(prefix):])] = kv
	}
	return found
}

func checkLimit(limit int) error {
	if limit < 1 {
		return fmt.Errorf("%w limit of %d for the etcd store: want 1 or more", fence.ErrInvalid, limit)
	}
	return nil
}
