// Package transactionclock finds expiries that are judged by the time at which a
// transaction began.
package transactionclock

import (
	_ "embed"
	"strings"

	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "transaction-clock", Number: 17, Doc: doc, Check: check,
	Summary: "a transaction-start clock, now(), judges the expiry",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		if l.Family != lock.Table {
			continue
		}
		for _, o := range l.Own(lock.Acquire, lock.Renew, lock.Read, lock.Put) {
			if o.SQL == nil || !judges(o) || !postgres(o.SQL.Text) || !o.InTransaction() {
				continue
			}
			p.Report(o.Site, rule.Likely, rule.Worst(p.Unit, l), "use clock_timestamp() or statement_timestamp(), or run the statement in a transaction of its own",
				"in PostgreSQL now() is when the transaction began: if this statement waited for a row or came late, the end of %s is judged by a time long past", l.Name())
		}
	}
}

// judges reports whether the statement compares or sets an expiry with now().
func judges(o *lock.Op) bool {
	test, ok := o.SQL.Test(o.IsExpiry)
	clock := strings.ReplaceAll(test.Value, " ", "")
	return ok && (strings.Contains(clock, "now(") || strings.Contains(clock, "current_timestamp") || strings.Contains(clock, "transaction_timestamp"))
}

// postgres reports whether a statement is written for PostgreSQL, the only one of the
// common databases whose now() stands still in a transaction.
func postgres(text string) bool {
	for _, sign := range []string{"$1", "$2", "::", "on conflict", "returning", "interval '", "for update"} {
		if strings.Contains(strings.ToLower(text), sign) {
			return true
		}
	}
	return false
}
