package main

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// background is a process that a script has started.
type background struct {
	cmd  *exec.Cmd
	done chan error
}

// start NAME PROGRAM ARG... leaves its output in NAME.out and NAME.err.
func start(ts *testscript.TestScript, _ bool, args []string) {
	s, name := stageOf(ts), args[0]
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, key := range s.env {
		cmd.Env = append(cmd.Env, key+"="+ts.Getenv(key))
	}
	out, err := os.Create(ts.MkAbs(name + ".out"))
	ts.Check(err)
	defer out.Close()
	complaint, err := os.Create(ts.MkAbs(name + ".err"))
	ts.Check(err)
	defer complaint.Close()
	cmd.Stdout, cmd.Stderr = out, complaint
	ts.Check(cmd.Start())
	b := &background{cmd: cmd, done: make(chan error, 1)}
	go func() { b.done <- cmd.Wait() }()
	if s.started == nil {
		s.started = map[string]*background{}
	}
	s.started[name] = b
	ts.Defer(func() { _ = cmd.Process.Kill() })
}

var signals = map[string]syscall.Signal{
	"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT,
	"KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
}

// send is "signal NAME SIGNAL": to a process that was started.
func send(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(stageOf(ts).started[args[0]].cmd.Process.Signal(signals[args[1]]))
}

// end NAME STATUS waits for a process that was started.
func end(ts *testscript.TestScript, _ bool, args []string) {
	s, name := stageOf(ts), args[0]
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	select {
	case err = <-s.started[name].done:
	case <-time.After(patience):
		ts.Fatalf("%s still runs; it says:\n%s", name, ts.ReadFile(name+".err"))
	}
	got := exitCode(ts, err)
	out, complaint := ts.ReadFile(name+".out"), ts.ReadFile(name+".err")
	ts.Logf("[%s.out]\n%s[%s.err]\n%s", name, out, name, complaint)
	s.inspect(ts, out, complaint)
	if got != want {
		ts.Fatalf("%s ended with status %d, want %d", name, got, want)
	}
}
