package child

import (
	"errors"
	"os"
)

var errNoNamespace = errors.New("PID namespaces are there on Linux only")

// CanIsolate reports why Command.Isolate does not work here.
func CanIsolate() error { return errNoNamespace }

// BeInit returns: there is no init to be.
func BeInit() {}

func (p *Process) forkIsolated(string, Command, *os.ProcAttr) (*os.Process, error) {
	return nil, errNoNamespace
}
