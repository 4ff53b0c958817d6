package etcdguard

import (
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Admission is a guard's part of a transaction. Put all of If, Then and Else into
// one Txn of etcd, before what is yours in each of the three, and give the
// response to [Admission.Verdict].
type Admission struct {
	If   []clientv3.Cmp
	Then []clientv3.Op
	Else []clientv3.Op

	guard *Guard
	fence fence.Fence
}

// Admit makes the comparison that admits f: the mark is f's lease's and not above
// f's token. It is for the rule Latest only, which needs no look at the mark
// before. It sends nothing. Where f is refused without a look, the error is a
// *fence.RefusedError.
func (g *Guard) Admit(f fence.Fence) (Admission, error) {
	if g.rule != guard.Latest {
		return Admission{}, errors.Join(fence.ErrInvalid, errors.New("Admit is for the rule latest; use Write for "+g.rule.String()))
	}
	known := guard.Mark{Lease: g.o.Lease}
	if known.Lease == "" {
		known.Lease = f.Name
	}
	if _, v := guard.Decide(g.rule, known, guard.Write{Fence: f}, g.limit()); v.Cause == fence.Invalid || v.Cause == fence.Future {
		_, err := g.conclude(v)
		return Admission{}, err
	}
	key, next := g.markKey(), guard.Mark{Lease: f.Name, Token: f.Token}
	return Admission{
		If: []clientv3.Cmp{
			clientv3.Compare(clientv3.Value(key), ">", f.Name+"\n"),
			clientv3.Compare(clientv3.Value(key), "<", f.Name+"\n"+padded(f.Token+1)), // fails where there is no mark
		},
		Then:  []clientv3.Op{clientv3.OpPut(key, encode(next))},
		Else:  []clientv3.Op{clientv3.OpGet(key)},
		guard: g, fence: f,
	}, nil
}

// Verdict reads the answer to the transaction, with the error of its Commit. The
// error is nil exactly when the verdict is Admitted. Where the guard would have
// admitted the write and a comparison of yours failed, it matches guard.ErrRetry,
// and nothing is applied.
func (a Admission) Verdict(resp *clientv3.TxnResponse, err error) (fence.Verdict, error) {
	g := a.guard
	switch {
	case g == nil:
		return fence.Verdict{}, errors.Join(fence.ErrInvalid, errors.New("an admission that Admit did not make"))
	case err != nil:
		return g.failed(a.fence, judge(err))
	case resp.Succeeded:
		return g.conclude(fence.Verdict{Outcome: fence.Admitted, Fence: a.fence, Mark: a.fence.Token})
	}
	m := guard.Mark{Lease: g.o.Lease}
	for _, kv := range resp.Responses[0].GetResponseRange().GetKvs() {
		if m, err = decode(string(kv.Value)); err != nil {
			return g.failed(a.fence, err)
		}
	}
	_, v := guard.Decide(g.rule, m, guard.Write{Fence: a.fence}, fence.MaxToken)
	if v.Outcome == fence.Refused {
		return g.conclude(v)
	}
	return g.failed(a.fence, failure{guard.ErrRetry, errors.New("a comparison of the caller's own failed"), "nothing is applied"})
}
