package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// TestSQLGuardMySQLEndedTransaction: a definition commits the transaction behind the
// back of everybody, and a deadlock that the function hides ends it. What follows is
// under no lock, and the caller is told so.
func TestSQLGuardMySQLEndedTransaction(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"definition": "CREATE TABLE other (n int)", "commit": "COMMIT", "rollback": "ROLLBACK",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := guardedMySQL(t)
			ctx, day := t.Context(), g.day(t, nil)
			for _, own := range []error{nil, errors.New("the function's own")} {
				err := sqlguard.InTx(ctx, sqlguard.On(g.DB, g.dialect), job(7), "report", func(tx *sql.Tx) error {
					_, _ = tx.ExecContext(ctx, end)
					_, _ = tx.ExecContext(ctx, "DROP TABLE IF EXISTS other")
					return errors.Join(own, g.put(ctx, tx, day, "outside of the transaction"))
				})
				if !errors.Is(err, guard.ErrUnknown) || !strings.Contains(err.Error(), "leave commit and rollback to sqlguard") || !errors.Is(err, own) && own != nil {
					t.Errorf("got %v; want unknown, and what to do", err)
				}
			}
			g.holds(t, day, "outside of the transaction")
		})
	}
}

// TestSQLGuardMySQLUnchangedRow: a write of what is there already finds its row, with
// a driver that counts changed rows and with one that counts those found.
func TestSQLGuardMySQLUnchangedRow(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t) + "?" + quotesNames
	direct := openGuarded(t, sqlguard.MySQL, "mysql", address)
	for _, option := range []string{"&clientFoundRows=false", "&clientFoundRows=true", "&interpolateParams=true"} {
		db, err := sql.Open("mysql", address+option)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		g := guarded{db, sqlguard.MySQL}
		day := direct.day(t, 0)
		column := g.column("job", guard.Latest)
		for range 3 {
			if v, err := column.Update(t.Context(), db, job(7), day, "body = ?", "the same"); err != nil || v.Outcome != fence.Admitted {
				t.Errorf("%s: %v (error %v)", option, v, err)
			}
			if err := sqlguard.InTx(t.Context(), sqlguard.On(db, g.dialect), job(7), "report", func(*sql.Tx) error { return nil }); err != nil {
				t.Errorf("%s: %v", option, err)
			}
		}
		if v, err := column.Update(t.Context(), db, job(6), day, "body = ?", "the same"); causeOf(err) != fence.Superseded {
			t.Errorf("%s: an older token: %v (error %v)", option, v, err)
		}
	}
}

// TestSQLGuardMySQLLockWait: a lock that is waited for in vain ends the statement and
// not the transaction, which the guard then rolls back.
func TestSQLGuardMySQLLockWait(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t) + "?" + quotesNames
	g := openGuarded(t, sqlguard.MySQL, "mysql", address+"&innodb_lock_wait_timeout=1")
	ctx, day := t.Context(), g.day(t, nil)
	db := sqlguard.On(g.DB, g.dialect)
	if err := sqlguard.InTx(ctx, db, job(7), "report", func(*sql.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	tx, err := g.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	mustExec(t, tx, "SELECT 1 FROM ringfence_mark FOR UPDATE")
	err = sqlguard.InTx(ctx, db, job(9), "report", func(tx *sql.Tx) error { return g.put(ctx, tx, day, "without the lock") })
	if !errors.Is(err, guard.ErrRetry) || errors.Is(err, fence.ErrRefused) {
		t.Errorf("got %v; want guard.ErrRetry", err)
	}
	g.holds(t, day, "")
}

// TestSQLGuardMySQLCreatesMarksBesideEachOther: transactions that create marks in one
// gap of the index end each other, and none of it reaches a caller.
func TestSQLGuardMySQLCreatesMarksBesideEachOther(t *testing.T) {
	t.Parallel()
	g := guardedMySQL(t)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			db := sqlguard.On(g.DB, g.dialect)
			for day := range 4 {
				err := sqlguard.InTx(t.Context(), db, job(7), fmt.Sprintf("report/%d/%d", i, day), func(*sql.Tx) error { return nil })
				if err == nil {
					err = sqlguard.InTx(t.Context(), db, job(7), fmt.Sprintf("shared/%d", day), func(*sql.Tx) error { return nil })
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// TestSQLGuardMySQLWithoutReply: the connection falls silent. The caller is told in
// good time, by what had been sent: before the commit nothing is applied.
func TestSQLGuardMySQLWithoutReply(t *testing.T) {
	t.Parallel()
	address := realserver.SharedMariaDB(t) + "?" + quotesNames
	direct := openGuarded(t, sqlguard.MySQL, "mysql", address)
	upstream := address[strings.Index(address, "(")+1 : strings.Index(address, ")")]
	proxy := realserver.NewProxy(t, upstream)
	through, err := sql.Open("mysql", strings.Replace(address, upstream, proxy.Addr(), 1))
	if err != nil {
		t.Fatal(err)
	}
	defer through.Close()
	day, column := direct.day(t, 0), direct.column("job", guard.Latest)
	began := time.Now()
	silent := func(call func(ctx context.Context) error, want error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := call(ctx); !errors.Is(err, want) || errors.Is(err, fence.ErrRefused) {
			t.Errorf("got %v; want %v", err, want)
		}
		proxy.Heal()
	}
	silent(func(ctx context.Context) error {
		return sqlguard.InTx(ctx, sqlguard.On(through, sqlguard.MySQL), job(7), "report", func(tx *sql.Tx) error {
			defer proxy.DropReplies()
			return direct.put(ctx, tx, day, "lost")
		})
	}, guard.ErrUnavailable)
	direct.holds(t, day, "")
	if _, err := column.Establish(t.Context(), through, job(7), day); err != nil {
		t.Fatal(err)
	}
	silent(func(ctx context.Context) error {
		proxy.DropReplies()
		_, err := column.Establish(ctx, through, job(8), day)
		return err
	}, guard.ErrUnknown)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}
