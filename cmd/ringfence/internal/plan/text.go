package plan

import (
	"fmt"
	"io"
	"strings"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/timeline"
	"github.com/ringfence-go/ringfence/fence"
)

// Write writes the answer for people. What is there to be copied is never broken into
// lines that fit.
func (a Answer) Write(w io.Writer, p timeline.Page) error {
	var b strings.Builder
	p.Paragraph(&b, "", fmt.Sprintf("%s, %s, to %s: take %s.", fence.Quote(a.Name), a.Goal, a.to, a.Take))
	b.WriteString("\n")
	lease := a.Why
	if a.lease != "" {
		lease = a.lease + ": " + a.Why
	}
	p.Paragraph(&b, "Lease  ", lease)
	p.Paragraph(&b, "Check  ", a.Check)
	for _, open := range a.Open {
		p.Paragraph(&b, "Open   ", open)
	}
	code(&b, "Command; ./job and addresses are yours", a.Command)
	code(&b, "Each write of ./job", a.Within)
	code(&b, "Go, as the body of a function; what it does not declare is yours", a.Snippet)
	fmt.Fprintf(&b, "\nMore: %s\n", a.Page)
	_, err := io.WriteString(w, b.String())
	return err
}

func code(b *strings.Builder, title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for line := range strings.Lines(strings.ReplaceAll(text, "\t", "    ") + "\n") {
		if line = strings.TrimRight(line, "\n"); line != "" {
			line = "    " + line
		}
		fmt.Fprintln(b, line)
	}
}
