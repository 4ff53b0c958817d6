package storetest

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
)

// TestContractIsWritten keeps docs/contract.md and the suite to one list.
func TestContractIsWritten(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	var written, tested []string
	for _, heading := range regexp.MustCompile(`(?m)^### (C.*?)\r?$`).FindAllSubmatch(page, -1) {
		written = append(written, string(heading[1]))
	}
	for _, c := range Clauses() {
		tested = append(tested, c.ID+" "+strings.ReplaceAll(c.Name, "_", " "))
	}
	if !slices.Equal(written, tested) {
		t.Errorf("docs/contract.md has\n%s\nthe suite has\n%s", strings.Join(written, "\n"), strings.Join(tested, "\n"))
	}
	if !slices.IsSorted(tested) || len(slices.Compact(tested)) != len(clauses) {
		t.Errorf("clauses out of order or twice: %q", tested)
	}
}

func TestCheckReportsEveryClause(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	results := Check(t.Context(), Target{Open: func(context.Context) (driver.Store, error) { return nil, refused }})
	if len(results) != len(clauses) {
		t.Fatalf("%d results for %d clauses", len(results), len(clauses))
	}
	for i, r := range results {
		if r.ID != clauses[i].ID || len(r.Failures) != 1 || !strings.Contains(r.Failures[0], refused.Error()) {
			t.Errorf("result %d is %s %q; want %s to fail for that the store can't be opened", i, r.ID, r.Failures, clauses[i].ID)
		}
	}
}

func TestCheckSurvivesAPanic(t *testing.T) {
	t.Parallel()
	cleaned := false
	r := check(t.Context(), Clause{ID: "C00", test: func(e *env) { panic("of a store") }}, Target{
		Open: func(context.Context) (driver.Store, error) { return closing{closed: &cleaned}, nil },
	})
	if len(r.Failures) != 1 || !strings.Contains(r.Failures[0], "of a store") || !cleaned {
		t.Errorf("failures %q, client closed: %t; want the panic reported and the client closed", r.Failures, cleaned)
	}
}

// closing is a store that only notes that it was closed.
type closing struct {
	driver.Store
	closed *bool
}

func (c closing) Properties() driver.Properties { return driver.Properties{} }

func (c closing) Close() error {
	*c.closed = true
	return nil
}
