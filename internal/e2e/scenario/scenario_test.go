package scenario

import (
	"errors"
	"testing"
	"time"
	_ "time/tzdata" // for processes in other time zones, wherever the test runs

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

func TestMain(m *testing.M) { system.Main(m, nil) }

// newLocker is a locker that is closed with the test.
func newLocker(t testing.TB, s driver.Store, o *ringfence.Options) *ringfence.Locker {
	t.Helper()
	l, err := ringfence.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close(t.Context()) }) // whose end says not to wait
	return l
}

// acquire takes a free name.
func acquire(t testing.TB, l *ringfence.Locker, name string, h ringfence.Hold) *ringfence.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), name, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lease.Abandon)
	return lease
}

// long and brief are leases to keep, and to see the end of.
var (
	long  = ringfence.Hold{TTL: time.Minute}
	brief = ringfence.Hold{TTL: 400 * time.Millisecond}
)

// wantEnded checks that a term is over, and why.
func wantEnded(t testing.TB, what string, err error, cause ringfence.EndCause) {
	t.Helper()
	if ended, ok := errors.AsType[*ringfence.EndedError](err); !ok || ended.Cause != cause {
		t.Errorf("%s: got %v; want an end by %s", what, err, cause)
	}
}
