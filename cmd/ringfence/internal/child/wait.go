//go:build linux || darwin

package child

import (
	"fmt"
	"syscall"
	"time"
)

// Limits say when the tree has to end. A nil channel never asks for it; the
// channels are the Done of contexts, such as [Until] makes.
type Limits struct {
	// Stop closes when the tree is to end by itself: it gets TERM and has Grace.
	Stop <-chan struct{}
	// Kill closes when the permission ends: whatever lives gets KILL, also within
	// the grace.
	Kill <-chan struct{}
	// Grace is the time from TERM to KILL. Zero is none: KILL follows at once.
	Grace time.Duration
}

// Result is how the tree ended.
type Result struct {
	// ExitCode is the command's own, 128+n when signal n ended it, or -1 when it
	// could not be ended (see Survivors).
	ExitCode int
	// Signal is what ended the command, or 0.
	Signal syscall.Signal
	// Stopped: the command was still running when Stop or Kill closed. Its exit
	// code may be 0 all the same.
	Stopped bool
	// Killed: something was left at the end of the grace, or when Kill closed,
	// and got KILL.
	Killed bool
	// Left is how many processes the command left behind when it ended by itself.
	// They were ended too.
	Left int
	// Survivors are the processes that even KILL did not end within 5 seconds:
	// they belong to another user, or hang inside the system.
	Survivors []int
	// Err is set when it isn't certain that nothing of the tree is left.
	Err error
}

// settle is how long KILL may take before a process counts as a survivor.
var settle = 5 * time.Second

// Wait returns when no process of the tree is left. The command may end by
// itself, and what it leaves behind is then ended like after Stop; or a limit is
// reached. Signals are passed on to the end.
func (p *Process) Wait(l Limits) Result {
	defer busy.Store(false)
	defer p.close()
	e := &ending{process: p, grace: l.Grace, asked: map[identity]bool{}}
	exited, stop, kill := p.exited, l.Stop, l.Kill
	for !e.over {
		select {
		case s := <-p.signals:
			p.forward(s.(syscall.Signal))
		case s := <-p.halts:
			p.resume(s)
		case <-p.orphans:
			e.reapSoon()
		case <-exited:
			exited = nil
			e.begin(false)
		case <-stop:
			stop = nil
			e.begin(p.running())
		case <-kill:
			kill = nil
			e.begin(p.running())
			e.kill()
		case <-e.graceEnd:
			e.kill()
		case <-e.giveUp:
			e.surrender()
		case <-e.next:
			e.step()
		}
	}
	return e.result
}

// running decides a tie in favour of the command: one that has ended when a
// limit is reached has ended by itself.
func (p *Process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

func (e *ending) surrender() {
	e.over = true
	for _, m := range e.alive {
		e.result.Survivors = append(e.result.Survivors, m.pid)
	}
	e.result.Err = fmt.Errorf("processes %v are not ended by KILL after %v: end them by hand before the work runs elsewhere",
		e.result.Survivors, settle)
	if e.err != nil {
		e.result.Err = fmt.Errorf("the processes could not be listed, some may be left: %w", e.err)
	}
	e.result.ExitCode = -1
	if !e.process.running() {
		e.process.reap()
		e.setStatus()
	}
}

func (e *ending) setStatus() {
	status := e.process.status
	e.result.ExitCode = status.ExitStatus()
	if status.Signaled() {
		e.result.Signal = status.Signal()
		e.result.ExitCode = 128 + int(status.Signal())
	}
}
