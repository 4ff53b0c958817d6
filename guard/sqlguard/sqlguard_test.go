package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// unused is a database that fails the test when anything is sent to it.
type unused struct{ t *testing.T }

func (u unused) ExecContext(_ context.Context, query string, _ ...any) (sql.Result, error) {
	u.t.Errorf("sent: %s", query)
	return nil, io.EOF
}

func (u unused) QueryRowContext(_ context.Context, query string, _ ...any) *sql.Row {
	u.t.Errorf("sent: %s", query)
	return nil
}

func TestStatementsSayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	for _, d := range []Dialect{Postgres, SQLite, MySQL} {
		if len(statements[d]) < 10 {
			t.Errorf("%s has %d statements", d, len(statements[d]))
		}
		for name, text := range statements[d] {
			first, _, _ := strings.Cut(text, "\n")
			if len(first) < 30 || !strings.HasPrefix(first, "-- ") {
				t.Errorf("%s/%s.sql begins with %q; want its purpose", d, name, first)
			}
		}
	}
}

// TestConstantsInStatements: the limit of the future that statements compute is
// that of package fence.
func TestConstantsInStatements(t *testing.T) {
	t.Parallel()
	limit := fmt.Sprintf("- %d + 86400000) * %d", fence.EpochUnixMilli, fence.TokensPerTick)
	for _, d := range []Dialect{Postgres, SQLite, MySQL} {
		for _, name := range []string{"column_update", "column_establish"} {
			if !strings.Contains(d.sql(name), limit) {
				t.Errorf("%s/%s.sql does not compute %s", d, name, limit)
			}
		}
		if !strings.Contains(d.sql("setup"), fence.MaxToken.String()) {
			t.Errorf("%s/setup.sql does not know the highest token", d)
		}
	}
}

func TestColumnStatement(t *testing.T) {
	t.Parallel()
	c := Column{Dialect: Postgres, Table: `shop.a"b`, ID: "id", Fence: "fence", Lease: "job", Rule: guard.Once}
	got := c.statement("column_update", "{set}", `note = '{id}'`, "{token}", "$1", "{key}", "$2")
	for _, want := range []string{
		`UPDATE "shop"."a""b" SET note = '{id}',`, `"fence" = $1::bigint`,
		`WHERE "shop"."a""b"."id" = $2 AND "shop"."a""b"."fence" < $1::bigint`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	c.Rule = guard.Latest
	if got := c.statement("column_update"); !strings.Contains(got, "<=") {
		t.Errorf("latest does not admit the equal token:\n%s", got)
	}
}

func TestColumnStatementOfMySQL(t *testing.T) {
	t.Parallel()
	c := Column{Dialect: MySQL, Table: "shop.a`b", ID: "id", Fence: "fence", Lease: "job", Rule: guard.Once}
	got := c.statement("column_update", "{set}", "note = ?", "{token}", "7", "{key}", c.Dialect.parameter(2))
	for _, want := range []string{
		"UPDATE `shop`.`a``b` SET note = ?,", "`fence` = LAST_INSERT_ID(7)", "WHERE `shop`.`a``b`.`id` = ? AND `shop`.`a``b`.`fence` < 7\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestArgumentsInStatements: for MySQL they are written into the text, where nothing
// in them can be taken for SQL.
func TestArgumentsInStatements(t *testing.T) {
	t.Parallel()
	text, rest := MySQL.statement("landed", `'; DROP TABLE x; -- \ $2`, int64(7))
	if len(rest) != 0 || !strings.Contains(text, "resource = x'273b2044524f50205441424c4520783b202d2d205c202432' AND token = 7") {
		t.Errorf("%s with %v", text, rest)
	}
	if text, rest := Postgres.statement("landed", "a", int64(7)); len(rest) != 2 || !strings.Contains(text, "$1") {
		t.Errorf("%s with %v", text, rest)
	}
}

func TestColumnRefusesBeforeSending(t *testing.T) {
	t.Parallel()
	good := Column{Dialect: SQLite, Table: "report", ID: "day", Fence: "fence", Lease: "job", Rule: guard.Latest}
	for name, spoil := range map[string]func(*Column){
		"dialect": func(c *Column) { c.Dialect = 0 }, "table": func(c *Column) { c.Table = "" }, "schema": func(c *Column) { c.Table = ".report" },
		"id": func(c *Column) { c.ID = "" }, "fence": func(c *Column) { c.Fence = "a\x00" }, "lease": func(c *Column) { c.Lease = "" },
		"rule": func(c *Column) { c.Rule = 0 }, "sequenced": func(c *Column) { c.Rule = guard.Sequenced },
	} {
		c := good
		spoil(&c)
		if _, err := c.Update(t.Context(), unused{t}, fence.Fence{Name: "job", Token: 7}, 1, "body = 'x'"); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%s: %v; want fence.ErrInvalid", name, err)
		}
	}
	for _, set := range []string{"", " \n", "a = 1 --", "a = 1 /* ", "a = 1; DROP TABLE report", "a = '\x00'"} {
		if _, err := good.Update(t.Context(), unused{t}, fence.Fence{Name: "job", Token: 7}, 1, set); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("set %q: %v; want fence.ErrInvalid", set, err)
		}
	}
	for _, f := range []fence.Fence{{}, {Name: "job"}, {Name: "job", Token: -1}, {Name: "job", Token: 1 << 53}, {Name: "Job", Token: 7}} {
		v, err := good.Update(t.Context(), unused{t}, f, 1, "body = 'x'")
		if v.Cause != fence.Invalid || !errors.Is(err, fence.ErrRefused) || v.Observed {
			t.Errorf("%v: %v (error %v); want it refused as invalid", f, v, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := good.Update(ended, unused{t}, fence.Fence{Name: "job", Token: 7}, 1, "body = 'x'"); v.Outcome != fence.Unavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v (error %v)", v, err)
	}
}

// TestGuardRefusesBeforeSending: a fence of another lease than the guard was
// told, and a bad write, are refused without a database.
func TestGuardRefusesBeforeSending(t *testing.T) {
	t.Parallel()
	g, err := New(SQLite, "report", guard.Sequenced, &Options{Lease: "job"})
	if err != nil {
		t.Fatal(err)
	}
	other := fence.Fence{Name: "other", Token: 7}
	if v, err := g.EstablishTx(t.Context(), nil, other); v.Cause != fence.Invalid || v.Resource != "report" || !errors.Is(err, fence.ErrRefused) {
		t.Errorf("establish: %v (error %v); want it refused as invalid", v, err)
	}
	for _, w := range []guard.Write{{Fence: other, Seq: 1, Key: "k"}, {Fence: fence.Fence{Name: "job", Token: 7}, Key: "k"}} {
		if v, err := g.Admit(t.Context(), nil, w); v.Cause != fence.Invalid || !errors.Is(err, fence.ErrRefused) {
			t.Errorf("%+v: %v (error %v); want it refused as invalid", w, v, err)
		}
	}
	if n := g.Counter().Refusals()[fence.Invalid]; n != 3 {
		t.Errorf("%d refusals counted; want 3", n)
	}
}

func TestNewRefusesBadInput(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func() error{
		"dialect":  func() error { _, err := New(9, "r", guard.Once, nil); return err },
		"resource": func() error { _, err := New(SQLite, "", guard.Once, nil); return err },
		"rule":     func() error { _, err := New(SQLite, "r", 0, nil); return err },
		"lease":    func() error { _, err := New(SQLite, "r", guard.Once, &Options{Lease: " "}); return err },
		"setup":    func() error { return Setup(t.Context(), nil, 0) },
		"in tx":    func() error { return InTx(t.Context(), On(nil, 0), fence.Fence{}, "r", nil) },
		"owned":    func() error { _, err := Owned{}.Admit(t.Context(), nil, fence.Fence{}); return err },
	} {
		if err := call(); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%s: %v; want fence.ErrInvalid", name, err)
		}
	}
}
