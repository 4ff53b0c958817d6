package casstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/casstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func examine(t *testing.T, b casstore.Bucket) []driver.Finding {
	t.Helper()
	all, err := casstore.Examine(t.Context(), b, "memory", nil)
	return storetest.Findings(t, all, err)
}

func TestExamineGoodBucket(t *testing.T) {
	t.Parallel()
	m := newMemory(time.Second)
	all := examine(t, m)
	storetest.WantFit(t, all)
	storetest.WantFinding(t, all, "identity", driver.Fit, "no store yet")
	s := m.open(t, casstore.Options{})
	take(t, s, "a", time.Minute)
	storetest.WantFinding(t, examine(t, m), "identity", driver.Fit, "floor")
	m.remove("store")
	take(t, s, "b", time.Minute)
	storetest.WantFinding(t, examine(t, m), "identity", driver.Warning, "ringfence recover")
}

func TestExamineFindsFaults(t *testing.T) {
	t.Parallel()
	no := func(kind error) error { return &driver.Fault{Kind: kind, Err: errors.New("denied"), Hint: "allow it"} }
	for _, c := range []struct {
		subject string
		grade   driver.Grade
		words   string
		spoil   func(*memory) casstore.Bucket
	}{
		{"conditional writes", driver.Unfit, "no value", func(m *memory) casstore.Bucket {
			m.ignore = func(version string) bool { return version == "" }
			return m
		}},
		{"conditional writes", driver.Unfit, "granted twice", func(m *memory) casstore.Bucket {
			m.ignore = func(version string) bool { return version != "" }
			return m
		}},
		{"time of a write", driver.Unfit, "another clock", func(m *memory) casstore.Bucket { m.ahead = time.Hour; return m }},
		{"clock", driver.Warning, "which of the two", func(m *memory) casstore.Bucket {
			m.now = func() time.Time { return time.Now().Add(-2 * time.Hour) }
			return m
		}},
		{"reading and writing", driver.Unfit, "allow it", func(m *memory) casstore.Bucket {
			m.before = func(string) error { return no(driver.ErrUnfit) }
			return m
		}},
		{"reading and writing", driver.Unfit, "allow it", func(m *memory) casstore.Bucket { return deaf{m, no(driver.ErrUnfit)} }},
		{"listing", driver.Warning, "leases work", func(m *memory) casstore.Bucket { return listless{m, no(driver.ErrUnfit)} }},
		{"listing", driver.Warning, "no order", func(m *memory) casstore.Bucket { return listless{m, nil} }},
		{"identity", driver.Unfit, "not one of Ringfence", func(m *memory) casstore.Bucket {
			m.values["store"] = casstore.Object{Version: "7", Data: []byte("mine"), Wrote: m.now()}
			return m
		}},
	} {
		m := newMemory(time.Second)
		storetest.WantFinding(t, examine(t, c.spoil(m)), c.subject, c.grade, c.words)
	}
	_, err := casstore.Examine(t.Context(), deaf{newMemory(time.Second), errLost}, "memory", nil)
	wantError(t, err, driver.ErrUnavailable, "lost")
}

// deaf is a bucket that nobody may read.
type deaf struct {
	*memory
	err error
}

func (d deaf) Get(context.Context, string) (casstore.Object, error) { return casstore.Object{}, d.err }

// listless is a bucket that lists nothing, or as it likes.
type listless struct {
	*memory
	err error
}

func (l listless) List(context.Context, string, string, int) ([]string, bool, error) {
	return []string{"z", "y"}, false, l.err
}
