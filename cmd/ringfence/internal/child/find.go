//go:build linux || darwin

package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The exit statuses of a command that did not start, as shells use them.
const (
	ExitFailed        = 125 // this process could not start anything: out of memory, say
	ExitNotExecutable = 126
	ExitNotFound      = 127
)

// StartError says why a command did not start.
type StartError struct {
	Program  string
	ExitCode int // one of the constants above
	Err      error
}

func (e *StartError) Error() string {
	switch e.ExitCode {
	case ExitNotFound:
		return fmt.Sprintf("command %q is not found: %v; check the spelling and PATH", e.Program, e.Err)
	case ExitNotExecutable:
		return fmt.Sprintf("command %q can't be executed: %v; check its permissions and, for a script, its first line (#!)", e.Program, e.Err)
	default:
		return fmt.Sprintf("command %q was not started: %v", e.Program, e.Err)
	}
}

func (e *StartError) Unwrap() error { return e.Err }

// startError sorts the errors of a file that was found. A file that isn't there
// now is one whose interpreter is missing.
func startError(program string, err error) error {
	notExecutable := []error{
		fs.ErrPermission, fs.ErrNotExist, syscall.ENOEXEC, syscall.ENOTDIR, syscall.EISDIR,
		syscall.E2BIG, syscall.ELOOP, syscall.ETXTBSY,
	}
	is := func(target error) bool { return errors.Is(err, target) }
	if slices.ContainsFunc(notExecutable, is) {
		return &StartError{program, ExitNotExecutable, err}
	}
	return &StartError{program, ExitFailed, err}
}

// find resolves the program. Like a shell, it tells a file that may not be
// executed from one that isn't there, also when PATH led to it.
func find(args []string) (string, error) {
	if len(args) == 0 || args[0] == "" {
		return "", &StartError{"", ExitNotFound, errors.New("no command is given")}
	}
	program := args[0]
	path, err := exec.LookPath(program)
	switch {
	case err == nil || errors.Is(err, exec.ErrDot):
		return path, nil
	case strings.Contains(program, "/") && !absent(err), inPath(program):
		return "", &StartError{program, ExitNotExecutable, syscall.EACCES}
	default:
		return "", &StartError{program, ExitNotFound, syscall.ENOENT}
	}
}

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func inPath(program string) bool {
	if strings.Contains(program, "/") {
		return false
	}
	holds := func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, program))
		return err == nil && !info.IsDir()
	}
	return slices.ContainsFunc(filepath.SplitList(os.Getenv("PATH")), holds)
}

// Find reports why args can't be started, as [Start] would, before anything else is done.
func Find(args []string) error {
	_, err := find(args)
	return err
}
