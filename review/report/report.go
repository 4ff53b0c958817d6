// Package report writes what a review found: for people, as JSON, and as SARIF.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/runner"
)

// Text writes findings for people, and what could not be reviewed.
func Text(w io.Writer, r *runner.Result) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", f.Path, f.Line, f.Column, f.Severity, f.Message, label(f))
		if f.Fix != "" {
			fmt.Fprintf(&b, "    fix: %s\n", f.Fix)
		}
		for _, rel := range f.Related {
			line, _ := f.File.Position(rel.Pos)
			fmt.Fprintf(&b, "    %s:%d: %s\n", f.Path, line, rel.Text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// label names the rule, and how sure it is if it is not.
func label(f runner.Finding) string {
	if f.Confidence == rule.Possible {
		return f.Rule.Name + ", possible"
	}
	return f.Rule.Name
}

// Summary is one line about the whole review.
func Summary(r *runner.Result) string {
	s := fmt.Sprintf("%s in %s, %s", count(len(r.Findings), "finding"), count(r.Files, "file"), count(r.Lines, "line"))
	if n := len(r.Problems); n > 0 {
		s += fmt.Sprintf("; %s could not be reviewed", count(n, "path"))
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

type jsonFinding struct {
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Column     int    `json:"column"`
	Rule       string `json:"rule"`
	Number     int    `json:"number"`
	Severity   string `json:"severity"`
	Message    string `json:"message"`
	Confidence string `json:"confidence"`
	Fix        string `json:"fix"`
}

type jsonProblem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// JSON writes findings as one object.
func JSON(w io.Writer, r *runner.Result) error {
	out := struct {
		Findings    []jsonFinding `json:"findings"`
		NotReviewed []jsonProblem `json:"not_reviewed"`
		Notes       []jsonProblem `json:"notes"`
	}{[]jsonFinding{}, problems(r.Problems), problems(r.Notes)}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, jsonFinding{f.Path, f.Line, f.Column, f.Rule.Name, f.Rule.Number, f.Severity.String(), f.Message, f.Confidence.String(), f.Fix})
	}
	return encode(w, out)
}

func problems(list []runner.Problem) []jsonProblem {
	out := []jsonProblem{}
	for _, p := range list {
		out = append(out, jsonProblem{p.Path, p.Reason})
	}
	return out
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
