package stores

import (
	"context"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/kindtest"
)

// composed is why the kinds are not played on every store.
const composed = "Each kind is composed of ordinary leases: it is played on four stores that differ, and those who keep the contract of leases keep this one."

// kinds: what is composed of leases keeps its own clauses.
func kinds(t *testing.T, at *site) string {
	target := kindtest.Target{Open: func(context.Context) (driver.Store, error) { return at.opens(t, at.addr) }}
	for _, c := range kindtest.Clauses() {
		t.Run(c.ID+"_"+c.Name, func(t *testing.T) { c.Run(t, target) })
	}
	return ""
}
