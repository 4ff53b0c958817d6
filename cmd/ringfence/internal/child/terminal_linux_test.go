package child

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// startOnTerminal runs argv as the leader of a session on a new terminal, whose
// keyboard and screen it returns.
func startOnTerminal(t *testing.T, argv ...string) (*run, *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	check(t, err)
	t.Cleanup(func() { keyboard.Close() })
	check(t, unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	check(t, err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	check(t, err)
	defer tty.Close()
	r := prepareRun(t, long, argv...)
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = tty, tty, tty
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	r.out = bufio.NewReader(keyboard)
	r.start()
	return r, keyboard
}

// until reads the screen up to a line, over and behind the echo of what was typed.
func (r *run) until(want string) {
	r.t.Helper()
	for !strings.HasSuffix(r.line(), want) {
	}
}

func typed(t *testing.T, keyboard *os.File, keys string) {
	t.Helper()
	_, err := keyboard.WriteString(keys)
	check(t, err)
}

func wantTerminal(t *testing.T, keyboard *os.File, group int) {
	t.Helper()
	got, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPGRP)
	check(t, err)
	if got != group {
		t.Errorf("group %d is in the foreground, want %d", got, group)
	}
}

const reader = `read x; echo "got $x"; exit 5`

func TestCommandReadsFromTheTerminal(t *testing.T) {
	t.Parallel()
	r, keyboard := startOnTerminal(t, os.Args[0], "@wrap", "sh", "-c", "echo $$; "+reader)
	pid := r.pid()
	eventually(t, "the command is in the foreground", func() bool {
		group, _ := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPGRP)
		return group == pid
	})
	typed(t, keyboard, "hello\n")
	r.until("got hello")
	if got := r.result(); got.ExitCode != 5 {
		t.Errorf("got %+v, want 5", got)
	}
	wantTerminal(t, keyboard, r.cmd.Process.Pid)
}

func TestTerminalIsGivenWhenTheCommandReads(t *testing.T) {
	t.Parallel()
	// The script is in the wrapper's group, so ctrl-C stays its own at first.
	r, keyboard := startOnTerminal(t, "sh", "-c", `"$SELF" @wrap sh -c "$0"; read y; echo "then $y"`, "echo ready; "+reader)
	r.until("ready")
	typed(t, keyboard, "hello\n")
	r.until("got hello")
	if got := r.result(); got.ExitCode != 5 {
		t.Errorf("got %+v, want 5", got)
	}
	wantTerminal(t, keyboard, r.cmd.Process.Pid)
	r.control.Close()
	typed(t, keyboard, "more\n")
	r.until("then more")
}

func TestScriptKeepsTheTerminal(t *testing.T) {
	t.Parallel()
	r, keyboard := startOnTerminal(t, "sh", "-c", `"$SELF" @wrap sh -c "echo ready; exec sleep 1000"; :`)
	r.until("ready")
	wantTerminal(t, keyboard, r.cmd.Process.Pid)
	typed(t, keyboard, "\x03")
	if got := r.result(); got.Signal != syscall.SIGINT {
		t.Errorf("got %+v, want an end by INT", got)
	}
}

func TestControlC(t *testing.T) {
	t.Parallel()
	r, keyboard := startOnTerminal(t, os.Args[0], "@wrap", os.Args[0], "@sit")
	r.pid()
	typed(t, keyboard, "\x03")
	if got := r.result(); got.ExitCode != 130 || got.Signal != syscall.SIGINT {
		t.Errorf("got %+v, want 130", got)
	}
	wantTerminal(t, keyboard, r.cmd.Process.Pid)
}

func TestControlZDoesNotSuspendTheLease(t *testing.T) {
	t.Parallel()
	r, keyboard := startOnTerminal(t, os.Args[0], "@wrap", "sh", "-c",
		`trap 'echo going on' CONT; sleep 1000 & echo $$; while :; do wait $!; done`)
	pid := r.pid()
	eventually(t, "the command is in the foreground", func() bool {
		group, _ := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPGRP)
		return group == pid
	})
	typed(t, keyboard, "\x1a")
	r.until("going on")
	r.order("s")
	r.result()
}
