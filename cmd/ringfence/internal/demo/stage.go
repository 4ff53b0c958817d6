package demo

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
)

// stage is what both acts share: the store to watch and the database to look at.
type stage struct {
	c      Config
	out    io.Writer
	at, to open.Target
	store  open.Store
	db     *sql.DB
}

func newStage(ctx context.Context, c Config) (*stage, error) {
	at, err := open.Parse(c.Store)
	if err != nil {
		return nil, fmt.Errorf("the demo's store: %w", err)
	}
	to, err := open.Parse(c.Destination)
	if err != nil {
		return nil, fmt.Errorf("the demo's destination: %w", err)
	}
	s := &stage{c: c, out: c.Out, at: at, to: to}
	if s.store, err = at.Store(ctx); err != nil {
		return nil, fmt.Errorf("the demo's store %s: %w", at.Label, err)
	}
	if s.db, err = to.Database(ctx); err == nil {
		err = setUp(ctx, s.db, to)
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("the demo's destination %s: %w", to.Label, err)
	}
	return s, nil
}

// places says where the demo plays.
func (s *stage) places() string {
	if s.at.Label == s.to.Label {
		return s.to.Label
	}
	return s.to.Label + " with its leases in " + s.at.Label
}

func (s *stage) close() {
	if s.db != nil {
		_, _ = s.db.Exec("DROP TABLE IF EXISTS " + reportTable)
		_ = s.db.Close()
	}
	_ = s.store.Close()
}

// untilFree waits until the store itself says that the lease is over.
func (s *stage) untilFree(ctx context.Context, name string) error {
	for {
		r, err := s.store.Inspect(ctx, name)
		if err != nil || r.State != driver.Held {
			return err
		}
		select {
		case <-time.After(max(r.Remaining, 5*time.Millisecond)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// actor is one of the two processes.
type actor struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  *bufio.Scanner
	token  string
	answer answer
}

// start starts a process, and returns when it holds the lease.
func (s *stage) start(ctx context.Context, author string, j job) (*actor, error) {
	j.Author = author
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, s.c.Self, s.c.Args...)
	cmd.Env = append(os.Environ(), jobEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	a := &actor{cmd: cmd}
	if a.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.lines = bufio.NewScanner(out)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start process %s: %w", author, err)
	}
	if err := a.read(); err != nil {
		a.end()
		return nil, fmt.Errorf("process %s did not get the lease: %w", author, err)
	}
	a.token = a.answer.Token.String()
	return a, nil
}

func (a *actor) read() error {
	if !a.lines.Scan() {
		return errors.Join(errors.New("it ended without a word"), a.lines.Err())
	}
	return json.Unmarshal(a.lines.Bytes(), &a.answer)
}

func (a *actor) pause() error  { return a.cmd.Process.Signal(syscall.SIGSTOP) }
func (a *actor) resume() error { return a.cmd.Process.Signal(syscall.SIGCONT) }

// write lets the process go on, from its check to its write.
func (a *actor) write() error {
	_, err := io.WriteString(a.in, "write\n")
	return err
}

// finished waits for what became of the write.
func (a *actor) finished() error { return a.read() }

// end makes sure that the process is gone.
func (a *actor) end() {
	_ = a.in.Close()
	_ = a.cmd.Process.Signal(syscall.SIGCONT)
	_ = a.cmd.Process.Kill()
	_ = a.cmd.Wait()
}
