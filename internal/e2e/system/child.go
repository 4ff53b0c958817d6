package system

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// configEnv carries a config to a child process: it may hold a password, which
// has no place among the arguments.
const configEnv = "RINGFENCE_E2E_AGENT"

// Main is the body of a TestMain: it runs the tests, or in a child process its agent.
func Main(m *testing.M, faults Faults) {
	if text := os.Getenv(configEnv); text != "" {
		if err := serve(text, faults, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "agent:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// serve takes the steps that come in, one a line, until there are no more. The
// first line out says that the agent is ready.
func serve(config string, faults Faults, in io.Reader, out io.Writer) error {
	var c Config
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	a, err := NewAgent(context.Background(), c, faults)
	if err != nil {
		return err
	}
	defer a.Close()
	said := json.NewEncoder(out)
	if err := said.Encode(Answer{Outcome: "ready"}); err != nil {
		return err
	}
	asked := json.NewDecoder(in)
	for {
		var ask Ask
		if err := asked.Decode(&ask); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if ask.Op == Flood {
			a.flood(ask, func(answer Answer) { _ = said.Encode(answer) })
		}
		if err := said.Encode(a.Do(ask)); err != nil {
			return err
		}
	}
}

// Child is an agent in a process of its own.
type Child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	asks    *json.Encoder
	answers *json.Decoder
}

// Start starts a process, which ends with the test. env are more variables for
// it, each as name=value. It returns before the process is [Child.Ready].
func Start(t testing.TB, c Config, env ...string) *Child {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), configEnv+"="+string(text)), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := &Child{cmd: cmd, in: in, asks: json.NewEncoder(in), answers: json.NewDecoder(bufio.NewReader(out))}
	t.Cleanup(child.Kill)
	return child
}

// Ready waits until the process has opened its store.
func (c *Child) Ready(t testing.TB) *Child {
	t.Helper()
	if a := c.Hear(); a.Outcome != "ready" {
		t.Fatalf("a child process did not get ready: %s", a)
	}
	return c
}

// Do implements [Party].
func (c *Child) Do(ask Ask) Answer {
	if err := c.Tell(ask); err != nil {
		return Answer{Outcome: "failed", Text: err.Error()}
	}
	return c.Hear()
}

// Tell sends a step, which a paused process finds when it goes on.
func (c *Child) Tell(ask Ask) error { return c.asks.Encode(ask) }

// Hear waits for the answer to a step.
func (c *Child) Hear() Answer {
	var a Answer
	if err := c.answers.Decode(&a); err != nil {
		return Answer{Outcome: "failed", Text: "the process gave no answer: " + err.Error()}
	}
	return a
}

// Pause stops the process where it is, and returns when it stands still.
func (c *Child) Pause() error {
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		if !errors.Is(err, syscall.EINTR) {
			if err == nil && !status.Stopped() {
				err = fmt.Errorf("the process ended instead of stopping: status %d", status)
			}
			return err
		}
	}
}

// Resume ends a [Child.Pause].
func (c *Child) Resume() error { return c.cmd.Process.Signal(syscall.SIGCONT) }

// Kill ends the process at once, wherever it is. It may be repeated.
func (c *Child) Kill() {
	_ = c.cmd.Process.Kill() // a stopped process dies of it too
	_ = c.in.Close()
	_ = c.cmd.Wait()
}
