package cli

import (
	"context"
	"testing"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// TestAReaderIsEstablishedByAnotherReaderAlone: a later mark is another reader's while its own
// lease lasts, and can be a writer's afterwards.
func TestAReaderIsEstablishedByAnotherReaderAlone(t *testing.T) {
	t.Parallel()
	over, end := context.WithCancel(t.Context())
	end()
	superseded := &fence.RefusedError{Verdict: fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded}}
	for _, c := range []struct {
		what   string
		ctx    context.Context
		access ringfence.Access
		err    error
		want   bool
	}{
		{"a reader's own mark", t.Context(), ringfence.Shared, nil, true},
		{"a later mark", t.Context(), ringfence.Shared, superseded, true},
		{"a later mark after its lease", over, ringfence.Shared, superseded, false},
		{"a later mark than a writer's", t.Context(), ringfence.Exclusive, superseded, false},
		{"no mark", t.Context(), ringfence.Shared, &fence.RefusedError{Verdict: fence.Verdict{Outcome: fence.Refused, Cause: fence.NotEstablished}}, false},
	} {
		j := job{work: ringfence.Work{Kind: ringfence.Kind{Access: c.access}}}
		if got := j.established(c.ctx, c.err); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
