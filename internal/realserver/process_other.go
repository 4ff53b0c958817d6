//go:build !unix

package realserver

import (
	"os/exec"
	"syscall"
)

// Elsewhere than on Unix no server is started: every test that asks for one is
// skipped when it asks for an account, and nothing else here is reached.

const (
	sigFast      = syscall.SIGINT
	sigImmediate = syscall.SIGQUIT
	sigKill      = syscall.SIGKILL
	sigPause     = syscall.Signal(0)
	sigResume    = syscall.Signal(0)
)

type account struct{}

func serverAccount() (*account, error)    { return nil, errUnsupported }
func (*account) own(string) error         { return errUnsupported }
func (*account) run(*exec.Cmd)            {}
func ownGroup(*exec.Cmd)                  {}
func signal(syscall.Signal, ...int) error { return errUnsupported }
func stopped(int) bool                    { return true }
func gone(int) bool                       { return true }
func children(int) ([]int, error)         { return nil, errUnsupported }
