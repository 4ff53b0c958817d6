package realserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// start runs the server and waits until it answers. The port is chosen at the
// first start and kept, so that a client finds the server again.
func (c *cluster) start() error {
	if c.main != nil {
		return errors.New("the server is running")
	}
	if c.port != 0 {
		return c.startOn(c.port)
	}
	var errs []error
	for range 3 { // somebody else may take a port between our look and our use
		port, err := freePort()
		if err != nil {
			return err
		}
		if err = c.startOn(port); err == nil {
			c.port = port
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (c *cluster) startOn(port int) error {
	log, err := os.OpenFile(c.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-D", c.data(), "-p", strconv.Itoa(port)}
	for _, s := range append(fixedSettings(), c.settings...) {
		args = append(args, "-c", s)
	}
	cmd := c.command(context.Background(), "postgres", args...)
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Stdout, cmd.Stderr = log, log
	if c.main, err = launch(cmd); err != nil {
		return err
	}
	if err := c.tellWatchdog(); err != nil {
		return errors.Join(err, c.stop(sigKill))
	}
	if err := c.waitReady(port); err != nil {
		return errors.Join(err, c.stop(sigKill))
	}
	return nil
}

func fixedSettings() []string {
	return []string{
		"listen_addresses=127.0.0.1",
		"unix_socket_directories=",
		"max_connections=200",
		"shared_buffers=32MB",
		"dynamic_shared_memory_type=mmap", // files of ours, so that a kill leaves none elsewhere
		"log_line_prefix=%m [%p] ",
		"timezone=America/New_York",
	}
}

// waitReady waits for an answer that only a server with our password gives.
func (c *cluster) waitReady(port int) error {
	err := errors.New("no look yet")
	ended := false
	answers := until(startLimit, func() bool {
		select {
		case <-c.main.ended:
			ended = true
			return true
		default:
		}
		conn, dialed := net.DialTimeout("tcp", address(port), time.Second)
		if err = dialed; err == nil { // asked first because it is cheaper than psql
			conn.Close()
			_, err = c.query(port, "postgres", "SELECT 1")
		}
		return err == nil
	})
	switch {
	case ended:
		return fmt.Errorf("postgres ended at once; its log says:\n%s", c.logTail())
	case !answers:
		return fmt.Errorf("postgres does not answer after %s: %w; its log says:\n%s", startLimit, err, c.logTail())
	}
	return nil
}

// pause stops every process of the server. The main one has to stand still
// first, so that it can't make another behind our back.
func (c *cluster) pause() error {
	if c.main == nil {
		return errors.New("the server is down")
	}
	if err := freeze(c.pid()); err != nil {
		return err
	}
	pids, err := children(c.pid())
	if err != nil {
		return err
	}
	c.paused = pids
	return errors.Join(c.tellWatchdog(), freeze(pids...))
}

// freeze stops processes and waits until they have: a signal is delivered some
// time after it was sent.
func freeze(pids ...int) error {
	if err := signal(sigPause, pids...); err != nil {
		return err
	}
	for _, pid := range pids {
		if !until(stopLimit, func() bool { return stopped(pid) || gone(pid) }) {
			return fmt.Errorf("process %d was stopped and still runs after %s", pid, stopLimit)
		}
	}
	return nil
}

func (c *cluster) resume() error {
	if c.main == nil {
		return errors.New("the server is down")
	}
	err := signal(sigResume, append(c.paused, c.pid())...)
	c.paused = nil
	return errors.Join(err, c.tellWatchdog())
}

// kill ends every process of the server at once, as a crash does.
func (c *cluster) kill() error {
	if err := c.pause(); err != nil {
		return err
	}
	pids := c.paused
	if err := signal(sigKill, append(pids, c.pid())...); err != nil {
		return err
	}
	c.forgetMain()
	if !until(stopLimit, func() bool { return !slices.ContainsFunc(pids, func(pid int) bool { return !gone(pid) }) }) {
		return fmt.Errorf("processes %v: some still run %s after they were killed", pids, stopLimit)
	}
	return c.tellWatchdog()
}

// stop asks the server to end and, when it does not, kills it.
func (c *cluster) stop(how syscall.Signal) error {
	if c.main == nil {
		return nil
	}
	if err := errors.Join(c.resume(), c.main.cmd.Process.Signal(how)); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-c.main.ended:
	case <-time.After(stopLimit):
		return errors.Join(fmt.Errorf("postgres did not stop within %s of %s and was killed", stopLimit, how), c.kill())
	}
	c.forgetMain()
	return c.tellWatchdog()
}

func (c *cluster) forgetMain() {
	<-c.main.ended
	c.main, c.paused = nil, nil
}

// close ends the server and removes its files.
func (c *cluster) close() {
	_ = c.stop(sigImmediate) // what this leaves, the watchdog ends
	c.dog.finish()
}

func (c *cluster) pid() int { return c.main.pid() }

func (c *cluster) tellWatchdog() error {
	if c.main == nil {
		return c.dog.tell()
	}
	return c.dog.tell(append([]int{c.pid()}, c.paused...)...)
}
