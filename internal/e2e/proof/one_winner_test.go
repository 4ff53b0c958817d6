package proof

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

const (
	racers = 64
	rounds = 6
)

// proveOneWinner has all parties ask for one name at once, some rounds with a new
// name and some with one whose lease has just run out.
func proveOneWinner(parties []system.Party) error {
	for round := range rounds {
		name := fmt.Sprintf("round-%d", round)
		var before fence.Token
		if round%2 == 1 {
			var err error
			if before, err = lapse(parties[round], name); err != nil {
				return err
			}
		}
		if err := countWinners(race(parties, name), len(parties), before); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// lapse lets a lease of the name run out, and returns its token.
func lapse(p system.Party, name string) (fence.Token, error) {
	held := p.Do(system.Ask{Op: system.Acquire, Name: name, TTL: 400 * time.Millisecond})
	if err := want("granted", "the holder before", held); err != nil {
		return 0, err
	}
	return held.Token, system.Poll(func() (bool, error) {
		a := p.Do(system.Ask{Op: system.Inspect, Name: name})
		return a.Outcome == "done", nil
	})
}

// race asks all parties at the same moment.
func race(parties []system.Party, name string) []system.Answer {
	answers := make([]system.Answer, len(parties))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, p := range parties {
		all.Go(func() {
			<-start
			answers[i] = p.Do(system.Ask{Op: system.Acquire, Name: name, TTL: time.Hour})
		})
	}
	close(start)
	all.Wait()
	return answers
}

func countWinners(answers []system.Answer, n int, before fence.Token) error {
	count := map[string]int{}
	var won system.Answer
	for _, a := range answers {
		count[a.Outcome]++
		if a.Outcome == "granted" {
			won = a
		}
	}
	switch {
	case count["granted"] != 1 && count["granted"]+count["held"] == n:
		return harmful(errWinners, "%d of %d have it", count["granted"], n)
	case count["granted"] != 1 || count["held"] != n-1:
		return fmt.Errorf("got the answers %v: %v", count, answers)
	case won.Token <= before:
		return fmt.Errorf("token %s came after %s", won.Token, before)
	}
	for _, a := range answers {
		if a.Outcome == "held" && a.Token != won.Token {
			return fmt.Errorf("a loser was told of token %s, the winner has %s", a.Token, won.Token)
		}
	}
	return nil
}

// looksThenWrites is the twin: it reads, and then writes what it has decided. It
// writes only when a second caller has read the same, so that the race is sure.
func looksThenWrites(s *sqlstore.Store, db *sql.DB, c system.Config) driver.Store {
	return looks{s, db, c.Database}
}

type looks struct {
	*sqlstore.Store
	db *sql.DB
	at system.Database
}

const lookedTable = `CREATE TABLE IF NOT EXISTS looked (name text, seen bigint, attempt text)`

func (l looks) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	rec, err := l.Inspect(ctx, r.Name)
	if err != nil {
		return driver.Term{}, err
	}
	if rec.State == driver.Held {
		return driver.Term{}, &driver.HeldError{Name: r.Name, Token: rec.Token, Remaining: rec.Remaining}
	}
	if r.TTL >= time.Hour { // in the race, not before it
		if err := l.company(ctx, r, rec.Token); err != nil {
			return driver.Term{}, err
		}
	}
	token := max(rec.Token+1, fence.TickOf(time.Now()).First())
	now := system.Pick(l.at, "clock_timestamp()", "CAST(unixepoch('subsec') * 1000 AS INTEGER)")
	end := system.Pick(l.at, now+" + $4 * interval '1 millisecond'", now+" + $4")
	_, err = l.db.ExecContext(ctx, l.at.SQL(`INSERT INTO `+l.at.LeaseTable()+` (name, token, attempt, holder, state, granted_at, expires_at)
		VALUES ($1, $2, $3, '', 'held', `+now+`, `+end+`) ON CONFLICT (name) DO UPDATE
		SET token = excluded.token, attempt = excluded.attempt, expires_at = excluded.expires_at`),
		r.Name, int64(token), r.Attempt, r.TTL.Milliseconds())
	return driver.Term{Fence: fence.Fence{Name: r.Name, Token: token}, Attempt: r.Attempt, Remaining: r.TTL}, err
}

// company returns when another caller has looked too.
func (l looks) company(ctx context.Context, r driver.Request, seen fence.Token) error {
	insert := l.at.SQL(`INSERT INTO looked VALUES ($1, $2, $3)`)
	if _, err := l.db.ExecContext(ctx, insert, r.Name, int64(seen), r.Attempt); err != nil {
		return err
	}
	return system.Poll(func() (bool, error) {
		var n int
		err := l.db.QueryRowContext(ctx, l.at.SQL(`SELECT count(*) FROM looked WHERE name = $1 AND seen = $2`),
			r.Name, int64(seen)).Scan(&n)
		return n > 1, err
	})
}

// TestProof4_OneWinner_SQLite: 64 processes on one file.
func TestProof4_OneWinner_SQLite(t *testing.T) {
	t.Parallel()
	for _, c := range oneWinnerCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := system.SQLite(t)
			d.Exec(t, lookedTable)
			d.Store(t) // creates the tables, which is not what they race for
			var children []*system.Child
			for i := range c.parties {
				children = append(children, system.Start(t, system.Config{Database: d, Holder: fmt.Sprint(i), Fault: c.fault}))
			}
			var parties []system.Party
			for _, child := range children {
				parties = append(parties, child.Ready(t))
			}
			prove(t, c.harm, proveOneWinner(parties))
		})
	}
}

// TestProof4_OneWinner_Postgres: 64 connections, each with a client of its own.
func TestProof4_OneWinner_Postgres(t *testing.T) {
	t.Parallel()
	for _, c := range oneWinnerCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := system.Postgres(t)
			d.Exec(t, lookedTable)
			var parties []system.Party
			for i := range c.parties {
				parties = append(parties, agent(t, system.Config{Database: d, Holder: fmt.Sprint(i), Fault: c.fault, Connections: 1}))
			}
			prove(t, c.harm, proveOneWinner(parties))
		})
	}
}

var oneWinnerCases = []struct {
	name    string
	parties int
	fault   string
	harm    error
}{
	{"one statement", racers, "", nil},
	{"twin that looks, then writes", 8, "looks, then writes", errWinners},
}
