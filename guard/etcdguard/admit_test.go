package etcdguard_test

import (
	"errors"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/etcdguard"
)

func verdictOf(err error) (fence.Verdict, error) {
	var refused *fence.RefusedError
	if errors.As(err, &refused) {
		return refused.Verdict, err
	}
	return fence.Verdict{}, err
}

// TestCallersOwnComparison: a failing comparison of the caller's is no refusal.
func TestCallersOwnComparison(t *testing.T) {
	t.Parallel()
	client := connect(t)
	x := newText(t, client, guard.Latest)
	f := fence.Fence{Name: "job", Token: 7}
	if _, err := x.Establish(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	a, err := x.Admit(f)
	if err != nil {
		t.Fatal(err)
	}
	mine := clientv3.Compare(clientv3.Version(x.key), "=", 5)
	v, err := a.Verdict(client.Txn(t.Context()).If(append(a.If, mine)...).Then(append(a.Then, x.put("new"))...).Else(a.Else...).Commit())
	if !errors.Is(err, guard.ErrRetry) || errors.Is(err, fence.ErrRefused) || v.OK() {
		t.Errorf("%v, %v; want a retry", v, err)
	}
	if got, err := x.Read(t.Context()); got != "" || err != nil {
		t.Errorf("the data is %q, %v", got, err)
	}
	if _, err := newText(t, client, guard.Once).Admit(f); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("Admit under once: %v; want invalid", err)
	}
	if _, err := (etcdguard.Admission{}).Verdict(nil, nil); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("an empty admission: %v; want invalid", err)
	}
}

// TestBoundLease: a guard that knows its lease refuses another one's fence also
// where there is no mark, and does not take over a mark of another lease.
func TestBoundLease(t *testing.T) {
	t.Parallel()
	client := connect(t)
	g, err := etcdguard.New(client, "report", guard.Latest, &etcdguard.Options{Lease: "job"})
	if err != nil {
		t.Fatal(err)
	}
	other := fence.Fence{Name: "other", Token: 7}
	v, err := g.Establish(t.Context(), other)
	if v.Cause != fence.Invalid || !errors.Is(err, fence.ErrRefused) {
		t.Errorf("%v, %v; want it refused as invalid", v, err)
	}
	if _, err := g.Admit(other); !errors.Is(err, fence.ErrRefused) {
		t.Errorf("admit: %v; want it refused", err)
	}
	free, err := etcdguard.New(client, "report", guard.Latest, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := free.Establish(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Establish(t.Context(), fence.Fence{Name: "job", Token: 8}); !errors.Is(err, guard.ErrUnfit) {
		t.Errorf("the mark of another lease: %v; want unfit", err)
	}
	if n := free.Counter().Outcomes()[fence.Admitted]; n != 1 {
		t.Errorf("%d admitted; want 1", n)
	}
}

// TestStaleGuess: what a guard remembers of the mark admits nothing and refuses
// nothing after another one has changed it.
func TestStaleGuess(t *testing.T) {
	t.Parallel()
	client := connect(t)
	x := newText(t, client, guard.Sequenced)
	rival, err := etcdguard.New(client, x.key, guard.Sequenced, nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(token fence.Token, seq uint64) guard.Write {
		return guard.Write{Fence: fence.Fence{Name: "job", Token: token}, Seq: seq, Key: "k"}
	}
	if _, err := x.Establish(t.Context(), write(7, 1).Fence); err != nil {
		t.Fatal(err)
	}
	for seq, g := range []*etcdguard.Guard{x.Guard, rival, x.Guard} { // the last one has not seen the second
		if v, err := g.Write(t.Context(), write(7, uint64(seq+1)), x.put("in turn")); v.Outcome != fence.Admitted {
			t.Errorf("write %d of a term through two guards: %v, %v; want it admitted", seq+1, v, err)
		}
	}
	if v, err := rival.Write(t.Context(), write(8, 1), x.put("of the newer")); err != nil {
		t.Fatal(v, err)
	}
	if v, err := x.Write(t.Context(), write(7, 4), "stale"); v.Cause != fence.Superseded || v.Mark != 8 {
		t.Errorf("on a mark that has changed: %v, %v; want superseded by 8", v, err)
	}
	if got, err := x.Read(t.Context()); got != "of the newer" {
		t.Errorf("the data is %q, %v", got, err)
	}
}
