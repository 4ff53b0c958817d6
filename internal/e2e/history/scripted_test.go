package history

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

// protection is how much of the guard is in place.
type protection struct {
	establish bool // before the first read of a term
	compare   bool // with each write
}

// TestScripted plays the one sequence in which a stale holder certainly does
// harm. With the whole guard the history is linearizable; with any half of it the
// checker finds the violation.
func TestScripted(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		protection
		harm error
	}{
		"guarded":                   {protection{true, true}, nil},
		"no guard":                  {protection{false, false}, errLost},
		"established, not compared": {protection{true, false}, errLost},
		"compared, not established": {protection{false, true}, errLost},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			system.Each(t, func(t *testing.T, d system.Database) {
				s := newScript(t, d, c.protection)
				s.play(t)
				if err := s.seen.linearizable(); !errors.Is(err, c.harm) {
					t.Errorf("got %v, want %v", err, c.harm)
				}
			})
		})
	}
}

// script is two holders in one thread: what happens when is certain.
type script struct {
	protection
	report system.Report
	store  driver.Store
	guard  *sqlguard.Guard
	seen   *record
	first  *client
	second *client
}

func newScript(t *testing.T, d system.Database, p protection) *script {
	t.Helper()
	g, err := sqlguard.New(d.GuardDialect(), name, guard.Latest, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{protection: p, report: d.NewReport(t), store: d.Store(t), guard: g, seen: newRecord()}
	s.report.Add(t, name)
	s.first = &client{id: 1, report: s.report, seen: s.seen}
	s.second = &client{id: 2, report: s.report, seen: s.seen}
	return s
}

// play: the first holder reads and is paused; the second takes over and reads;
// the first writes what follows from its old view; so does the second.
func (s *script) play(t *testing.T) {
	t.Helper()
	if !s.establish { // the mark must be there, from a term before
		if _, err := s.guard.Establish(t.Context(), s.report.DB, s.acquire(t)); err != nil {
			t.Fatal(err)
		}
	}
	one := s.acquire(t)
	oneSaw := s.begin(t, s.first, one)
	two := s.acquire(t)
	twoSaw := s.begin(t, s.second, two)
	s.write(t, s.first, one, oneSaw)
	s.write(t, s.second, two, twoSaw)
	s.second.read(s.seen.now())
}

// acquire is granted as soon as the term before has run out.
func (s *script) acquire(t *testing.T) fence.Fence {
	t.Helper()
	request := driver.Request{Name: name, Attempt: s.first.next(), TTL: 50 * time.Millisecond}
	var term driver.Term
	err := system.Poll(func() (_ bool, err error) {
		if term, err = s.store.Acquire(t.Context(), request); errors.Is(err, driver.ErrHeld) {
			return false, nil
		}
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return term.Fence
}

func (s *script) begin(t *testing.T, c *client, f fence.Fence) string {
	t.Helper()
	if s.establish {
		if _, err := s.guard.Establish(t.Context(), s.report.DB, f); err != nil {
			t.Fatal(err)
		}
	}
	value, ok := c.read(s.seen.now())
	if !ok {
		t.Fatal("the register can't be read")
	}
	return value
}

func (s *script) write(t *testing.T, c *client, f fence.Fence, from string) {
	t.Helper()
	call, to := s.seen.now(), c.next()
	err := s.apply(t.Context(), f, to)
	switch {
	case err == nil:
		s.seen.add(c.id, call, step{Write: true, From: from, To: to})
	case !errors.Is(err, fence.ErrRefused):
		t.Fatal(err)
	}
}

func (s *script) apply(ctx context.Context, f fence.Fence, value string) error {
	if !s.compare {
		return s.report.Put(ctx, s.report.DB, name, value)
	}
	_, err := s.guard.InTx(ctx, s.report.DB, guard.Write{Fence: f}, func(tx *sql.Tx) error {
		return s.report.Put(ctx, tx, name, value)
	})
	return err
}
