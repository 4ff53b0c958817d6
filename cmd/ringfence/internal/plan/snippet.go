package plan

import (
	"embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"
	"time"
)

// A snippet is the body of a function that returns an error. The file of a destination
// defines the pieces of it: new, establish, resource and write; that of a goal puts
// them together.
//
//go:embed snippet/*.tmpl
var snippetFiles embed.FS

var snippets = template.Must(template.New("").ParseFS(snippetFiles, "snippet/*.tmpl"))

// piece is what the templates are filled with. Texts are Go expressions.
type piece struct {
	Name, Tag             string
	Timeout, Grace, Lease string
	Rule, Dialect         string
	Param                 []string // the parameters of a statement, in order
	Once, Leads           bool
	Kind                  string

	New, Establish, Resource, Write string
}

// snippet is the Go code of the answer.
func (q Question) snippet(d destination, t duration) string {
	p := piece{
		Name: fmt.Sprintf("%q", q.Name), Tag: fmt.Sprintf("%q", "{"+q.Name+"}:"),
		Timeout: goDuration(q.Timeout), Grace: goDuration(t.grace), Lease: goDuration(t.lease),
		Rule: "guard." + ruleNames[q.Goal], Dialect: "sqlguard." + d.name, Param: []string{"?", "?", "?"},
		Once: q.Goal == Once, Leads: q.Goal == Leader, Kind: d.code,
	}
	if d.name == "PostgreSQL" {
		p.Dialect, p.Param = "sqlguard.Postgres", []string{"$1", "$2", "$3"}
	}
	frame := string(q.Goal)
	switch {
	case q.Goal == CAS:
		frame += " " + d.code
	case d.abroad():
		frame = "abroad"
	default:
		p.New, p.Establish, p.Resource = p.fill(d.code+" new"), p.fill(d.code+" establish"), p.fill(d.code+" resource")
		p.Write = p.fill(d.code + " write")
	}
	return gofmt(p.fill(frame))
}

var ruleNames = map[Goal]string{Once: "Once", Sequence: "Sequenced", Leader: "Latest"}

// fill executes a template that is known to be there.
func (p piece) fill(name string) string {
	var b strings.Builder
	if err := snippets.ExecuteTemplate(&b, name, p); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// gofmt formats the body of a function.
func gofmt(body string) string {
	formatted, err := format.Source([]byte(body))
	if err != nil {
		panic(fmt.Sprintf("%v in:\n%s", err, body))
	}
	return strings.TrimSpace(string(formatted))
}

// goDuration is d as people write it in Go.
func goDuration(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d >= unit.of && d%unit.of == 0 {
			return fmt.Sprintf("%d * time.%s", d/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}
