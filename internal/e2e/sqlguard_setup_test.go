package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

func TestSQLGuardSetupByManyAtOnce(t *testing.T) {
	t.Parallel()
	for dialect, open := range map[sqlguard.Dialect][2]string{
		sqlguard.SQLite:   {"sqlite", sqliteURL(t)},
		sqlguard.Postgres: {"pgx", realserver.SharedPostgres(t)},
		sqlguard.MySQL:    {"mysql", realserver.SharedMariaDB(t)},
	} {
		t.Run(dialect.String(), func(t *testing.T) {
			t.Parallel()
			var all sync.WaitGroup
			for range 12 {
				all.Go(func() {
					db, err := sql.Open(open[0], open[1])
					if err == nil {
						defer db.Close()
						err = sqlguard.Setup(t.Context(), db, dialect)
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		})
	}
}

func TestSQLGuardWithoutItsTables(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		if g.dialect == sqlguard.Postgres {
			g.exec(t, "DROP SCHEMA ringfence CASCADE")
		} else {
			g.exec(t, "DROP TABLE ringfence_mark")
		}
		err := sqlguard.InTx(t.Context(), sqlguard.On(g.DB, g.dialect), job(7), "report", func(*sql.Tx) error { return nil })
		if !errors.Is(err, guard.ErrUnfit) || !strings.Contains(err.Error(), "sqlguard.Setup") {
			t.Errorf("got %v; want guard.ErrUnfit and what to do", err)
		}
	})
}

// TestSQLGuardWithFewRights: a role that may only use the marks can set up what
// is there and can guard; one without rights is told so.
func TestSQLGuardWithFewRights(t *testing.T) {
	t.Parallel()
	g := guardedPostgres(t)
	role := fmt.Sprintf("app_%d", lastDay.Add(1))
	g.exec(t, "CREATE ROLE "+role)
	t.Cleanup(func() { _, _ = g.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role) }) // roles outlive the database
	g.SetMaxOpenConns(1)
	g.exec(t, "SET ROLE "+role)
	ctx, db := t.Context(), sqlguard.On(g.DB, g.dialect)
	nothing := func(*sql.Tx) error { return nil }
	if err := sqlguard.InTx(ctx, db, job(7), "report", nothing); !errors.Is(err, guard.ErrUnfit) {
		t.Errorf("got %v; want guard.ErrUnfit", err)
	}
	g.exec(t, "RESET ROLE")
	g.exec(t, "GRANT USAGE ON SCHEMA ringfence TO "+role)
	g.exec(t, "GRANT SELECT, INSERT, UPDATE ON ringfence.mark, ringfence.mark_term TO "+role)
	g.exec(t, "GRANT SELECT ON ringfence.mark_reset TO "+role)
	g.exec(t, "SET ROLE "+role)
	if err := sqlguard.Setup(ctx, g.DB, g.dialect); err != nil {
		t.Error(err)
	}
	if err := sqlguard.InTx(ctx, db, job(7), "report", nothing); err != nil {
		t.Error(err)
	}
	g.exec(t, "RESET ROLE")
}

func TestSQLGuardTakesEveryName(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		ctx, db := t.Context(), sqlguard.On(g.DB, g.dialect)
		nothing := func(*sql.Tx) error { return nil }
		names := []string{"a//b", "../x", "Router-A", "router-a", "a b", "%", "{}*:", "'; --", "á", "a\u0301", "🚦", strings.Repeat("n", 512)}
		for i, name := range names {
			// a lower token for each next one: they pass only where no two names are one
			if err := sqlguard.InTx(ctx, db, fence.Fence{Name: name, Token: fence.Token(99 - i)}, name, nothing); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		for _, name := range []string{"", "a\x00", "a\n", " a", "\xff", strings.Repeat("n", 513), strings.Repeat("n", 1<<20)} {
			if err := sqlguard.InTx(ctx, db, job(7), name, nothing); !errors.Is(err, fence.ErrInvalid) || len(err.Error()) > 500 {
				t.Errorf("resource %.20q: %v; want fence.ErrInvalid", name, err)
			}
			if err := sqlguard.InTx(ctx, db, fence.Fence{Name: name, Token: 7}, "r", nothing); causeOf(err) != fence.Invalid {
				t.Errorf("lease %.20q: %v; want refused as invalid", name, err)
			}
		}
	})
}
