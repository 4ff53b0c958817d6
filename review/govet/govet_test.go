package govet

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/review/rules"
	"github.com/ringfence-go/ringfence/review/runner"
)

// job needs types: what db is can be told by its package only.
var job = map[string]string{
	"go.mod": "module example.test/job\n\ngo 1.26\n",
	"store/store.go": `package store

import "database/sql"

func Handle() *sql.DB { return nil }
`,
	"job.go": `package job

import "example.test/job/store"

var db = store.Handle()

func Run() error {
	if _, err := db.Exec("SELECT pg_advisory_lock(1)"); err != nil {
		return err
	}
	_, err := db.Exec("SELECT pg_advisory_unlock(1)")
	return err
}
`,
	"guard/guard.go": `package guard

import "database/sql"

func Alone(conn *sql.Conn, work func() error) error {
	if _, err := conn.ExecContext(nil, "SELECT pg_advisory_lock(2)"); err != nil {
		return err
	}
	defer conn.ExecContext(nil, "SELECT pg_advisory_unlock(2)")
	return work()
}
`,
	"price/price.go": `package price

import (
	"database/sql"

	"example.test/job/guard"
)

func Reset(conn *sql.Conn, db *sql.DB) error {
	return guard.Alone(conn, func() error {
		_, err := db.Exec("UPDATE prices SET cents = 0")
		return err
	})
}
`,
	"broken/broken.go": "package broken\n\nimport \"example.test/absent\"\n\nvar lock = absent.Lock\n",
}

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func has(r *runner.Result, rule string) bool {
	for _, f := range r.Findings {
		if f.Rule.Name == rule {
			return true
		}
	}
	return false
}

func TestTypesAreUsed(t *testing.T) {
	t.Parallel()
	dir := tree(t, job)
	options := &runner.Options{Dir: dir, Rules: rules.All, Typed: Load}
	typed, err := runner.Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if !has(typed, "pooled-session-lock") {
		t.Errorf("found %v; notes %v", typed.Findings, typed.Notes)
	}
	said := false
	for _, n := range typed.Notes {
		said = said || n.Path == "broken" && strings.HasPrefix(n.Reason, "reviewed by syntax: it does not type-check here: broken.go:3: could not import example.test/absent")
	}
	if !said {
		t.Errorf("a package that does not type-check is not named: %v", typed.Notes)
	}
	options.Typed = nil
	syntax, err := runner.Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if has(syntax, "pooled-session-lock") {
		t.Error("the case does not need types")
	}
}

func TestVettool(t *testing.T) {
	t.Parallel()
	tool := filepath.Join(t.TempDir(), "review.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "../cmd/ringfence-review")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := vet(t.Context(), tree(t, job), tool)
	if err == nil {
		t.Error("go vet found nothing")
	}
	for _, want := range []string{"job.go:8:18: ", "[pooled-session-lock]", "price/price.go:11:16: ", "update of prices, over what the next holder has written [unfenced-write]"} {
		if !strings.Contains(filepath.ToSlash(out), want) {
			t.Errorf("go vet does not say %q:\n%s", want, out)
		}
	}
}

func vet(ctx context.Context, dir, tool string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "vet", "-vettool="+tool, ".", "./price")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
