package etcdstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// schema is the layout of a store. In 1 a term that was ended had no live key, and a note
// said so: a client of that time would take the key that tells it now for a term, and so
// must not grant any more. What it left is understood.
const schema = 2

// identity is the value of the store's own record.
type identity struct {
	Schema   int    `json:"schema"`
	Cluster  string `json:"cluster"`   // whose revisions are tokens
	RaftTerm uint64 `json:"raft_term"` // the cluster had at least this one
	// Base is what a revision is added to. It never falls.
	Base int64 `json:"base"`
	// Rewound: a client saw the revision go back. Nothing is granted until Raise.
	Rewound bool `json:"rewound,omitempty"`
	// Accepted is the revision at which an operator last accepted a cluster, Chain
	// the random ids of all such acts: an older copy of the record has the
	// beginning of what it was.
	Accepted int64  `json:"accepted,omitempty"`
	Chain    string `json:"chain,omitempty"`
	Previous string `json:"previous,omitempty"`
	Changed  int64  `json:"changed_ms,omitempty"` // noted by the caller, for people
}

func (i identity) encode() string {
	text, _ := json.Marshal(i)
	return string(text)
}

func decodeIdentity(kv *mvccpb.KeyValue) (identity, error) {
	var i identity
	if json.Unmarshal(kv.Value, &i) != nil {
		return i, corrupt(kv)
	}
	if i.Schema < 1 || i.Schema > schema {
		return i, unfit("use a version of ringfence that knows it").because(fmt.Errorf("the store has schema %d; this client knows %d", i.Schema, schema))
	}
	return i, nil
}

func clusterOf(h *etcdserverpb.ResponseHeader) string { return fmt.Sprintf("%016x", h.ClusterId) }

// history is what this client knows of the cluster's history: the store's record
// as last read, and how far the cluster had come.
type history struct {
	mu  sync.Mutex
	now moment
}

// moment is a history at one time.
type moment struct {
	identity
	mod      int64 // revision of the store's record; 0 before it was read
	revision int64 // the highest in any answer
	fell     bool  // the record became an older one
}

// with is m after the store's record was read.
func (m moment) with(id identity, mod int64) moment {
	switch {
	case id.Chain == m.Chain:
	case strings.HasPrefix(m.Chain, id.Chain):
		m.fell = true
	default: // an operator has seen to whatever came before
		m.revision, m.fell = 0, false
	}
	m.identity, m.mod = id, mod
	return m
}

// load takes the store's record from an answer.
func (h *history) load(kv *mvccpb.KeyValue) error {
	if kv == nil {
		return unfit(recoverHint).because(errors.New("the store's own record is gone"))
	}
	id, err := decodeIdentity(kv)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.with(id, kv.ModRevision)
	return nil
}

// get is the history before a request is sent.
func (h *history) get() moment {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

const recoverHint = "run `ringfence recover --above N` with N at least every destination's mark; only then is no number granted twice"

// follow reports why an answer can't come after m in one history, or takes
// note of how far it has come. A cluster's revision and raft term never fall, and
// the answer to a transaction is never older than the request.
func (h *history) follow(m moment, header *etcdserverpb.ResponseHeader) error {
	if err := m.strange(header); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.revision = max(h.now.revision, header.Revision)
	return nil
}

func (m moment) strange(header *etcdserverpb.ResponseHeader) error {
	var why string
	switch {
	case m.Rewound:
		why = "an earlier state of the cluster was brought back"
	case clusterOf(header) != m.Cluster:
		why = fmt.Sprintf("cluster %s answers, and the store was kept by cluster %s", clusterOf(header), m.Cluster)
	case header.RaftTerm < m.RaftTerm:
		why = fmt.Sprintf("the cluster is in raft term %d and has been in %d: a snapshot was restored", header.RaftTerm, m.RaftTerm)
	case header.Revision < m.revision || m.fell:
		return rewound{unfit(recoverHint).because(fmt.Errorf(
			"the cluster is at revision %d and has been at %d: an earlier state was brought back", header.Revision, m.revision))}
	default:
		return nil
	}
	return unfit(recoverHint).because(errors.New(why))
}

// rewound is the ruling that only a client with a memory can make, and has to
// tell the others.
type rewound struct{ ruling }

func (r rewound) Unwrap() error { return r.ruling }

// follow checks an answer to a request for a grant, and warns all clients where
// only this one can know.
func (s *Store) follow(ctx context.Context, m moment, header *etcdserverpb.ResponseHeader) error {
	err := s.history.follow(m, header)
	var r rewound
	if !errors.As(err, &r) {
		return err
	}
	id := m.identity
	id.Rewound = true
	// Unless somebody has changed the record, which is then read before the next grant.
	_, _ = s.txn(ctx, []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(s.keys.store()), "=", m.mod)},
		[]clientv3.Op{clientv3.OpPut(s.keys.store(), id.encode())}, nil)
	return r.ruling
}

// setUp reads the store's record, or writes it where nothing lies below the prefix.
func (s *Store) setUp(ctx context.Context) error {
	get := clientv3.OpGet(s.keys.store())
	resp, err := s.read(ctx, get)
	if err != nil {
		return err
	}
	found := resp.Responses[0].GetResponseRange().Kvs
	if len(found) == 0 {
		first := identity{Schema: schema, Cluster: clusterOf(resp.Header), RaftTerm: resp.Header.RaftTerm}
		empty := clientv3.Compare(clientv3.CreateRevision(s.keys.prefix).WithPrefix(), "=", 0)
		resp, err = s.txn(ctx, []clientv3.Cmp{empty}, []clientv3.Op{clientv3.OpPut(s.keys.store(), first.encode()), get}, []clientv3.Op{get})
		if err != nil {
			return unsent(err)
		}
		found = resp.Responses[len(resp.Responses)-1].GetResponseRange().Kvs
	}
	if len(found) == 0 {
		return nil // its record is gone: every grant will say so, and Raise will mend it
	}
	if err := s.history.load(found[0]); err != nil {
		return err
	}
	if m := s.history.get(); s.history.follow(m, resp.Header) == nil && (resp.Header.RaftTerm > m.RaftTerm || m.Schema < schema) {
		m.RaftTerm, m.Schema = resp.Header.RaftTerm, schema
		return unsent(s.rewrite(ctx, m))
	}
	return nil
}

// rewrite replaces the store's record, unless it is another one than at m by now.
func (s *Store) rewrite(ctx context.Context, m moment) error {
	same := clientv3.Compare(clientv3.ModRevision(s.keys.store()), "=", m.mod)
	get := clientv3.OpGet(s.keys.store())
	resp, err := s.txn(ctx, []clientv3.Cmp{same}, []clientv3.Op{clientv3.OpPut(s.keys.store(), m.encode()), get}, []clientv3.Op{get})
	if err != nil {
		return err
	}
	found := resp.Responses[len(resp.Responses)-1].GetResponseRange().Kvs
	if len(found) == 0 {
		return errChanged
	}
	if err := s.history.load(found[0]); err != nil {
		return err
	}
	if !resp.Succeeded {
		return errChanged
	}
	return nil
}

// exhausted refuses a grant whose number would be too high. The margin is more
// revisions than one request can be overtaken by.
func (m moment) exhausted() error {
	const margin = 1 << 32
	if m.Base+m.revision+margin <= int64(fence.MaxToken) {
		return nil
	}
	return ruling{
		kind: driver.ErrUnfit,
		err:  fmt.Errorf("no token is left: %d is the highest", fence.MaxToken),
		hint: "the floor was raised too far: use another prefix",
	}
}
