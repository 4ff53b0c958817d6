// Package unitslip finds leases whose number and unit do not fit together.
package unitslip

import (
	_ "embed"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "unit-slip", Number: 20, Doc: doc, Check: check,
	Summary: "a unit that slips: 30 ms meant as 30 s",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, o := range l.Own(lock.Acquire, lock.Make, lock.Expire, lock.Renew) {
			if o.TTL.Expr == nil || !o.TTL.Set || o.SQL != nil {
				continue
			}
			if slip := slips(o); slip != "" {
				p.Report(o.Site, rule.Likely, rule.Worst(p.Unit, l), "write the unit beside the number, and the number that fits it", "%s", slip)
			}
		}
	}
}

// slips says what is wrong with a lease, "" if nothing is.
func slips(o *lock.Op) string {
	name := o.TTL.Expr.Path()
	switch {
	case o.TTL.Unit == time.Second && lock.HasWord(name, "ms millis milliseconds msec"):
		return name + " counts milliseconds and is taken for seconds here: the lock lasts a thousand times longer"
	case o.TTL.Unit == time.Millisecond && lock.HasWord(name, "sec secs seconds"):
		return name + " counts seconds and is taken for milliseconds here: the lock is gone almost at once"
	}
	v := o.In.Resolve(o.TTL.Expr)
	if v.Kind == ir.Call && v.X.Path() == "time.Duration" {
		v = v.In.Resolve(v.Arg(0)) // a conversion gives a number no unit
	}
	if v.Kind != ir.Number || o.TTL.Value == 0 {
		return ""
	}
	switch d := o.TTL.Value; {
	case o.TTL.Unit == time.Nanosecond && d < time.Millisecond:
		return "the number has no unit, so that the lock lasts " + d.String()
	case o.TTL.Unit == time.Millisecond && d < 100*time.Millisecond:
		return "the lock lasts " + d.String() + ", less than a round trip and a pause: seconds were meant"
	case o.TTL.Unit == time.Second && d >= 10000*time.Second && d%(1000*time.Second) == 0:
		return "the lock lasts " + d.String() + ": milliseconds were meant"
	}
	return ""
}
