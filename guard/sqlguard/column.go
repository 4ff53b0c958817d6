package sqlguard

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
)

// Runner runs a statement: *sql.DB, *sql.Conn or *sql.Tx.
type Runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Column guards single rows by a fence column of their own: the write and the
// comparison are one statement. Declare it once and use it from any goroutine.
//
// The column is a whole number of 64 bits. NULL means that the row is not
// established, and nothing is admitted. A row that is open to the first term is
// inserted with 0; one that belongs to a term, with that term's token.
type Column struct {
	Dialect Dialect    // required
	Table   string     // required; the schema may stand before a dot. It is quoted, so case counts
	ID      string     // required; a column that is unique
	Fence   string     // required; the column that holds the token
	Lease   string     // required; the only lease whose fences count
	Rule    guard.Rule // required; Once (fence < token) or Latest (fence <= token)
	// Counter counts the verdicts. Defaults to none.
	Counter *guard.Counter
	// MaxAge is the greatest age of a write's inputs, as Options.MaxAge of a Guard is:
	// such rows are changed with UpdateAsOf. Defaults to no limit.
	MaxAge time.Duration
}

// Update changes the row whose ID column is id, if f may: set is what follows
// SET in your dialect, fixed text of the program with args as its parameters,
// numbered from 1 and without the fence column:
//
//	v, err := reports.Update(ctx, db, lease.Fence(), day, "body = $1", body)
//
// MySQL has ? for each of them, in their order.
//
// The error is nil exactly when the write is applied. Why a write was refused is
// read afterwards, and the verdict says so (Observed). A column keeps no key:
// under Once the term's second write is a Conflict, also when it is the first
// one sent again. After a lost reply (guard.ErrUnknown) read the row: when its
// fence is the token, the write landed.
func (c Column) Update(ctx context.Context, q Runner, f fence.Fence, id any, set string, args ...any) (fence.Verdict, error) {
	return c.UpdateAsOf(ctx, q, f, time.Time{}, id, set, args...)
}

// UpdateAsOf is Update with the time of the oldest input that the change was computed
// from, on the database's clock: see [Now].
func (c Column) UpdateAsOf(ctx context.Context, q Runner, f fence.Fence, asOf time.Time, id any, set string, args ...any) (fence.Verdict, error) {
	if err := c.Check(); err != nil {
		return fence.Verdict{}, err
	}
	if err := checkSet(set); err != nil {
		return fence.Verdict{}, err
	}
	e := edit{file: "column_update", set: set, args: args}
	if c.MaxAge > 0 {
		e.file, e.asOf = "column_fresh", asOf
	}
	return c.change(ctx, q, guard.Write{Fence: f, AsOf: asOf}, id, e)
}

// Establish raises the fence of the row to f's token and changes nothing else,
// also where it is NULL, so that nothing older can land any more. It goes with
// the rule Latest only: under Once it would use up the term's one write.
func (c Column) Establish(ctx context.Context, q Runner, f fence.Fence, id any) (fence.Verdict, error) {
	if err := c.Check(); err != nil {
		return fence.Verdict{}, err
	}
	if c.Rule == guard.Once {
		return fence.Verdict{}, fmt.Errorf("%w: %s: to establish would use up the one write of the rule once (%w); use the rule latest, or a Guard",
			fence.ErrInvalid, fence.Quote(c.Table), errors.ErrUnsupported)
	}
	return c.change(ctx, q, guard.Write{Fence: f}, id, edit{file: "column_establish"})
}

// Check reports why c can't guard anything, or nil. Update and Establish call it.
func (c Column) Check() error {
	if err := c.Dialect.check(); err != nil {
		return err
	}
	for _, part := range append(strings.Split(c.Table, "."), c.ID, c.Fence) {
		if part == "" || strings.ContainsRune(part, 0) {
			return invalid("column guard: table %s, id %s, fence %s: each is required",
				fence.Quote(c.Table), fence.Quote(c.ID), fence.Quote(c.Fence))
		}
	}
	if c.Rule != guard.Once && c.Rule != guard.Latest {
		return invalid("rule %s of a column guard: want once or latest; sequenced needs a Guard", c.Rule)
	}
	if err := guard.CheckMaxAge(c.MaxAge); err != nil {
		return err
	}
	return fence.CheckName(c.Lease)
}

// checkSet refuses a text that could hide the condition behind it.
func checkSet(set string) error {
	if strings.TrimSpace(set) == "" {
		return invalid("set: it is empty; say what to change, such as \"body = $1\"")
	}
	for _, s := range []string{"--", "/*", ";", "\x00"} {
		if strings.Contains(set, s) {
			return invalid("set %s: it has %q; leave comments out, and pass texts as parameters", fence.Quote(set), s)
		}
	}
	return nil
}

// edit is a change of a row.
type edit struct {
	file, set string
	args      []any
	asOf      time.Time // of column_fresh
}

// change sends one guarded statement, and asks for the cause when it changed nothing.
func (c Column) change(ctx context.Context, q Runner, w guard.Write, id any, e edit) (fence.Verdict, error) {
	f := w.Fence
	v := fence.Verdict{Resource: c.Table, Fence: f}
	if w.Check(guard.Latest) != nil || f.Name != c.Lease || e.file == "column_fresh" && e.asOf.IsZero() {
		v.Outcome, v.Cause = fence.Refused, fence.Invalid
		return c.conclude(v)
	}
	if err := ctx.Err(); err != nil { // nothing was sent
		v, err := about(c.Table, f).broken(err)
		return c.counted(v), err
	}
	found, err := c.send(ctx, q, f, id, e)
	if err != nil {
		return c.failed(q, f, err)
	}
	if found {
		v.Outcome, v.Mark = fence.Admitted, f.Token
		return c.conclude(v)
	}
	v.Outcome, v.Observed = fence.Refused, true
	if v.Cause, v.Mark, err = c.observe(ctx, q, w, id); err != nil {
		// The refusal is certain, so the write is known not to be applied.
		v, err := about(c.Table, f).broken(err)
		return c.counted(v), err
	}
	return c.conclude(v)
}

// send reports whether the statement found a row that it might change. MySQL counts
// no row that had the new values before, unless its driver is told to; so there the
// statement hands the token back.
func (c Column) send(ctx context.Context, q Runner, f fence.Fence, id any, e edit) (bool, error) {
	n := len(e.args)
	maxAge := strconv.FormatInt(c.MaxAge.Milliseconds(), 10)
	if c.Dialect == MySQL {
		statement := c.statement(e.file, "{set}", e.set, "{token}", f.Token.String(), "{key}", c.Dialect.parameter(n+1),
			"{as_of}", strconv.FormatInt(e.asOf.UnixMilli(), 10), "{max_age}", maxAge)
		r, err := q.ExecContext(ctx, statement, append(e.args[:n:n], id)...)
		if err != nil {
			return false, err
		}
		token, err := r.LastInsertId()
		return token == int64(f.Token), err
	}
	statement := c.statement(e.file, "{set}", e.set, "{token}", c.Dialect.parameter(n+1), "{key}", c.Dialect.parameter(n+2),
		"{as_of}", c.Dialect.parameter(n+3), "{max_age}", maxAge)
	args := append(e.args[:n:n], int64(f.Token), id)
	if !e.asOf.IsZero() {
		args = append(args, e.asOf.UnixMilli())
	}
	rows, err := affected(q.ExecContext(ctx, statement, args...))
	return rows > 0, err
}

// observe reads why a write changed nothing. The row may have changed again
// since, so this is what is so now.
func (c Column) observe(ctx context.Context, q Runner, w guard.Write, id any) (fence.Cause, fence.Token, error) {
	var mark sql.NullInt64
	var ms int64
	err := q.QueryRowContext(ctx, c.statement("column_read", "{key}", c.Dialect.parameter(1)), id).Scan(&mark, &ms)
	now := time.UnixMilli(ms)
	switch token := fence.Token(mark.Int64); {
	case errors.Is(err, sql.ErrNoRows):
		return fence.NotEstablished, 0, nil
	case err != nil:
		return fence.NoCause, 0, err
	case w.Fence.Token > futureLimit(now):
		return fence.Future, token, nil
	case w.Fence.Token < token:
		return fence.Superseded, token, nil
	case w.Fence.Token == token && c.Rule == guard.Once:
		return fence.Conflict, token, nil
	case mark.Valid && !w.AsOf.IsZero():
		age := guard.Freshness{MaxAge: c.MaxAge, Now: now}.Judge(w.AsOf)
		return cmp.Or(age, fence.NotEstablished), token, nil
	default: // the fence is NULL, or the row was missing when the write came
		return fence.NotEstablished, token, nil
	}
}

func (c Column) failed(q Runner, f fence.Fence, err error) (fence.Verdict, error) {
	s := about(c.Table, f)
	if _, open := q.(*sql.Tx); open {
		err = s.Inside(err)
	} else {
		err = s.Alone(err)
	}
	v, err := sqlfault.VerdictOf(err)
	return c.counted(v), err
}

func (c Column) conclude(v fence.Verdict) (fence.Verdict, error) { return c.counted(v), v.Err() }

func (c Column) counted(v fence.Verdict) fence.Verdict {
	c.Counter.Count(v)
	return v
}

// statement fills the names and the given pairs into a statement's file. Columns
// stand behind their table's name, since SQLite takes a lone "word" that names
// no column for a text.
func (c Column) statement(file string, pairs ...string) string {
	table := strings.Split(c.Table, ".")
	old := "<"
	if c.Rule == guard.Latest {
		old = "<="
	}
	for i, part := range table {
		table[i] = c.Dialect.quote(part)
	}
	pairs = append(pairs,
		"{table}", strings.Join(table, "."), "{row}", strings.Join(table, "."),
		"{id}", c.Dialect.quote(c.ID), "{fence}", c.Dialect.quote(c.Fence), "{old}", old)
	return strings.NewReplacer(pairs...).Replace(c.Dialect.sql(file))
}
