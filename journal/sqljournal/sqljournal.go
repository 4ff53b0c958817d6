package sqljournal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// Options change how a journal is kept. Nil means the defaults.
type Options struct {
	// Label names the database for people, in errors. Defaults to the dialect.
	Label string

	// NoSetup makes Append fail where the table is missing, instead of making it.
	// Defaults to false.
	NoSetup bool
}

// Journal is a journal in a table. It implements journal.Journal.
type Journal struct {
	db      *sql.DB
	dialect Dialect
	opts    Options
}

var _ journal.Journal = (*Journal)(nil)

// Open returns the journal in db, which stays the caller's. Nothing is sent before it
// is used.
func Open(db *sql.DB, d Dialect, o *Options) (*Journal, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if db == nil {
		return nil, fmt.Errorf("%w call of sqljournal.Open: it needs a *sql.DB", fence.ErrInvalid)
	}
	j := &Journal{db: db, dialect: d}
	if o != nil {
		j.opts = *o
	}
	if j.opts.Label == "" {
		j.opts.Label = d.String()
	}
	return j, nil
}

// Clock implements journal.Journal.
func (j *Journal) Clock() string { return "the database" }

// Close implements journal.Journal. The *sql.DB stays open.
func (j *Journal) Close() error { return nil }

// Append implements journal.Journal, by one statement.
func (j *Journal) Append(ctx context.Context, events []journal.Event) error {
	for _, e := range events {
		if err := e.Check(); err != nil {
			return err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return j.fault("write", driver.ErrUnavailable, err)
	}
	if len(events) == 0 {
		return nil
	}
	err := j.append(ctx, events)
	if missing(err) && !j.opts.NoSetup {
		if err = j.setUp(ctx); err == nil {
			err = j.append(ctx, events)
		}
	}
	return j.fault("write", driver.ErrUnknown, err)
}

func (j *Journal) append(ctx context.Context, events []journal.Event) error {
	statement, args := j.dialect.statement("append", j.dialect.arguments(events)...)
	_, err := j.db.ExecContext(ctx, statement, args...)
	return err
}

// setUp makes the table. Of several that do so at once one may fail, since somebody
// else has just done it.
func (j *Journal) setUp(ctx context.Context) error {
	_, err := j.db.ExecContext(ctx, j.dialect.sql("setup"))
	if collided(err) {
		_, err = j.db.ExecContext(ctx, j.dialect.sql("setup"))
	}
	return err
}

// pageSize is how many events one statement reads.
const pageSize = 500

// Read implements journal.Journal, by one statement for each 500 events.
func (j *Journal) Read(ctx context.Context, q journal.Query) iter.Seq2[journal.Event, error] {
	return journal.Once(func(yield func(journal.Event, error) bool) {
		since, until := bound(q.Since, 0), bound(q.Until, math.MaxInt64/2)
		for before := int64(math.MaxInt64); ; {
			page, last, err := j.page(ctx, q.Name, before, since, until)
			if err != nil && !missing(err) {
				yield(journal.Event{}, j.fault("read", driver.ErrUnavailable, err))
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
			before = last
		}
	})
}

func bound(t time.Time, none int64) int64 {
	if t.IsZero() {
		return none
	}
	return t.UnixMicro()
}

// page reads the events before a place, and returns the place of the last of them.
func (j *Journal) page(ctx context.Context, name string, before, since, until int64) (page []journal.Event, last int64, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, 0, err
	}
	statement, args := j.dialect.statement("read", name, before, since, until, pageSize)
	found, err := j.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, 0, err
	}
	defer found.Close()
	for found.Next() {
		var e journal.Event
		var at, until int64
		err := found.Scan(&last, &at, &e.Kind, &e.Name, &e.Token, &until, &e.Holder, &e.Cause, &e.Resource, &e.By, &e.Detail, &e.Lost, &e.ID)
		if err != nil {
			return nil, 0, err
		}
		e.At = time.UnixMicro(at).UTC()
		if until != 0 {
			e.Until = time.UnixMicro(until).UTC()
		}
		page = append(page, e)
	}
	return page, last, found.Err()
}

// Prune implements journal.Journal, by statements that each look at the oldest few.
func (j *Journal) Prune(ctx context.Context, b journal.Bounds) (int, error) {
	const batch, most = 1000, 10
	removed := 0
	for range most {
		statement, args := j.dialect.statement("prune", b.Age.Milliseconds(), int64(b.Events), int64(batch))
		result, err := j.db.ExecContext(ctx, statement, args...)
		if missing(err) {
			return 0, nil
		}
		var n int64
		if err == nil {
			n, err = result.RowsAffected()
		}
		removed += int(n)
		if err != nil || n < batch {
			return removed, j.fault("prune", driver.ErrUnknown, err)
		}
	}
	return removed, nil
}

// fault names the journal in an error. kind is for those that say nothing of what
// was done.
func (j *Journal) fault(what string, kind, err error) error {
	if err == nil {
		return nil
	}
	f := &driver.Fault{Kind: kind, Err: fmt.Errorf("%s the journal at %s: %w", what, j.opts.Label, err)}
	switch {
	case forbidden(err) || missing(err):
		f.Kind, f.Hint = driver.ErrUnfit, "have its table made by sqljournal.Schema, and grant the role INSERT, SELECT and DELETE on it; or name another journal"
	case answered(err) && !errors.Is(err, context.DeadlineExceeded):
		f.Kind = driver.ErrUnavailable
	}
	return f
}
