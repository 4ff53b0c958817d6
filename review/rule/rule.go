// Package rule is the contract between the rules and what runs them.
package rule

import (
	"fmt"
	"sort"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lock"
)

// Severity says how bad it is when the fault strikes.
type Severity uint8

// The severities.
const (
	Note    Severity = iota + 1 // work is done twice
	Warning                     // a row is wrong
	Error                       // money, mail, a leader's write: nobody can take it back
)

func (s Severity) String() string {
	return [...]string{"", "note", "warning", "error"}[s]
}

// Confidence says how sure a rule is that the code does what it says.
type Confidence uint8

// The confidences. What is Possible is shown only to those who ask for it.
const (
	Possible Confidence = iota + 1
	Likely
	Certain
)

func (c Confidence) String() string {
	return [...]string{"", "possible", "likely", "certain"}[c]
}

// A Rule finds one kind of fault.
type Rule struct {
	Name    string // what goes wrong, in words with hyphens
	Number  int
	Summary string // one line
	Doc     string // Markdown: what goes wrong, before, after, the excuse and its answer
	Check   func(*Pass)
}

// Page is the page of a rule: its name, what it is about, its document.
func (r *Rule) Page() string {
	return fmt.Sprintf("# %d. %s\n\nFinds %s.\n\n%s", r.Number, r.Name, r.Summary, r.Doc)
}

// A Finding is a fault at a place.
type Finding struct {
	Rule       *Rule
	File       *ir.File
	Pos        ir.Pos
	Message    string // one sentence: what will go wrong in this code
	Fix        string // one sentence: what to do
	Severity   Severity
	Confidence Confidence
	Related    []Related
	Edit       *Edit
}

// A Related place helps to understand a finding.
type Related struct {
	Pos  ir.Pos
	Text string
}

// An Edit replaces a piece of the file, and cannot change what the program means
// except for the fault.
type Edit struct {
	From, To ir.Pos
	Text     string
}

// A Pass is one rule over one unit.
type Pass struct {
	*lock.Unit
	Rule     *Rule
	findings []Finding
}

// Run runs a rule over a unit. The findings come in the order of files and lines,
// one at a place.
func Run(r *Rule, u *lock.Unit) []Finding {
	p := &Pass{Unit: u, Rule: r}
	r.Check(p)
	sort.SliceStable(p.findings, func(i, j int) bool {
		a, b := p.findings[i], p.findings[j]
		if a.File != b.File {
			return a.File.Path < b.File.Path
		}
		if a.Pos != b.Pos {
			return a.Pos < b.Pos
		}
		return a.Confidence > b.Confidence
	})
	var out []Finding
	for _, f := range p.findings {
		if n := len(out); n == 0 || out[n-1].File != f.File || out[n-1].Pos != f.Pos {
			out = append(out, f)
		}
	}
	return out
}

// Report adds a finding at a call.
func (p *Pass) Report(s *lock.Site, c Confidence, severity Severity, fix, format string, args ...any) *Finding {
	return p.ReportAt(s.In.File, s.Pos(), c, severity, fix, format, args...)
}

// ReportAt adds a finding at a place. The finding may be completed through what is
// returned until the next one is added.
func (p *Pass) ReportAt(f *ir.File, pos ir.Pos, c Confidence, severity Severity, fix, format string, args ...any) *Finding {
	p.findings = append(p.findings, Finding{
		Rule: p.Rule, File: f, Pos: pos, Confidence: c, Severity: severity, Fix: fix, Message: fmt.Sprintf(format, args...),
	})
	return &p.findings[len(p.findings)-1]
}

// Worst is how bad it is that two work under a lock at once, by what they do.
func Worst(u *lock.Unit, l *lock.Lock) Severity {
	worst := Warning
	if l.Leader {
		worst = Error
	}
	seen, cache := false, true
	for _, s := range u.Sections {
		if s.Lock != l {
			continue
		}
		for _, e := range s.Effects() {
			seen = true
			cache = cache && e.Kind == lock.CacheFill
			if e.Grave {
				worst = Error
			}
		}
	}
	if seen && cache && worst == Warning {
		return Note
	}
	return worst
}
