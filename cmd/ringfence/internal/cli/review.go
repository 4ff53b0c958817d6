package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
)

// reviewer is the program that reviews: one of its own, so that this one links none
// of its parsers.
const reviewer = "ringfence-review"

// exitUnviewed is the reviewer's own status for what it could not review.
const exitUnviewed = 2

func (a *app) reviewCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "review [PATH...]",
		Short: "Find unsafe locks in source code",
		Long: `Find locks in source code that let two holders work at once: Go, Python, JavaScript,
TypeScript, Java, Ruby, PHP, Lua, shell and SQL. It never runs, imports or downloads
what it reviews.

  ringfence review                   the current folder
  ringfence review --diff main       only lines that changed since main
  ringfence review rules fail-open   what a rule finds, and why
  ringfence review --help            every flag

The work is done by ` + reviewer + `, which is looked for beside this program and in
PATH, and gets all arguments.

Exit status: 0 clean, 1 findings, 2 something could not be reviewed.`,
		DisableFlagParsing: true, // they are the reviewer's
		RunE: func(c *cobra.Command, args []string) error {
			program, err := findReviewer()
			if errors.Is(err, exec.ErrNotFound) && len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return c.Help()
			}
			if err != nil {
				return &exitError{exitUnviewed, err}
			}
			err = syscall.Exec(program, append([]string{reviewer}, args...), os.Environ())
			return &exitError{exitUnviewed, fmt.Errorf("start %s: %w; check its permissions", program, err)}
		},
	}
}

// findReviewer looks for the reviewer beside this program, then in PATH.
func findReviewer() (string, error) {
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if program, err := exec.LookPath(filepath.Join(filepath.Dir(self), reviewer)); err == nil {
			return program, nil
		}
	}
	program, err := exec.LookPath(reviewer)
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%[2]s is neither beside this program nor in PATH (%[1]w); install it with go install github.com/ringfence-go/ringfence/review/cmd/%[2]s@latest, or in a clone of Ringfence with go build -o bin/ ./review/cmd/%[2]s", err, reviewer)
	}
	return program, err
}
