package realserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

var errUnsupported = errors.New("real servers are started on Linux and macOS only")

// supported says whether servers are started on this system at all.
func supported() error {
	if sigPause == syscall.Signal(0) {
		return errUnsupported
	}
	return nil
}

// process is a child and the news of its end.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// launch starts a process.
func launch(cmd *exec.Cmd) (*process, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	go func() { _ = p.cmd.Wait(); close(p.ended) }()
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// home is a temporary folder for the files of servers that end together. A watchdog
// ends them, and removes it, when the test binary has ended.
type home struct {
	dir      string
	dog      *watchdog
	children []*child
}

// newHome makes a home for servers of this name.
func newHome(name string) (*home, error) {
	dir, err := os.MkdirTemp("", "ringfence-"+name+"-")
	if err != nil {
		return nil, err
	}
	dog, err := startWatchdog(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &home{dir: dir, dog: dog}, nil
}

// add makes a place for a server, which is down. name is for errors, log its file.
func (h *home) add(name, log string) *child {
	c := &child{home: h, name: name, log: log}
	h.children = append(h.children, c)
	return c
}

func (h *home) tellWatchdog() error {
	var pids []int
	for _, c := range h.children {
		if c.main != nil {
			pids = append(pids, c.main.pid())
		}
	}
	return h.dog.tell(pids...)
}

// close ends all servers and removes the files.
func (h *home) close() {
	for _, c := range h.children {
		_ = c.end(sigKill) // what this leaves, the watchdog ends
	}
	h.dog.finish()
}

// child is a server of one process, which may be down.
type child struct {
	home      *home
	name, log string
	main      *process // nil while it is down
}

// start starts the server. It need not answer yet.
func (c *child) start(cmd *exec.Cmd) (err error) {
	if c.main, err = launch(cmd); err != nil {
		return err
	}
	if err := c.home.tellWatchdog(); err != nil {
		return errors.Join(err, c.end(sigKill))
	}
	return nil
}

// startLogged is start for a server that logs to its standard output.
func (c *child) startLogged(cmd *exec.Cmd) error {
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	return c.start(cmd)
}

// waitReady waits until a look at the server succeeds.
func (c *child) waitReady(look func() error) error {
	err, ended := errors.New("no look yet"), false
	answers := until(startLimit, func() bool {
		select {
		case <-c.main.ended:
			ended = true
			return true
		default:
		}
		err = look()
		return err == nil
	})
	if ended || !answers {
		return fmt.Errorf("%s does not answer: %w; its log says:\n%s", c.name, err, tail(c.log))
	}
	return nil
}

func (c *child) pid() int { return c.main.pid() }

// end ends the server by a signal, also where it is paused.
func (c *child) end(how syscall.Signal) error {
	if c.main == nil {
		return nil
	}
	if err := errors.Join(signal(how, c.pid()), signal(sigResume, c.pid())); err != nil {
		return err
	}
	select {
	case <-c.main.ended:
	case <-time.After(startLimit): // an end in order may take as long as a start
		return fmt.Errorf("%s did not end within %s of %s", c.name, startLimit, how)
	}
	c.main = nil
	return c.home.tellWatchdog()
}

// freePorts finds a free port for each of the places.
func freePorts(places ...*int) error {
	var err error
	for _, p := range places {
		if *p, err = freePort(); err != nil {
			return err
		}
	}
	return nil
}

// tail returns the end of a log.
func tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	const most = 4 << 10
	return string(text[max(0, len(text)-most):])
}
