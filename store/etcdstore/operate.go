package etcdstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Break implements driver.Breaker.
func (s *Store) Break(ctx context.Context, name, by string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	if err := driver.CheckHolder(by); err != nil {
		return driver.Record{}, err
	}
	var broken driver.Record // by a try whose answer was lost, maybe
	return tries(ctx, s, func(inDoubt bool) (driver.Record, error) {
		v, _, err := s.look(ctx, name)
		if err != nil {
			return driver.Record{}, err
		}
		was, err := s.show(ctx, v, map[clientv3.LeaseID]time.Duration{})
		if inDoubt && was.State == driver.Forced && was.EndedBy == by && was.Token == broken.Token {
			return broken, err
		}
		if err != nil || was.State != driver.Held {
			return was, err
		}
		broken = was
		t := driver.Term{Fence: v.fence(), Attempt: v.grant.attempt}
		_, done, err := s.end(ctx, t, note{State: string(driver.EndForced), By: by})
		if err == nil && !done {
			err = errChanged
		}
		return was, err
	})
}

// Raise implements driver.Recoverer. While the cluster's history goes on, a token
// lies above the base and the cluster's revision: so the base is raised by what is
// lacking now.
func (s *Store) Raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	const room = 1 << 40 // for the grants that are to follow
	if above < 0 || above > fence.MaxToken-room {
		return 0, fmt.Errorf("%w floor %d for the etcd store: want 0 to %d, so that tokens are left above it",
			fence.ErrInvalid, int64(above), int64(fence.MaxToken-room))
	}
	return tries(ctx, s, func(bool) (fence.Token, error) {
		m, header, err := s.current(ctx)
		if err != nil {
			return 0, err
		}
		next := m
		next.Base = max(m.Base, int64(above)-header.Revision)
		if m.mod == 0 || m.strange(header) != nil {
			next.Previous, next.Changed = m.Cluster, s.clock().UnixMilli()
			next.Cluster, next.RaftTerm = clusterOf(header), header.RaftTerm
			next.Schema, next.Rewound, next.Accepted = schema, false, header.Revision
			next.Chain += rand.Text()[:8]
		}
		if next != m {
			if err := s.rewrite(ctx, next); err != nil {
				return 0, err
			}
		}
		return fence.Token(next.Base + header.Revision), nil
	})
}

// Identity implements driver.Recoverer. The floor is the highest number that can
// have been granted by now.
func (s *Store) Identity(ctx context.Context) (driver.Identity, error) {
	return tries(ctx, s, func(bool) (driver.Identity, error) {
		m, header, err := s.current(ctx)
		if err != nil {
			return driver.Identity{}, err
		}
		id := driver.Identity{Current: clusterOf(header), Previous: m.Previous, Floor: fence.Token(m.Base + header.Revision)}
		if m.Changed != 0 {
			id.ChangedAt = time.UnixMilli(m.Changed).UTC()
		}
		if id.Current != m.Cluster && m.mod != 0 {
			id.Previous = m.Cluster
		}
		return id, nil
	})
}

// current reads the store's record as it is now; where there is none, the moment
// has no mod. It keeps the highest revision that this client has seen.
func (s *Store) current(ctx context.Context) (moment, *etcdserverpb.ResponseHeader, error) {
	m := s.history.get() // before the request: an answer is never older
	resp, err := s.read(ctx, clientv3.OpGet(s.keys.store()))
	if err != nil {
		return m, nil, err
	}
	found := resp.Responses[0].GetResponseRange().Kvs
	if len(found) == 0 {
		m.mod = 0
		return m, resp.Header, nil
	}
	id, err := decodeIdentity(found[0])
	return m.with(id, found[0].ModRevision), resp.Header, err
}
