// Package unfencedwrite finds writes under a lock that carry no fence.
package unfencedwrite

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
	Name: "unfenced-write", Number: 4, Doc: doc, Check: check,
	Summary: "a write under a lock that carries no fence",
}

// most is how many writes of one section are worth a line each.
const most = 5

func check(p *rule.Pass) {
	for _, s := range p.Sections {
		if s.Lock.Leader {
			continue
		}
		n := 0
		for _, e := range s.Effects() {
			if e.Kind != lock.Write || e.Fenced || sameSession(s, e) {
				continue
			}
			if n++; n > most {
				break
			}
			report(p, s, e)
		}
	}
}

func report(p *rule.Pass, s *lock.Section, e *lock.Effect) {
	c := rule.Likely
	if e.Guarded {
		c = rule.Possible // a version or a state in the condition may be enough
	}
	f := p.Report(e.Site, c, rule.Warning,
		"let the store hand out a number that rises with every grant, write it with the row, and put fence <= ? into the condition of this write",
		"a holder that was paused until %s had run out still makes this %s, over what the next holder has written", s.Lock.Name(), e.What)
	if s.Acquire.File() == e.In.File {
		f.Related = append(f.Related, rule.Related{Pos: s.Acquire.Pos(), Text: "the lock is taken here"})
	}
}

// sameSession reports whether a write goes over the session that the lock lives in:
// when that ends, the write fails too.
func sameSession(s *lock.Section, e *lock.Effect) bool {
	if s.Lock.Family == lock.Advisory && e.In.File.Language == ir.SQL {
		return true
	}
	return s.Lock.Family == lock.Advisory && s.Acquire.SameConnection(e.Query, e.In) && !lock.Pooled(s.Acquire)
}
