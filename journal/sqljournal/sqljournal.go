package sqljournal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/bundle"
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

// Append implements journal.Journal, by one row.
func (j *Journal) Append(ctx context.Context, events []journal.Event) error {
	text, err := bundle.Pack(events)
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return j.fault("write", driver.ErrUnavailable, err)
	}
	if len(events) == 0 {
		return nil
	}
	err = j.exec(ctx, "append", int64(len(events)), string(text))
	if missing(err) && !j.opts.NoSetup {
		if err = j.setUp(ctx); err == nil {
			text, _ = bundle.Pack(events) // how long ago they were has changed
			err = j.exec(ctx, "append", int64(len(events)), string(text))
		}
	}
	return j.fault("write", driver.ErrUnknown, err)
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

// pageSize is how many rows one statement reads.
const pageSize = 100

// Read implements journal.Journal, by one statement for each 100 rows.
func (j *Journal) Read(ctx context.Context, q journal.Query) iter.Seq2[journal.Event, error] {
	return journal.Once(func(yield func(journal.Event, error) bool) {
		for before := int64(math.MaxInt64); ; {
			page, err := j.page(ctx, before, q.Since)
			if err != nil && !missing(err) {
				yield(journal.Event{}, j.fault("read", driver.ErrUnavailable, err))
				return
			}
			for _, r := range page {
				if !r.each(q, yield) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
			before = page[len(page)-1].seq
		}
	})
}

// row is what one append wrote.
type row struct {
	seq, at int64
	bundle  []byte
}

// each yields what q wants of the row, the last first, and reports whether to go on.
func (r row) each(q journal.Query, yield func(journal.Event, error) bool) bool {
	events, err := bundle.Unpack(r.bundle, time.UnixMicro(r.at).UTC())
	if err != nil {
		return yield(journal.Event{}, fmt.Errorf("row %d of the journal: %w", r.seq, err))
	}
	for _, e := range slices.Backward(events) {
		if q.Wants(e) && !yield(e, nil) {
			return false
		}
	}
	return true
}

// page reads the rows before a place. What a row tells is older than the row, so
// that none which was written before since has anything.
func (j *Journal) page(ctx context.Context, before int64, since time.Time) (page []row, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	written := int64(0)
	if !since.IsZero() {
		written = since.UnixMicro()
	}
	err = j.query(ctx, func(found *sql.Rows) error {
		var r row
		err := found.Scan(&r.seq, &r.at, &r.bundle)
		page = append(page, r)
		return err
	}, "read", before, written, pageSize)
	return page, err
}

// Prune implements journal.Journal. It looks which rows are to go before it removes
// them, so that it keeps nobody from adding one meanwhile.
func (j *Journal) Prune(ctx context.Context, b journal.Bounds) (int, error) {
	var before int64
	var events int
	err := j.query(ctx, func(found *sql.Rows) error { return found.Scan(&before, &events) },
		"excess", b.Age.Milliseconds(), int64(b.Events))
	if missing(err) {
		return 0, nil
	}
	if err == nil && events > 0 {
		err = j.exec(ctx, "prune", before)
	}
	if err != nil {
		return 0, j.fault("prune", driver.ErrUnknown, err)
	}
	return events, nil
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
