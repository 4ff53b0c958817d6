package casguard_test

import (
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

func TestMark(t *testing.T) {
	t.Parallel()
	bucket := newMemory()
	g := bucket.guard(t, "manifest", guard.Latest)
	if m, err := g.Mark(t.Context()); err != nil || m.Established() {
		t.Errorf("before anything was established: %+v, %v", m, err)
	}
	f := fence.Fence{Name: "job", Token: 5}
	if _, err := g.Establish(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if m, err := g.Mark(t.Context()); err != nil || m != (guard.Mark{Lease: f.Name, Token: f.Token}) {
		t.Errorf("%+v, %v; want the mark of %+v", m, err, f)
	}
}
