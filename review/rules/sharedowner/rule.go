// Package sharedowner finds owner values that two holders can have at once.
package sharedowner

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "shared-owner", Number: 19, Doc: doc, Check: check,
	Summary: "an owner value that two holders can share: a constant, a process id",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, o := range l.Own(lock.Acquire) {
			if o.Value == nil || l.Family == lock.Table {
				continue
			}
			what := shared(o)
			if what == "" {
				continue
			}
			c := rule.Possible // nobody compares it: the release is the fault
			if len(l.All(lock.GiveUp, lock.Renew)) > 0 || compared(l) {
				c = rule.Likely
			}
			p.Report(o.Site, c, rule.Worst(p.Unit, l), "use a value that is made for this one attempt: 16 random bytes",
				"%s is %s: a holder that lost %s passes for the one that has it now", "the owner", what, l.Name())
		}
	}
}

func compared(l *lock.Lock) bool {
	for _, o := range l.Own(lock.Release) {
		if o.ComparedBy() != nil {
			return true
		}
	}
	return false
}

func named(e *ir.Expr, words string) bool {
	return lock.HasWord(e.Method(), words) || (e.Kind == ir.Name || e.Kind == ir.Member) && lock.HasWord(e.Name, words)
}

// shared says what a value is that two holders can have, "" if it is none.
func shared(o *lock.Op) string {
	v := o.In.Resolve(o.Value)
	switch v.Kind {
	case ir.Number, ir.Const:
		return "the same for everybody"
	case ir.String:
		if len(v.Args) == 0 {
			return "the same for everybody"
		}
	}
	process := o.In.Comes(o.Value, func(e *ir.Expr) bool { return named(e, "pid getpid getmypid") || e.Name == "$" })
	host := o.In.Comes(o.Value, func(e *ir.Expr) bool { return named(e, "hostname gethostname") })
	_, random := v.In.Random(v.Expr)
	switch {
	case random != nil || process && host:
		return ""
	case process:
		return "a process id, which every container has again"
	case host:
		return "the name of the host, the same for all its processes and threads"
	}
	return ""
}
