package etcdstore

import (
	"testing"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
)

// TestStrangeAnswers: each sign of another history counts by itself.
func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	known := moment{revision: 100}.with(identity{Schema: 1, Cluster: "0000000000000007", RaftTerm: 3, Chain: "aabb"}, 50)
	known.revision = 100
	header := func(cluster, term uint64, revision int64) *etcdserverpb.ResponseHeader {
		return &etcdserverpb.ResponseHeader{ClusterId: cluster, RaftTerm: term, Revision: revision}
	}
	if err := known.strange(header(7, 3, 100)); err != nil {
		t.Errorf("the same history: %v", err)
	}
	marked, older := known.identity, known.identity
	marked.Rewound = true
	older.Chain = "aa"
	for what, err := range map[string]error{
		"another cluster":       known.strange(header(8, 3, 100)),
		"a lower raft term":     known.strange(header(7, 2, 100)),
		"a lower revision":      known.strange(header(7, 3, 99)),
		"a record that says so": known.with(marked, 60).strange(header(7, 3, 100)),
		"an older record":       known.with(older, 40).strange(header(7, 3, 1<<40)),
	} {
		if err == nil {
			t.Errorf("%s goes unnoticed", what)
		}
	}
	accepted := known.identity
	accepted.Chain = "aabbcc"
	if err := known.with(older, 40).with(accepted, 60).strange(header(7, 3, 9)); err != nil {
		t.Errorf("after an operator accepted it: %v", err)
	}
}
