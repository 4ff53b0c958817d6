//go:build linux || darwin

package child

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
)

// Command is what to run. The files are handed to it as they are: no pipe and no
// copy lies between, so nothing is buffered, and an orphan that keeps one open
// holds nobody up.
type Command struct {
	// Args is the program and its arguments. A program without a slash is looked
	// up in PATH, also in a relative folder of it, as execvp does.
	Args []string
	// Env is the whole environment, as [Env] makes it. Nil is an empty one.
	Env []string
	// Stdin, Stdout and Stderr default to those of this process.
	Stdin, Stdout, Stderr *os.File
	// Isolate runs the command in a PID namespace of its own, from which no process
	// gets away, whatever becomes of this one. [CanIsolate] reports where it can't be had.
	Isolate bool
}

// Process is a running command with its descendants. Its methods are called from
// one goroutine.
type Process struct {
	pid      int
	others   map[identity]bool // descendants of this process from before the start
	terminal *terminal         // nil without a controlling terminal
	signals  chan os.Signal    // to be passed on
	orphans  chan os.Signal    // SIGCHLD: there may be an orphan to reap
	halts    chan syscall.Signal
	exited   chan struct{}
	status   syscall.WaitStatus
	reaped   bool
	init     *isolation // nil unless it is isolated
}

// ErrBusy is returned by [Start] while another tree is supervised.
var ErrBusy = errors.New("another command is still supervised by this process")

var busy atomic.Bool

// Start starts the command; [Process.Wait] must follow. Its error is a
// [*StartError], which knows the exit status that a shell would give.
func Start(c Command) (*Process, error) {
	path, err := find(c.Args)
	if err != nil {
		return nil, err
	}
	if !busy.CompareAndSwap(false, true) {
		return nil, &StartError{c.Args[0], ExitFailed, ErrBusy}
	}
	p, err := prepare()
	if err == nil {
		err = p.launch(path, c)
	}
	if err != nil {
		busy.Store(false)
		return nil, startError(c.Args[0], err)
	}
	return p, nil
}

func prepare() (*Process, error) {
	all, err := processes()
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	if err := adoptOrphans(); err != nil {
		return nil, fmt.Errorf("become the reaper of orphans: %w", err)
	}
	p := &Process{
		others:   map[identity]bool{},
		terminal: openTerminal(all),
		signals:  make(chan os.Signal, 64),
		orphans:  make(chan os.Signal, 1),
		halts:    make(chan syscall.Signal, 1),
		exited:   make(chan struct{}),
	}
	for _, m := range p.members(all) {
		p.others[m.identity] = true
	}
	return p, nil
}

// launch forks. Signals are caught from before the fork on, so that none can end
// this process and leave the command behind.
func (p *Process) launch(path string, c Command) error {
	p.catchSignals()
	started := make(chan error)
	go p.live(path, c, started)
	if err := <-started; err != nil {
		p.close()
		return err
	}
	p.terminal.start(p.pid)
	return nil
}

// live starts the command and returns when it has died. It keeps its thread all
// that time: Linux sends the parent-death signal when the thread ends that forked.
func (p *Process) live(path string, c Command, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	proc, err := p.fork(path, c)
	if err != nil {
		started <- err
		return
	}
	p.pid = proc.Pid
	_ = proc.Release() // it is waited for by its number, which stays taken until then
	started <- nil
	p.watchCommand()
	close(p.exited)
}

func (p *Process) fork(path string, c Command) (*os.Process, error) {
	a := &os.ProcAttr{
		Env:   append([]string{}, c.Env...), // nil would inherit everything
		Files: []*os.File{or(c.Stdin, os.Stdin), or(c.Stdout, os.Stdout), or(c.Stderr, os.Stderr)},
		Sys:   attributes(),
	}
	if c.Isolate {
		return p.forkIsolated(path, c, a)
	}
	return os.StartProcess(path, c.Args, a)
}

func (p *Process) close() {
	signal.Stop(p.signals)
	signal.Stop(p.orphans)
	p.terminal.close()
}

func or(f, other *os.File) *os.File {
	if f != nil {
		return f
	}
	return other
}
