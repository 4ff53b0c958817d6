package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

// Config says where the demo plays.
type Config struct {
	// Store and Destination are where the leases and the report live. Zero means
	// one new SQLite file for both, which is removed at the end.
	Store, Destination string
	// Self is the program to start as the two processes, and Args what makes it one.
	Self string
	Args []string
	Out  io.Writer
}

// errShown says that what the demo is there to show did not happen.
var errShown = errors.New("the demo did not show what it should")

// Run plays both acts. It fails when anything comes out otherwise than told.
func Run(ctx context.Context, c Config) error {
	if c.Store == "" || c.Destination == "" {
		dir, err := os.MkdirTemp("", "ringfence-demo-")
		if err != nil {
			return fmt.Errorf("a folder for the demo's database: %w", err)
		}
		defer os.RemoveAll(dir)
		file := "sqlite://" + filepath.ToSlash(filepath.Join(dir, "demo.db"))
		if c.Store == "" {
			c.Store = file
		}
		if c.Destination == "" {
			c.Destination = file
		}
	}
	s, err := newStage(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	fmt.Fprintf(c.Out, "Two processes, A and B, publish the same report under a lease of %s, in %s.\n", leaseLength, s.places())
	for _, act := range []act{usual, fenced} {
		if err := s.play(ctx, act); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.Out, "\nThe lease decided when B might start. The token decided whose write counts.\nPut both in front of your own job: ringfence run --help, and the guard in docs/guards/sql.md.\n")
	return nil
}

// act is one half of the demo, and how it must end.
type act struct {
	title  string
	fenced bool
	want   string // whose report stands at the end
	moral  string
}

var (
	usual = act{
		title: "1. The usual lock: a lease that expires, and a check that it is still held before the write",
		want:  "A",
		moral: "The older report has overwritten the newer one, and nobody was told.",
	}
	fenced = act{
		title:  "2. The same, and every write carries the token of its lease",
		fenced: true,
		want:   "B",
		moral:  "The newer report stands, and A knows that it must stop.",
	}
)

const (
	leaseLength = 2 * time.Second
	reportTable = "ringfence_demo_report"
)

// play has A paused between its check and its write, until B has published.
func (s *stage) play(ctx context.Context, act act) error {
	fmt.Fprintf(s.out, "\n%s\n\n", act.title)
	if err := s.clear(ctx); err != nil {
		return err
	}
	t := newTelling(s.out)
	name := fmt.Sprintf("demo/report/%d/%t", os.Getpid(), act.fenced)
	job := job{Store: s.c.Store, Destination: s.c.Destination, Name: name, Fenced: act.fenced}

	a, err := s.start(ctx, "A", job)
	if err != nil {
		return err
	}
	defer a.end()
	t.say("A", laneWork, "acquires the lease with token %s, checks that it holds it, and is about to write", a.token)
	t.holds('A')
	if err := a.pause(); err != nil {
		return err
	}
	t.say("A", lanePaused, "is paused here by SIGSTOP, as a long garbage collection or a frozen VM would")
	if err := a.write(); err != nil { // it can't read this yet
		return err
	}
	if err := s.untilFree(ctx, name); err != nil {
		return err
	}
	t.say("A", laneOver, "is still paused, and its lease has ended at the store")
	t.holds(laneNone)
	b, err := s.start(ctx, "B", job)
	if err != nil {
		return err
	}
	defer b.end()
	t.say("B", laneWork, "acquires the lease with token %s", b.token)
	t.holds('B')
	if err := b.write(); err != nil {
		return err
	}
	if err := b.finished(); err != nil || !b.answer.Written {
		return fmt.Errorf("%w: B could not publish: %+v %w", errShown, b.answer.Verdict, err)
	}
	t.say("B", laneDone, "publishes its report, releases the lease and ends")
	t.holds(laneNone)
	if err := a.resume(); err != nil {
		return err
	}
	t.say("A", laneWork, "is continued by SIGCONT. Nothing told it that time has passed: it writes")
	if err := a.finished(); err != nil {
		return err
	}
	if a.answer.Written {
		t.say("A", laneDone, "publishes its report. The database takes it")
	} else {
		t.say("A", laneRefused, "is refused by the database: %s. A carries %s, the report has seen %s",
			a.answer.Verdict.Cause, a.answer.Verdict.Token, a.answer.Verdict.Mark)
	}
	author, body, err := s.report(ctx)
	if err != nil {
		return err
	}
	t.draw(author)
	fmt.Fprintf(s.out, "\n   The report now reads: %q\n   %s\n", body, act.moral)
	if author != act.want || a.answer.Written != (act.want == "A") {
		return fmt.Errorf("%w: the report is by %s, and should be by %s", errShown, author, act.want)
	}
	if act.fenced && (a.answer.Verdict.Cause != fence.Superseded.String() || a.answer.Verdict.Mark.String() != b.token) {
		return fmt.Errorf("%w: the verdict is %+v", errShown, a.answer.Verdict)
	}
	return nil
}

// clear makes the table of the report where it is missing, and empties it.
func (s *stage) clear(ctx context.Context) error {
	for _, statement := range []string{
		"CREATE TABLE IF NOT EXISTS " + reportTable + " (id integer PRIMARY KEY, author text NOT NULL, body text NOT NULL)",
		"DELETE FROM " + reportTable,
		"INSERT INTO " + reportTable + " (id, author, body) VALUES (1, 'nobody', 'nothing yet')",
	} {
		if _, err := s.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("set up the demo's table %s: %w", reportTable, err)
		}
	}
	return nil
}

func (s *stage) report(ctx context.Context) (author, body string, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT author, body FROM "+reportTable+" WHERE id = 1").Scan(&author, &body)
	return author, body, err
}

func guardDialect(t open.Target) sqlguard.Dialect {
	if t.Kind == open.Postgres {
		return sqlguard.Postgres
	}
	return sqlguard.SQLite
}

func setUp(ctx context.Context, db *sql.DB, t open.Target) error {
	return sqlguard.Setup(ctx, db, guardDialect(t))
}
