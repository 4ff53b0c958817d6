//go:build linux || darwin

package child

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminal is the controlling terminal. A nil terminal is none, and every method
// does nothing.
type terminal struct {
	file *os.File
	// shared: others are in our group, a script or the rest of a pipeline. They
	// keep the terminal, and its ctrl-C, until the command wants to read from it.
	shared bool
	given  bool
}

func openTerminal(all []process) *terminal {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	t := &terminal{file: os.NewFile(uintptr(fd), "/dev/tty")}
	for _, q := range all {
		t.shared = t.shared || q.group == syscall.Getpgrp() && q.pid != os.Getpid()
	}
	return t
}

// holder is the group in the foreground, or 0.
func (t *terminal) holder() int {
	if t == nil {
		return 0
	}
	group, err := unix.IoctlGetInt(int(t.file.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

// start gives the new group the terminal if nobody else needs it. From now on
// this process may be in the background, where it must neither be stopped for
// writing a line nor for taking the terminal back; TTOU is ignored after the
// fork, so that the command doesn't inherit that.
func (t *terminal) start(group int) {
	if t == nil {
		return
	}
	signal.Ignore(syscall.SIGTTOU)
	if seesStops {
		if !t.shared {
			t.give(group)
		}
		return
	}
	if t.give(group) {
		_ = syscall.Kill(-group, syscall.SIGCONT) // it may have been stopped for reading already
	}
}

// give reports whether the group has the terminal now. It is given only by those
// who have it: a job in the background takes nothing.
func (t *terminal) give(group int) bool {
	holder := t.holder()
	if holder != 0 && holder == syscall.Getpgrp() {
		t.given = true
		return unix.IoctlSetPointerInt(int(t.file.Fd()), unix.TIOCSPGRP, group) == nil
	}
	return holder == group
}

func (t *terminal) close() {
	if t == nil {
		return
	}
	if t.given {
		_ = unix.IoctlSetPointerInt(int(t.file.Fd()), unix.TIOCSPGRP, syscall.Getpgrp())
	}
	signal.Reset(syscall.SIGTTOU)
	_ = t.file.Close()
}
