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

// TestSQLGuardMySQLCommitWithoutReply: as for PostgreSQL.
func TestSQLGuardMySQLCommitWithoutReply(t *testing.T) {
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
	day := direct.day(t, nil)
	g, err := sqlguard.New(sqlguard.MySQL, "report", guard.Sequenced, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Establish(t.Context(), through, job(7)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	w := guard.Write{Fence: job(7), Seq: 1, Key: "k"}
	tx, err := through.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := g.Admit(ctx, tx, w); err != nil {
		t.Fatal(err)
	}
	if err := direct.put(ctx, tx, day, "written"); err != nil {
		t.Fatal(err)
	}
	proxy.DropReplies()
	if err := tx.Commit(); err == nil {
		t.Error("the commit was answered")
	}
	direct.settled(t, day, "written")
	v, err := g.InTx(t.Context(), direct.DB, w, func(*sql.Tx) error {
		t.Error("the write ran twice")
		return nil
	})
	if v.Outcome != fence.Duplicate || err != nil {
		t.Errorf("sent again: %v (error %v); want duplicate", v, err)
	}

	proxy.Heal()
	column := direct.column("job", guard.Latest)
	row := direct.day(t, 0)
	if err := through.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	proxy.DropReplies()
	short, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	if v, err := column.Establish(short, through, job(7), row); !errors.Is(err, guard.ErrUnknown) || v.Outcome != fence.Unknown {
		t.Errorf("got %v (error %v); want unknown", v, err)
	}
}
