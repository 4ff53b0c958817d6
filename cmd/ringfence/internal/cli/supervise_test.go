package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// TestKillAloneIsALostLease: where KILL comes before the context has ended, as
// after a pause of the whole machine, the status is not that of the signal.
func TestKillAloneIsALostLease(t *testing.T) {
	t.Parallel()
	locker, err := ringfence.New(memstore.New(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	lease, err := locker.TryAcquire(t.Context(), "report", ringfence.Hold{TTL: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	early := catchEarly(t.Context())
	defer early.stop()
	var out strings.Builder
	a := &app{err: &out}
	j := job{name: "report", args: []string{"sleep", "60"}, plan: ringfence.Plan{Grace: 100 * time.Millisecond}}
	err = a.supervise(t.Context(), j, lease, early) // a context that never ends
	if got := status(err); got != exitLost {
		t.Errorf("status %d of %v, want %d", got, err, exitLost)
	}
	a.sayError(err)
	if got := out.String(); !strings.Contains(got, `the lease of "report" with token `) || !strings.Contains(got, " ended before the work did: expired") {
		t.Errorf("said %q", got)
	}
}
