package etcdstore_test

import (
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

// TestLateRenewalUndoesNoLaterOne: a renewal that was on its way for long hangs the term on
// an etcd lease that is nearly over, so it counts only while none was made after it. One that
// this client knows nothing of, as after a lost answer, costs a renewal a reading.
func TestLateRenewalUndoesNoLaterOne(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s, other := open(t, client, nil), open(t, client, nil)
	term := acquire(t, s, request("job", time.Minute))
	renew := func(s *etcdstore.Store) {
		t.Helper()
		if _, err := s.Renew(t.Context(), term, time.Minute); err != nil {
			t.Error(err)
		}
	}
	for _, by := range []*etcdstore.Store{s, other} {
		if made, err := s.RenewLate(t.Context(), term, 10*time.Second, func() { renew(by) }); made || err != nil {
			t.Errorf("it was made: %t, %v", made, err)
		}
		renew(s)
	}
	release(t, s, term)
}
