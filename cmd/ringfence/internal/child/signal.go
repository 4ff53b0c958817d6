//go:build linux || darwin

package child

import (
	"os"
	"os/signal"
	"syscall"
)

// passedOn are the signals that the command gets when this process does. When it
// has the terminal, the keyboard's signals and WINCH reach its group, and not
// this process, so none comes twice.
var passedOn = []os.Signal{
	syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGINT,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT,
}

// catchSignals leaves alone what is ignored, as under nohup: the command
// inherits that.
func (p *Process) catchSignals() {
	for _, s := range passedOn {
		if !signal.Ignored(s) {
			signal.Notify(p.signals, s)
		}
	}
	signal.Notify(p.orphans, syscall.SIGCHLD)
}

func (p *Process) forward(s syscall.Signal) { p.signalGroup(s) }

// resume answers a stop of the command by the terminal. One that wants to read
// gets the terminal if it is ours to give. One that was suspended from the
// keyboard goes on: its lease would not wait for it. A stop that someone sent on
// purpose stays.
func (p *Process) resume(s syscall.Signal) {
	switch s {
	case syscall.SIGTTIN, syscall.SIGTTOU:
		if p.terminal.give(p.pid) {
			p.signalGroup(syscall.SIGCONT)
		}
	case syscall.SIGTSTP:
		if p.terminal.holder() == p.pid {
			p.signalGroup(syscall.SIGCONT)
		}
	}
}
