package redisstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// Many renewals are a few scripts, counted by the server.
func TestRenewAllTakesFewScripts(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	var all []driver.Renewal
	for i := range 300 {
		all = append(all, driver.Renewal{Term: take(t, s, name(i)), TTL: time.Hour})
	}
	server.Exec("CONFIG", "RESETSTAT")
	for i, r := range s.RenewAll(t.Context(), all) {
		if r.Err != nil || r.Term.Token != all[i].Term.Token || r.Term.Remaining < 59*time.Minute {
			t.Fatalf("renewal %d: %+v, %v", i, r.Term, r.Err)
		}
	}
	if stats := server.Exec("INFO", "commandstats"); !strings.Contains(stats, "cmdstat_evalsha:calls=3,") {
		t.Errorf("want 3 scripts for 300 renewals:\n%s", stats)
	}
}

// A step that fails leaves those that go with it alone.
func TestBadRecordSpoilsNoOther(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	var all []driver.Renewal
	for i := range 3 {
		all = append(all, driver.Renewal{Term: take(t, s, name(i)), TTL: time.Hour})
	}
	server.Exec("SET", "{ringfence}:lease:"+name(1), "something else")
	got := s.RenewAll(t.Context(), all)
	wantError(t, got[1].Err, driver.ErrUnfit, "another Prefix")
	for _, i := range []int{0, 2} {
		if got[i].Err != nil || got[i].Term.Remaining < 59*time.Minute {
			t.Errorf("renewal %d: %+v, %v", i, got[i].Term, got[i].Err)
		}
	}
}
