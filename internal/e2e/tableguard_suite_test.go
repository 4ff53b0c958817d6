package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// plainClient writes one row of a guarded table as a program does that knows nothing of
// this project but the settings and the SQLSTATEs of docs/guards/tables.md.
type plainClient struct {
	tables
	table, lease string
	rule         guard.Rule
	level        sql.IsolationLevel
}

const settings = `SELECT set_config('ringfence.fence', $1, true), set_config('ringfence.seq', $2, true), set_config('ringfence.key', $3, true),
	set_config('ringfence.establish', $4, true)`

func (c plainClient) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return c.transact(ctx, guard.Write{Fence: f}, "on", "DELETE FROM "+c.table+" WHERE false")
}

func (c plainClient) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	if w.Fence.Check() == nil && w.Check(c.rule) != nil { // a program that knows its own rule
		v := fence.Verdict{Outcome: fence.Refused, Cause: fence.Invalid, Resource: c.table, Fence: w.Fence}
		return v, v.Err()
	}
	return c.transact(ctx, w, "off", "INSERT INTO "+c.table+" VALUES ($1, $2) ON CONFLICT (lease) DO UPDATE SET body = excluded.body", c.lease, value)
}

func (c plainClient) Read(ctx context.Context) (body string, err error) {
	err = c.QueryRowContext(ctx, "SELECT body FROM "+c.table+" WHERE lease = $1", c.lease).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return body, err
}

func (c plainClient) transact(ctx context.Context, w guard.Write, establish, statement string, args ...any) (fence.Verdict, error) {
	tx, err := c.BeginTx(ctx, &sql.TxOptions{Isolation: c.level})
	if err != nil {
		return c.answer(w.Fence, fence.Unavailable, err)
	}
	defer tx.Rollback()
	seq := strconv.FormatUint(w.Seq, 10)
	if _, err = tx.ExecContext(ctx, settings, w.Fence.String(), seq, w.Key, establish); err == nil {
		_, err = tx.ExecContext(ctx, statement, args...)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return c.answer(w.Fence, fence.Unavailable, err)
	}
	return c.answer(w.Fence, fence.Unknown, tx.Commit())
}

var markInMessage = regexp.MustCompile(`is below the mark (\d+)`)

// answer is what became of a statement. Without the server's word it is doubt.
func (c plainClient) answer(f fence.Fence, doubt fence.Outcome, err error) (fence.Verdict, error) {
	v := fence.Verdict{Outcome: doubt, Resource: c.table, Fence: f}
	var e *pgconn.PgError
	switch {
	case err == nil:
		v.Outcome, v.Mark = fence.Admitted, f.Token
		return v, nil
	case !errors.As(err, &e):
		return v, err
	case e.Code == "RF000":
		v.Outcome = fence.Duplicate
		return v, nil
	case strings.HasPrefix(e.Code, "40"):
		v.Outcome = fence.Unavailable
		return v, errors.Join(guard.ErrRetry, err)
	}
	for cause, state := range stateOf {
		if e.Code == state {
			v.Outcome, v.Cause = fence.Refused, cause
			v.Landed = strings.Contains(e.Message, "this write had been applied")
			if found := markInMessage.FindStringSubmatch(e.Message); found != nil {
				_ = v.Mark.UnmarshalText([]byte(found[1]))
			}
			return v, v.Err()
		}
	}
	return v, err
}

// TestTableGuardSuite runs the contract of a guard on tables of one lease each, which are
// judged once a statement, and on tables whose rows belong to a lease each, written to by
// serializable transactions. Such a table takes a term of every lease, so G06 is left out.
func TestTableGuardSuite(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.SetMaxOpenConns(16)
	for _, rule := range []guard.Rule{guard.Latest, guard.Once, guard.Sequenced} {
		c := plainClient{tables: d, table: fmt.Sprint("pieces_", rule), rule: rule, level: sql.LevelSerializable}
		if rule != guard.Latest {
			c.create(t, "{lease}")
		}
		for _, clause := range guardtest.Clauses() {
			if clause.ID == "G06" && rule != guard.Latest {
				continue
			}
			t.Run(rule.String()+"/"+clause.ID+"_"+clause.Name, func(t *testing.T) {
				t.Parallel()
				clause.Run(t, guardtest.Target{
					Rule: rule, Establishes: true, Keys: true, Unwritable: "unwritable",
					Open: func(_ context.Context, lease string) (guardtest.Resource, error) {
						one := c
						if one.lease = lease; rule == guard.Latest {
							one.table, one.level = strings.ToLower("piece_"+clause.ID), sql.LevelReadCommitted
							one.create(t, lease)
						}
						return one, nil
					},
				})
			})
		}
	}
}

func (c plainClient) create(t *testing.T, lease string) {
	t.Helper()
	d := tables{c.DB, t}
	d.must("CREATE TABLE " + c.table + " (lease text PRIMARY KEY, body text CHECK (body <> 'unwritable'))")
	d.guard(tableguard.Table{Name: c.table, Lease: lease, Rule: tableguard.Rule(c.rule.String())})
}
