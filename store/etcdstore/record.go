package etcdstore

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// grant is the value of a term key: the attempt, the base, then this as JSON,
// each on a line of its own. Its token is the base and the key's revision.
type grant struct {
	attempt string
	base    int64

	Holder  string `json:"holder"`
	Granted int64  `json:"granted_ms"` // noted by the caller, for people
	TTL     int64  `json:"ttl_ms"`
}

func (g grant) encode() string {
	text, _ := json.Marshal(g)
	return g.attempt + "\n" + padded(g.base) + "\n" + string(text)
}

// padded has as many digits for every base, so that none begins another.
func padded(base int64) string { return fmt.Sprintf("%016d", base) }

func decodeGrant(kv *mvccpb.KeyValue) (grant, error) {
	lines := strings.SplitN(string(kv.Value), "\n", 3)
	if len(lines) != 3 {
		return grant{}, corrupt(kv)
	}
	g := grant{attempt: lines[0]}
	var err error
	if g.base, err = strconv.ParseInt(lines[1], 10, 64); err != nil || json.Unmarshal([]byte(lines[2]), &g) != nil {
		return grant{}, corrupt(kv)
	}
	return g, nil
}

// note is the value of a note key, and of a live key that hangs on no etcd lease. One
// whose token isn't that of the last grant is about an older term, and says nothing.
type note struct {
	Token fence.Token `json:"token"`
	State string      `json:"state"` // renewed, released or forced
	At    int64       `json:"at_ms"` // noted by the caller, for people and for Prune
	TTL   int64       `json:"ttl_ms,omitempty"`
	By    string      `json:"by,omitempty"`
}

const renewed = "renewed"

func (n note) encode() string {
	text, _ := json.Marshal(n)
	return string(text)
}

// view is what one read shows of a name.
type view struct {
	name    string
	store   *mvccpb.KeyValue // nil where a key does not exist
	live    *mvccpb.KeyValue
	term    *mvccpb.KeyValue
	grant   grant
	note    note
	waiting int64 // how many stand in line for it
}

// seen reads the answers to keys.look.
func seen(name string, answers []*etcdserverpb.ResponseOp) (view, error) {
	var kvs [4]*mvccpb.KeyValue
	for i := range kvs {
		if found := answers[i].GetResponseRange().GetKvs(); len(found) > 0 {
			kvs[i] = found[0]
		}
	}
	v := view{name: name, store: kvs[0], waiting: answers[4].GetResponseRange().GetCount()}
	return v, v.fill(kvs[1], kvs[2], kvs[3])
}

func (v *view) fill(live, term, aside *mvccpb.KeyValue) (err error) {
	v.live, v.term = live, term
	if term == nil {
		if live != nil {
			return corrupt(live)
		}
		return nil
	}
	if live != nil && live.Lease == 0 {
		v.live, aside = nil, live // it tells how the term ended
	}
	if v.grant, err = decodeGrant(term); err != nil {
		return err
	}
	if aside == nil {
		return nil
	}
	if json.Unmarshal(aside.Value, &v.note) != nil {
		return corrupt(aside)
	}
	if v.note.Token != v.token() {
		v.note = note{}
	}
	return nil
}

func (v view) held() bool                { return v.live != nil }
func (v view) token() fence.Token        { return fence.Token(v.grant.base + v.term.ModRevision) }
func (v view) fence() fence.Fence        { return fence.Fence{Name: v.name, Token: v.token()} }
func (v view) lease() clientv3.LeaseID   { return clientv3.LeaseID(v.live.Lease) }
func (v view) ended(f fence.Fence) error { return &driver.EndedError{Fence: f, Cause: v.cause()} }

// is reports whether t is the last grant of the name, over or not.
func (v view) is(t driver.Term) bool {
	return v.term != nil && v.grant.attempt == t.Attempt && v.token() == t.Token
}

// cause is how the last term ended, which is over.
func (v view) cause() driver.EndCause {
	switch v.note.State {
	case string(driver.EndReleased), string(driver.EndForced):
		return driver.EndCause(v.note.State)
	}
	return driver.EndExpired
}

// expires is when the term ends or ended, by the notes of its writers.
func (v view) expires() time.Time {
	if v.note.State != "" {
		return time.UnixMilli(v.note.At + v.note.TTL).UTC()
	}
	return time.UnixMilli(v.grant.Granted + v.grant.TTL).UTC()
}

// record is what anybody may see of the name. remaining counts only where it is held.
func (v view) record(remaining time.Duration) driver.Record {
	if v.term == nil {
		return driver.Record{Name: v.name, State: driver.Free}
	}
	r := driver.Record{
		Name: v.name, State: driver.Held, Token: v.token(), Holder: v.grant.Holder,
		GrantedAt: time.UnixMilli(v.grant.Granted).UTC(), ExpiresAt: v.expires(), EndedBy: v.note.By, Remaining: remaining,
	}
	if !v.held() {
		r.State, r.Remaining = driver.State(v.cause()), 0
	}
	return r
}

func corrupt(kv *mvccpb.KeyValue) error {
	return ruling{
		kind: driver.ErrUnfit,
		err:  fmt.Errorf("the value of key %s is not one that this store writes", fence.Quote(string(kv.Key))),
		hint: "nothing else may write below the store's prefix: give the store a prefix of its own, or remove that key",
	}
}
