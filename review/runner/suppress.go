package runner

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/rule"
)

// Suppression is the rule by which a suppression itself is found: one without a
// reason, or, if everything is shown, one that suppresses nothing.
var Suppression = &rule.Rule{Name: "suppression", Summary: "a suppression without a reason, or of nothing"}

var ignore = regexp.MustCompile(`^\W*ringfence:ignore\s+([\w,-]+)(?:\s+because\s+(\S.*))?`)

// suppression is a comment that keeps a rule quiet for a line.
type suppression struct {
	file   *ir.File
	path   string
	pos    ir.Pos
	lines  [2]int // the line of the comment, and the next line of code if it stands alone
	rules  []string
	reason string
	used   bool
}

type suppressions []*suppression

func (r *run) suppressions(files []*ir.File) (list suppressions) {
	for _, f := range files {
		for _, c := range f.Comments {
			if m := ignore.FindStringSubmatch(c.Text); m != nil {
				list = append(list, r.suppression(f, c, m))
			}
		}
	}
	return list
}

func (r *run) suppression(f *ir.File, c ir.Comment, m []string) *suppression {
	line, column := f.Position(c.Pos)
	s := &suppression{file: f, path: r.relative(f.Path), pos: c.Pos, rules: strings.Split(m[1], ","), reason: strings.Trim(m[2], " */-")}
	s.lines = [2]int{line, line}
	if strings.TrimSpace(f.Line(line)[:min(column-1, len(f.Line(line)))]) == "" {
		for next := line + 1; next < line+10; next++ {
			if text := strings.TrimSpace(f.Line(next)); text != "" && !isComment(text) {
				s.lines[1] = next
				break
			}
		}
	}
	return s
}

func isComment(text string) bool {
	for _, mark := range []string{"//", "#", "--", "*", "/*"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// covers reports whether a finding is suppressed with a reason.
func (l suppressions) covers(f Finding) (covered bool) {
	for _, s := range l {
		if s.path != f.Path || f.Line != s.lines[0] && f.Line != s.lines[1] || !s.names(f.Rule) {
			continue
		}
		s.used = true
		covered = covered || s.reason != ""
	}
	return covered
}

func (s *suppression) names(r *rule.Rule) bool {
	for _, name := range s.rules {
		if name == r.Name || name == strconv.Itoa(r.Number) || name == "all" {
			return true
		}
	}
	return false
}

// faults are the suppressions that are wrong themselves.
func (l suppressions) faults(r *run) (list []Finding) {
	for _, s := range l {
		f := rule.Finding{Rule: Suppression, File: s.file, Pos: s.pos, Severity: rule.Warning, Confidence: rule.Certain}
		switch {
		case s.reason == "":
			f.Message = "this suppression gives no reason, and does not count"
			f.Fix = "write ringfence:ignore " + strings.Join(s.rules, ",") + " because ..."
		case !s.used && r.Strict && r.changed == nil:
			f.Message = "this suppresses nothing"
			f.Fix = "remove it"
		default:
			continue
		}
		if placed := r.place(f); r.changed == nil || r.changed[placed.Path].has(placed.Line) {
			list = append(list, placed)
		}
	}
	return list
}

// Suppressed reports whether a finding is suppressed with a reason in its own file.
func Suppressed(f rule.Finding) bool {
	r := &run{}
	placed := r.place(f)
	return r.suppressions([]*ir.File{f.File}).covers(placed)
}
