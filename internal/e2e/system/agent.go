package system

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// Config makes an agent, here or in a child process.
type Config struct {
	Database Database
	Holder   string
	// Skew is how far the agent's own wall clock is off.
	Skew time.Duration
	// Fault names what is wrong with the agent's store; see [Faults]. Defaults to nothing.
	Fault string
	// Connections bounds the pool. Defaults to no bound.
	Connections int
}

// Faults are the ways in which a package's twins spoil a store, by name.
type Faults map[string]func(s *sqlstore.Store, db *sql.DB, c Config) driver.Store

// Party takes the steps of one holder: an [Agent] in this process, or a [Child].
type Party interface {
	Do(Ask) Answer
}

// Op is a step that a party can take.
type Op string

// The steps. Renew, Release and Write are those of the lease that Acquire got.
const (
	Acquire  Op = "acquire"
	Renew    Op = "renew"
	Release  Op = "release"
	Inspect  Op = "inspect"
	Write    Op = "write"
	Flood    Op = "flood"     // acquires name-0, name-1, ... for ever, and answers after the first
	TimeZone Op = "time zone" // tells the offset of the process's own in Remaining
)

// Shape is how a write is guarded.
type Shape string

// The shapes of a guard.
const (
	Unguarded Shape = "unguarded"
	ByMark    Shape = "mark"   // a mark beside the data
	ByColumn  Shape = "column" // a fence column on the row
)

// Ask is one step to take.
type Ask struct {
	Op   Op
	Name string
	TTL  time.Duration
	Body string // of a write
	By   Shape  // of a write
}

// Answer is what became of a step.
type Answer struct {
	Outcome   string        // granted, held, ended, done, refused or failed
	Cause     string        // of an end or a refusal
	Token     fence.Token   `json:",omitzero"` // the own one; of a held name the holder's
	Mark      fence.Token   `json:",omitzero"` // of a refusal
	Remaining time.Duration // of trust in the own lease; of a held name as the store sees it
	Trusted   time.Time     // until when
	ExpiresAt time.Time     // by Inspect
	Text      string        // of the error
}

func (a Answer) String() string {
	s := a.Outcome
	for _, part := range []string{a.Cause, a.Text} {
		if part != "" {
			s += ": " + part
		}
	}
	return s
}

// Agent is a holder in this process.
type Agent struct {
	ctx    context.Context
	report Report
	store  *sqlstore.Store
	locker *ringfence.Locker
	leases map[string]*ringfence.Lease
}

// requestTimeout is generous, since 64 processes may share two cores.
const requestTimeout = 30 * time.Second

// NewAgent opens the database and the store in it.
func NewAgent(ctx context.Context, c Config, faults Faults) (*Agent, error) {
	db, err := c.Database.open()
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(c.Connections)
	a := &Agent{ctx: ctx, report: Report{db, c.Database}, leases: map[string]*ringfence.Lease{}}
	if a.store, err = sqlstore.Open(ctx, db, c.Database.Dialect(), nil); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	var store driver.Store = a.store
	if c.Fault != "" {
		spoil, ok := faults[c.Fault]
		if !ok {
			return nil, errors.Join(fmt.Errorf("no fault %q", c.Fault), a.Close())
		}
		store = spoil(a.store, db, c)
	}
	a.locker, err = ringfence.New(store, &ringfence.Options{
		Holder: c.Holder, RequestTimeout: requestTimeout,
		Clock: func() time.Time { return time.Now().Add(c.Skew) },
	})
	return a, err
}

// Close ends what the agent opened. Its leases end by themselves.
func (a *Agent) Close() error {
	for _, lease := range a.leases {
		lease.Abandon()
	}
	return errors.Join(a.store.Close(), a.report.DB.Close())
}

// Do implements [Party].
func (a *Agent) Do(ask Ask) Answer {
	switch ask.Op {
	case Acquire:
		return a.acquire(ask)
	case Renew:
		return a.onLease(ask, func(l *ringfence.Lease) error { return l.Renew(a.ctx) })
	case Release:
		return a.onLease(ask, func(l *ringfence.Lease) error { return l.Release(a.ctx) })
	case Write:
		return a.onLease(ask, func(l *ringfence.Lease) error { return a.write(ask, l.Fence()) })
	case Inspect:
		rec, err := a.locker.Inspect(a.ctx, ask.Name)
		answer := answerTo(err)
		answer.Token, answer.Remaining, answer.ExpiresAt = rec.Token, rec.Remaining, rec.ExpiresAt
		if rec.State == driver.Held {
			answer.Outcome = "held"
		}
		return answer
	case TimeZone:
		_, offset := time.Now().Zone()
		return Answer{Outcome: "done", Remaining: time.Duration(offset) * time.Second}
	}
	return Answer{Outcome: "failed", Text: "unknown step " + string(ask.Op)}
}

func (a *Agent) acquire(ask Ask) Answer {
	lease, err := a.locker.TryAcquire(a.ctx, ask.Name, ringfence.Hold{TTL: ask.TTL})
	if err != nil {
		return answerTo(err)
	}
	if old := a.leases[ask.Name]; old != nil {
		old.Abandon()
	}
	a.leases[ask.Name] = lease
	return Answer{
		Outcome: "granted", Token: lease.Fence().Token,
		Remaining: lease.Remaining(), Trusted: lease.TrustedUntil(),
	}
}

func (a *Agent) onLease(ask Ask, step func(*ringfence.Lease) error) Answer {
	lease := a.leases[ask.Name]
	if lease == nil {
		return Answer{Outcome: "failed", Text: "this agent never held " + ask.Name}
	}
	answer := answerTo(step(lease))
	answer.Token, answer.Trusted = lease.Fence().Token, lease.TrustedUntil()
	if answer.Outcome == "done" {
		answer.Remaining = lease.Remaining()
	}
	return answer
}

// write is a writer's own code: it doesn't ask whether the lease still lasts,
// because the answer would be old when the write arrives.
func (a *Agent) write(ask Ask, f fence.Fence) error {
	switch ask.By {
	case ByMark:
		return sqlguard.InTx(a.ctx, sqlguard.On(a.report.DB, a.report.GuardDialect()), f, ask.Name, func(tx *sql.Tx) error {
			return a.report.Put(a.ctx, tx, ask.Name, ask.Body)
		})
	case ByColumn:
		_, err := a.report.Column(ask.Name).Update(a.ctx, a.report.DB, f, ask.Name, a.report.SQL("body = $1"), ask.Body)
		return err
	case Unguarded:
		return a.report.Put(a.ctx, a.report.DB, ask.Name, ask.Body)
	}
	return fmt.Errorf("no guard of the shape %q", ask.By)
}

// flood acquires until the process is killed, and tells of the first grant.
func (a *Agent) flood(ask Ask, say func(Answer)) {
	told := false
	for i := 0; ; i++ {
		lease, err := a.locker.TryAcquire(a.ctx, fmt.Sprintf("%s-%d", ask.Name, i), ringfence.Hold{TTL: ask.TTL})
		if err != nil {
			continue // the store is busy
		}
		lease.Abandon()
		if !told {
			say(answerTo(nil))
			told = true
		}
	}
}

func answerTo(err error) Answer {
	if err == nil {
		return Answer{Outcome: "done"}
	}
	a := Answer{Outcome: "failed", Text: err.Error()}
	if held, ok := errors.AsType[*ringfence.HeldError](err); ok {
		a.Outcome, a.Token, a.Remaining = "held", held.Token, held.Remaining
	}
	if ended, ok := errors.AsType[*ringfence.EndedError](err); ok {
		a.Outcome, a.Cause = "ended", string(ended.Cause)
	}
	if refused, ok := errors.AsType[*fence.RefusedError](err); ok {
		a.Outcome, a.Cause, a.Mark = "refused", refused.Verdict.Cause.String(), refused.Verdict.Mark
	}
	return a
}
