package script

import (
	"fmt"
	"strings"
)

// EndedError says that the script ended the transaction itself, by COMMIT, ROLLBACK or
// a statement that commits.
type EndedError struct {
	// Applied means that the database may have kept what the script did.
	Applied bool
}

func (e *EndedError) Error() string {
	const what = "the script ended the transaction itself, by COMMIT, ROLLBACK or a statement that commits; leave that out: ringfence commits, when all is done"
	if e.Applied {
		return what + ". What it did before a commit of its own is applied, and what it did after that, without the fence: look at what it wrote"
	}
	return what + ". Nothing is applied"
}

// StatementError is the database's refusal of a statement. The transaction is rolled back.
type StatementError struct {
	Line int // of the script, from 1; 0 where the database does not say
	Err  error
}

func (e *StatementError) Error() string {
	s := "the script failed"
	if e.Line > 0 {
		s += fmt.Sprintf(" at line %d", e.Line)
	}
	return s + ", and nothing is applied: " + e.Err.Error()
}

// Unwrap leads to the database's own error.
func (e *StatementError) Unwrap() error { return e.Err }

// lineAt is the line of the n-th character of text, from 1, and 0 where n is none.
func lineAt(text string, n int) int {
	if n < 1 {
		return 0
	}
	runes := []rune(text)
	return 1 + strings.Count(string(runes[:min(n-1, len(runes))]), "\n")
}
