package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

var tableDialects = map[sqlguard.Dialect]tableguard.Dialect{
	sqlguard.Postgres: tableguard.Postgres, sqlguard.SQLite: tableguard.SQLite, sqlguard.MySQL: tableguard.MySQL,
}

// tabled is the row of a lease in a guarded table, written through InTx.
type tabled struct {
	guarded
	tables *tableguard.DB
	table  string
	rule   guard.Rule
	lease  string
}

func (r tabled) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	if f.Check() != nil || f.Name != r.lease {
		return r.invalid(f)
	}
	_, err := r.tables.Establish(ctx, f)
	v := fence.Verdict{Outcome: fence.Admitted, Resource: r.table, Fence: f, Mark: f.Token}
	var refused *fence.RefusedError
	var failed *guard.Error
	switch {
	case errors.As(err, &refused):
		v = refused.Verdict
	case errors.As(err, &failed):
		v = failed.Verdict()
	case err != nil:
		v.Outcome = fence.Unavailable
	}
	return v, err
}

// Write knows the rule of its table, which InTx does not.
func (r tabled) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	if w.Check(r.rule) != nil {
		return r.invalid(w.Fence)
	}
	clash := "ON CONFLICT (lease) DO UPDATE SET body = excluded.body"
	if r.dialect == sqlguard.MySQL {
		clash = "ON DUPLICATE KEY UPDATE body = VALUES(body)"
	}
	statement := r.sql("INSERT INTO " + r.table + " (lease, body) VALUES ($1, $2) " + clash)
	return r.tables.InTx(ctx, w, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, r.lease, "almost "+value)
		if err == nil {
			_, err = tx.ExecContext(ctx, statement, r.lease, value)
		}
		return err
	})
}

func (r tabled) invalid(f fence.Fence) (fence.Verdict, error) {
	v := fence.Verdict{Outcome: fence.Refused, Cause: fence.Invalid, Resource: r.table, Fence: f}
	return v, v.Err()
}

func (r tabled) Read(ctx context.Context) (body string, err error) {
	err = r.QueryRowContext(ctx, r.sql("SELECT body FROM "+r.table+" WHERE lease = $1"), r.lease).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return body, err
}

// TestTableGuardInTx runs the contract of a guard on tables whose rows belong to a lease
// each. What a transaction writes in two statements is one write.
func TestTableGuardInTx(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db guarded) {
		tables := tableguard.On(db.DB, tableDialects[db.dialect])
		rules := []guard.Rule{guard.Latest, guard.Once, guard.Sequenced}
		if db.dialect == sqlguard.Postgres {
			rules = rules[2:] // TestTableGuardSuite has them all
		}
		for _, rule := range rules {
			one := tabled{guarded: db, tables: tables, table: "report_" + rule.String(), rule: rule}
			db.exec(t, "CREATE TABLE "+one.table+" (lease varchar(200) PRIMARY KEY, body varchar(200) NOT NULL CHECK (body <> 'unwritable'))")
			err := tables.Install(t.Context(), tableguard.Table{Name: one.table, Lease: "{lease}", Rule: tableguard.Rule(rule.String())})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(rule.String(), func(t *testing.T) {
				guardtest.Run(t, guardtest.Target{
					Rule: rule, Establishes: true, Keys: true, Unwritable: "unwritable",
					Open: func(_ context.Context, lease string) (guardtest.Resource, error) {
						r := one
						r.lease = lease
						return r, nil
					},
				})
			})
		}
	})
}

// TestTableGuardMarksInEachDialect sums up and raises the marks of some leases, and
// leaves those of others.
func TestTableGuardMarksInEachDialect(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db guarded) {
		tables := tableguard.On(db.DB, tableDialects[db.dialect])
		if m, err := tables.Marks(t.Context(), ""); err != nil || m.Count != 0 {
			t.Errorf("where nothing was ever guarded: %+v, %v", m, err)
		}
		db.exec(t, "CREATE TABLE item (lease varchar(200) PRIMARY KEY, body varchar(200))")
		if err := tables.Install(t.Context(), tableguard.Table{Name: "item", Lease: "{lease}", Rule: tableguard.Sequenced}); err != nil {
			t.Fatal(err)
		}
		for name, token := range map[string]fence.Token{"job%/a": 7, "job%/b": 900, "job-/c": 3, "Job%/d": 3} {
			if names, err := tables.Establish(t.Context(), fence.Fence{Name: name, Token: token}); err != nil || len(names) != 1 {
				t.Fatal(names, err)
			}
		}
		one := tabled{guarded: db, tables: tables, table: "item", rule: guard.Sequenced, lease: "job%/a"}
		write := func(token fence.Token) (fence.Verdict, error) {
			return one.Write(t.Context(), guard.Write{Fence: fence.Fence{Name: one.lease, Token: token}, Seq: 1, Key: "k"}, "x")
		}
		if v, err := write(7); err != nil || v.Outcome != fence.Admitted {
			t.Errorf("%v, %v", v, err)
		}
		if m, err := tables.Marks(t.Context(), "job%/"); err != nil || m != (guard.Marks{Count: 2, Highest: 900}) {
			t.Errorf("%+v, %v", m, err)
		}
		if n, err := tables.RaiseMarks(t.Context(), "job%/", 100); err != nil || n != 1 {
			t.Errorf("raised %d, %v; want the one that is lower", n, err)
		}
		if n, err := tables.RaiseMarks(t.Context(), "", fence.MaxToken); err != nil || n != 0 {
			t.Errorf("raised %d to the end of all numbers, %v", n, err)
		}
		if v, _ := write(7); v.Cause != fence.Superseded || v.Mark != 100 || !v.Landed {
			t.Errorf("a write of the older term, which had landed: %+v", v)
		}
		if v, err := write(101); err != nil || v.Outcome != fence.Admitted {
			t.Errorf("a newer term: %v, %v", v, err)
		}
	})
}

// TestTableGuardInTxLeavesNothingBehind: the next user of a connection carries no fence.
func TestTableGuardInTxLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db guarded) {
		db.SetMaxOpenConns(1)
		tables := tableguard.On(db.DB, tableDialects[db.dialect])
		f := fence.Fence{Name: "job", Token: 5}
		if err := tables.Install(t.Context(), tableguard.Table{Name: "report", Lease: "job"}); err != nil {
			t.Fatal(err)
		}
		if _, err := tables.Establish(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		own := errors.New("the caller's own")
		for day, want := range []error{nil, own, fence.ErrRefused} {
			w := guard.Write{Fence: f}
			if want == fence.ErrRefused {
				w.Fence.Token--
			}
			_, err := tables.InTx(t.Context(), w, func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO report (day, body) VALUES (%d, 'x')", day))
				return errors.Join(err, want)
			})
			if !errors.Is(err, want) {
				t.Errorf("%v; want %v", err, want)
			}
			if _, err := db.ExecContext(t.Context(), "UPDATE report SET body = 'y'"); want == nil && err == nil {
				t.Error("written without a fence after InTx")
			}
			if _, err := db.ExecContext(t.Context(), "INSERT INTO report (day, body) VALUES (7, 'y')"); err == nil {
				t.Errorf("written without a fence after InTx ended with %v", want)
			}
		}
		if n := tables.Counter().Refusals()[fence.Superseded]; n != 1 {
			t.Errorf("%d superseded counted; want 1", n)
		}
		if db.dialect == sqlguard.SQLite {
			var on bool
			if err := db.QueryRowContext(t.Context(), "PRAGMA foreign_keys").Scan(&on); err != nil || on {
				t.Errorf("foreign keys are enforced after InTx: %t, %v", on, err)
			}
		}
	})
}
