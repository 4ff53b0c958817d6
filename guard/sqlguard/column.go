package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
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
	if err := c.Check(); err != nil {
		return fence.Verdict{}, err
	}
	if err := checkSet(set); err != nil {
		return fence.Verdict{}, err
	}
	return c.change(ctx, q, f, id, "column_update", set, args)
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
	return c.change(ctx, q, f, id, "column_establish", "", nil)
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

// change sends one guarded statement, and asks for the cause when it changed nothing.
func (c Column) change(ctx context.Context, q Runner, f fence.Fence, id any, file, set string, args []any) (fence.Verdict, error) {
	v := fence.Verdict{Resource: c.Table, Fence: f}
	if f.Check() != nil || f.Name != c.Lease {
		v.Outcome, v.Cause = fence.Refused, fence.Invalid
		return c.conclude(v)
	}
	if err := ctx.Err(); err != nil { // nothing was sent
		v, err := subject{c.Table, f}.broken(err)
		return c.counted(v), err
	}
	found, err := c.send(ctx, q, f, id, file, set, args)
	if err != nil {
		return c.failed(q, f, err)
	}
	if found {
		v.Outcome, v.Mark = fence.Admitted, f.Token
		return c.conclude(v)
	}
	v.Outcome, v.Observed = fence.Refused, true
	if v.Cause, v.Mark, err = c.observe(ctx, q, f, id); err != nil {
		// The refusal is certain, so the write is known not to be applied.
		v, err := subject{c.Table, f}.broken(err)
		return c.counted(v), err
	}
	return c.conclude(v)
}

// send reports whether the statement found a row that it might change. MySQL counts
// no row that had the new values before, unless its driver is told to; so there the
// statement hands the token back.
func (c Column) send(ctx context.Context, q Runner, f fence.Fence, id any, file, set string, args []any) (bool, error) {
	n := len(args)
	if c.Dialect == MySQL {
		statement := c.statement(file, "{set}", set, "{token}", f.Token.String(), "{key}", c.Dialect.parameter(n+1))
		r, err := q.ExecContext(ctx, statement, append(args[:n:n], id)...)
		if err != nil {
			return false, err
		}
		token, err := r.LastInsertId()
		return token == int64(f.Token), err
	}
	statement := c.statement(file, "{set}", set, "{token}", c.Dialect.parameter(n+1), "{key}", c.Dialect.parameter(n+2))
	rows, err := affected(q.ExecContext(ctx, statement, append(args[:n:n], int64(f.Token), id)...))
	return rows > 0, err
}

// observe reads why a write changed nothing. The row may have changed again
// since, so this is what is so now.
func (c Column) observe(ctx context.Context, q Runner, f fence.Fence, id any) (fence.Cause, fence.Token, error) {
	var mark, ms int64
	err := q.QueryRowContext(ctx, c.statement("column_read", "{key}", c.Dialect.parameter(1)), id).Scan(&mark, &ms)
	switch token := fence.Token(mark); {
	case errors.Is(err, sql.ErrNoRows):
		return fence.NotEstablished, 0, nil
	case err != nil:
		return fence.NoCause, 0, err
	case f.Token > futureLimit(ms):
		return fence.Future, token, nil
	case f.Token < token:
		return fence.Superseded, token, nil
	case f.Token == token && c.Rule == guard.Once:
		return fence.Conflict, token, nil
	default: // the fence is NULL, or the row was missing when the write came
		return fence.NotEstablished, token, nil
	}
}

func (c Column) failed(q Runner, f fence.Fence, err error) (fence.Verdict, error) {
	s := subject{c.Table, f}
	if _, open := q.(*sql.Tx); open {
		err = s.inside(err)
	} else {
		err = s.alone(err)
	}
	v, err := verdictOf(err)
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
