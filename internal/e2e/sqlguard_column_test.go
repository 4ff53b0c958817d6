package e2e

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

func TestSQLGuardColumnCauses(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		missing := int64(-1)
		for _, c := range []struct {
			name  string
			rule  guard.Rule
			fence any // of the row
			id    *int64
			token fence.Token
			want  fence.Cause
			mark  fence.Token
		}{
			{"no row", guard.Latest, 0, &missing, 7, fence.NotEstablished, 0},
			{"NULL", guard.Latest, nil, nil, 7, fence.NotEstablished, 0},
			{"NULL, once", guard.Once, nil, nil, 7, fence.NotEstablished, 0},
			{"older", guard.Latest, 9, nil, 7, fence.Superseded, 9},
			{"older, once", guard.Once, 9, nil, 7, fence.Superseded, 9},
			{"equal, once", guard.Once, 7, nil, 7, fence.Conflict, 7},
			{"future", guard.Latest, 5, nil, fence.MaxToken, fence.Future, 5},
			{"future before superseded", guard.Latest, int64(fence.MaxToken), nil, fence.MaxToken - 1, fence.Future, fence.MaxToken},
			{"admitted", guard.Once, 0, nil, 7, fence.NoCause, 7},
			{"admitted again", guard.Latest, 7, nil, 7, fence.NoCause, 7},
		} {
			day := g.day(t, c.fence)
			id := day
			if c.id != nil {
				id = *c.id
			}
			column := g.column("job", c.rule)
			column.Counter = new(guard.Counter)
			v, err := column.Update(t.Context(), g.DB, job(c.token), id, g.sql("body = $1"), "new")
			refused := c.want != fence.NoCause
			if v.Cause != c.want || v.Mark != c.mark || v.Observed != refused || errors.Is(err, fence.ErrRefused) != refused {
				t.Errorf("%s: %#v (error %v)", c.name, v, err)
			}
			if refused && column.Counter.Refusals()[c.want] != 1 {
				t.Errorf("%s: not counted", c.name)
			}
			if refused {
				g.holds(t, day, "")
			}
		}
	})
}

// TestSQLGuardColumnNames: names that need quotes, several parameters, and a
// statement that uses the row's own columns.
func TestSQLGuardColumnNames(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		ctx := t.Context()
		schema, text := "main", "text"
		switch g.dialect {
		case sqlguard.Postgres:
			schema = "shop"
			g.exec(t, `CREATE SCHEMA shop`)
		case sqlguard.MySQL:
			text = "varchar(50)"
			if err := g.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&schema); err != nil {
				t.Fatal(err)
			}
		}
		table := schema + `.Order "A"`
		g.exec(t, `CREATE TABLE `+schema+`."Order ""A""" ("key" `+text+` PRIMARY KEY, "a b" text, n bigint, "token" bigint NOT NULL DEFAULT 0)`)
		g.exec(t, `INSERT INTO `+schema+`."Order ""A""" ("key", n) VALUES ('x', 1), ('y', 1)`)
		column := sqlguard.Column{Dialect: g.dialect, Table: table, ID: "key", Fence: "token", Lease: "job", Rule: guard.Latest}
		if v, err := column.Update(ctx, g.DB, job(7), "x", g.sql(`"a b" = $1, n = n + $2`), "text", 41); err != nil {
			t.Fatalf("%v (error %v)", v, err)
		}
		var n, token, untouched int64
		err := g.QueryRowContext(ctx, `SELECT a."a b", a.n, a."token", b.n FROM `+schema+`."Order ""A""" a, `+schema+`."Order ""A""" b WHERE a."key" = 'x' AND b."key" = 'y'`).
			Scan(&text, &n, &token, &untouched)
		if err != nil || text != "text" || n != 42 || token != 7 || untouched != 1 {
			t.Errorf("got %q, %d, token %d, %d in the other row (error %v)", text, n, token, untouched, err)
		}
		if g.dialect == sqlguard.SQLite {
			if v, err := column.Update(ctx, g.DB, job(7), "x", `"a b" = ?, n = ?`, "unnumbered", 1); err != nil {
				t.Errorf("parameters without a number: %v (error %v)", v, err)
			}
		}
	})
}

// TestSQLGuardColumnMisspelt: a name that is no column is an error of the
// database; SQLite must not take it for a text, and compare that.
func TestSQLGuardColumnMisspelt(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		day := g.day(t, 0)
		for _, spoil := range []func(*sqlguard.Column){
			func(c *sqlguard.Column) { c.ID = "dya" },
			func(c *sqlguard.Column) { c.Fence = "fnece" },
			func(c *sqlguard.Column) { c.Table = "reprot" },
		} {
			column := g.column("job", guard.Latest)
			spoil(&column)
			v, err := column.Update(t.Context(), g.DB, job(7), day, g.sql("body = $1"), "new")
			if err == nil || errors.Is(err, fence.ErrRefused) || errors.Is(err, guard.ErrUnknown) {
				t.Errorf("%+v: %v (error %v); want the database's error", column, v, err)
			}
		}
		g.holds(t, day, "")
	})
}

// TestSQLGuardColumnInTx: several fenced rows in one transaction, all or none.
func TestSQLGuardColumnInTx(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		ctx, free, taken := t.Context(), g.day(t, 0), g.day(t, 9)
		column := g.column("job", guard.Latest)
		tx, err := g.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, err := column.Update(ctx, tx, job(7), free, g.sql("body = $1"), "new"); err != nil {
			t.Fatal(err)
		}
		if _, err := column.Update(ctx, tx, job(7), taken, g.sql("body = $1"), "new"); causeOf(err) != fence.Superseded {
			t.Errorf("got %v; want superseded", err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		g.holds(t, free, "")
		if _, err := column.Update(ctx, g.DB, job(3), free, g.sql("body = $1"), "older"); err != nil {
			t.Errorf("the rolled back write raised the fence: %v", err)
		}
	})
}

var _ sqlguard.Runner = (*sql.Conn)(nil)
