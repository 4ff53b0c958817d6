package etcdstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// Many renewals are a few transactions: each makes one revision of the cluster.
func TestRenewAllTakesFewTransactions(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	var all []driver.Renewal
	for i := range 250 {
		all = append(all, driver.Renewal{Term: acquire(t, s, request(fmt.Sprint("n", i), time.Minute)), TTL: time.Hour})
	}
	before := revision(t, client)
	for i, r := range s.RenewAll(t.Context(), all) {
		if r.Err != nil || r.Term.Token != all[i].Term.Token || r.Term.Remaining < 59*time.Minute {
			t.Fatalf("renewal %d: %+v, %v", i, r.Term, r.Err)
		}
	}
	if n := revision(t, client) - before; n > 50 {
		t.Errorf("%d transactions for 250 renewals; want about 5", n)
	}
}
