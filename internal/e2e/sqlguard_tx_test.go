package e2e

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

func job(token fence.Token) fence.Fence { return fence.Fence{Name: "job", Token: token} }

// causeOf is the cause of a refusal, NoCause for any other error.
func causeOf(err error) fence.Cause {
	var refused *fence.RefusedError
	if !errors.As(err, &refused) {
		return fence.NoCause
	}
	return refused.Verdict.Cause
}

func (g guarded) day(t *testing.T, token any) int64 {
	t.Helper()
	day, err := g.newDay(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return day
}

// TestScenario_R02_ZombieWrite_SQLGuard: the paused holder's whole transaction is refused.
func TestScenario_R02_ZombieWrite_SQLGuard(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		ctx, db := t.Context(), sqlguard.On(g.DB, g.dialect)
		one, two := g.day(t, nil), g.day(t, nil)
		both := func(text string) func(*sql.Tx) error {
			return func(tx *sql.Tx) error { return errors.Join(g.put(ctx, tx, one, text), g.put(ctx, tx, two, text)) }
		}
		if err := sqlguard.InTx(ctx, db, job(7), "report", both("first")); err != nil {
			t.Fatal(err) // the mark is created
		}
		if err := sqlguard.InTx(ctx, db, job(9), "report", both("newer")); err != nil {
			t.Fatal(err)
		}
		err := sqlguard.InTx(ctx, db, job(7), "report", func(*sql.Tx) error {
			t.Error("a superseded transaction ran")
			return nil
		})
		var refused *fence.RefusedError
		if !errors.As(err, &refused) || refused.Verdict.Cause != fence.Superseded || refused.Verdict.Mark != 9 ||
			refused.Verdict.Fence != job(7) || refused.Verdict.Resource != "report" || refused.Verdict.Observed {
			t.Errorf("got %v; want superseded by 9, judged in the step", err)
		}
		g.holds(t, one, "newer")
		g.holds(t, two, "newer")
		if n := db.Counter().Refusals()[fence.Superseded]; n != 1 {
			t.Errorf("%d superseded writes counted; want 1", n)
		}
		if n := db.Counter().Outcomes()[fence.Admitted]; n != 2 {
			t.Errorf("%d admitted writes counted; want 2", n)
		}
	})
}

func TestSQLGuardFailedTransactionLeavesNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		ctx, db, day := t.Context(), sqlguard.On(g.DB, g.dialect), g.day(t, nil)
		own := errors.New("the report has no lines")
		err := sqlguard.InTx(ctx, db, job(9), "report", func(tx *sql.Tx) error {
			return errors.Join(g.put(ctx, tx, day, "half done"), own)
		})
		if !errors.Is(err, own) || errors.Is(err, fence.ErrRefused) {
			t.Errorf("got %v; want the function's own error", err)
		}
		func() {
			defer func() { _ = recover() }()
			_ = sqlguard.InTx(ctx, db, job(9), "report", func(tx *sql.Tx) error {
				_ = g.put(ctx, tx, day, "half done")
				panic("in the middle")
			})
		}()
		g.holds(t, day, "")
		if err := sqlguard.InTx(ctx, db, job(7), "report", func(*sql.Tx) error { return nil }); err != nil {
			t.Errorf("the failed transactions raised the mark: %v", err)
		}
	})
}

// TestSQLGuardNewerWaits: while a transaction holds the mark, a newer one waits
// for it, and then counts.
func TestSQLGuardNewerWaits(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		ctx, db, day := t.Context(), sqlguard.On(g.DB, g.dialect), g.day(t, nil)
		if err := sqlguard.InTx(ctx, db, job(1), "report", func(*sql.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		began, done := make(chan struct{}), make(chan error, 1)
		err := sqlguard.InTx(ctx, db, job(7), "report", func(tx *sql.Tx) error {
			go func() {
				done <- sqlguard.InTx(ctx, db, job(9), "report", func(tx *sql.Tx) error {
					close(began)
					return g.put(ctx, tx, day, "newer")
				})
			}()
			select {
			case <-began:
				t.Error("a newer transaction began beside one that holds the mark")
			case <-time.After(200 * time.Millisecond):
			}
			return g.put(ctx, tx, day, "older")
		})
		if err := errors.Join(err, <-done); err != nil {
			t.Fatal(err)
		}
		g.holds(t, day, "newer")
	})
}

// TestSQLGuardOldSnapshot: a transaction that read before the mark moved is told
// to try again, never that it is refused.
func TestSQLGuardOldSnapshot(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		levels := map[string]sql.IsolationLevel{"deferred": sql.LevelDefault}
		switch g.dialect {
		case sqlguard.Postgres:
			levels = map[string]sql.IsolationLevel{"repeatable read": sql.LevelRepeatableRead, "serializable": sql.LevelSerializable}
		case sqlguard.MySQL: // without this setting a lock of MySQL's is of what is there now, beside a snapshot of what was
			levels = map[string]sql.IsolationLevel{"repeatable read": sql.LevelRepeatableRead}
			g = openGuarded(t, sqlguard.MySQL, "mysql", realserver.SharedMariaDB(t)+"?"+quotesNames+"&innodb_snapshot_isolation=1")
		}
		for name, level := range levels {
			t.Run(name, func(t *testing.T) { oldSnapshot(t, g, level, "report "+name) })
		}
	})
}

func oldSnapshot(t *testing.T, g guarded, level sql.IsolationLevel, resource string) {
	ctx, day := t.Context(), g.day(t, 0)
	gd, err := sqlguard.New(g.dialect, resource, guard.Latest, nil)
	if err != nil {
		t.Fatal(err)
	}
	column := g.column("job", guard.Latest)
	if _, err := gd.Establish(ctx, g.DB, job(1)); err != nil {
		t.Fatal(err)
	}
	for i, write := range []func(tx *sql.Tx, token fence.Token) (fence.Verdict, error){
		func(tx *sql.Tx, token fence.Token) (fence.Verdict, error) {
			return gd.Admit(ctx, tx, guard.Write{Fence: job(token)})
		},
		func(tx *sql.Tx, token fence.Token) (fence.Verdict, error) {
			return column.Update(ctx, tx, job(token), day, g.sql("body = $1"), "x")
		},
	} {
		what := []string{"mark", "column"}[i]
		tx, err := g.BeginTx(ctx, &sql.TxOptions{Isolation: level})
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM report").Scan(&n); err != nil {
			t.Fatal(err)
		}
		newer := fence.Token(10 * (i + 1))
		if _, err := gd.Establish(ctx, g.DB, job(newer)); err != nil {
			t.Fatal(err)
		}
		if _, err := column.Update(ctx, g.DB, job(newer), day, g.sql("body = $1"), "newer"); err != nil {
			t.Fatal(err)
		}
		v, err := write(tx, newer+1)
		if !errors.Is(err, guard.ErrRetry) || errors.Is(err, fence.ErrRefused) || v.Outcome != fence.Unavailable {
			t.Errorf("%s: %v (error %v); want guard.ErrRetry", what, v, err)
		}
		_ = tx.Rollback()
		g.holds(t, day, "newer")
	}
}

func TestSQLGuardEndedContextCommitsNothing(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		db, day := sqlguard.On(g.DB, g.dialect), g.day(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		err := sqlguard.InTx(ctx, db, job(7), "report", func(tx *sql.Tx) error {
			defer cancel()
			return g.put(ctx, tx, day, "too late")
		})
		if !errors.Is(err, context.Canceled) || !errors.Is(err, guard.ErrUnavailable) {
			t.Errorf("got %v; want the context's end, and nothing applied", err)
		}
		g.holds(t, day, "")
	})
}

func TestSQLGuardFunctionMustNotCommit(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, g guarded) {
		err := sqlguard.InTx(t.Context(), sqlguard.On(g.DB, g.dialect), job(7), "report", func(tx *sql.Tx) error { return tx.Commit() })
		if !errors.Is(err, guard.ErrUnknown) || !errors.Is(err, sql.ErrTxDone) {
			t.Errorf("got %v; want guard.ErrUnknown", err)
		}
	})
}

// TestSQLGuardIgnoredError: in PostgreSQL a failed statement dooms the
// transaction, also when the function hides it, and the commit is a rollback.
func TestSQLGuardIgnoredError(t *testing.T) {
	t.Parallel()
	g := guardedPostgres(t)
	ctx, day := t.Context(), g.day(t, nil)
	err := sqlguard.InTx(ctx, sqlguard.On(g.DB, g.dialect), job(7), "report", func(tx *sql.Tx) error {
		_ = g.put(ctx, tx, day, "lost")
		_ = g.put(ctx, tx, day, "unwritable")
		return nil
	})
	if err == nil || errors.Is(err, guard.ErrUnknown) || errors.Is(err, fence.ErrRefused) {
		t.Errorf("got %v; want a definite failure", err)
	}
	g.holds(t, day, "")
}

func TestSQLGuardDeadlockIsRetried(t *testing.T) {
	t.Parallel()
	g := guardedPostgres(t)
	ctx, db, one, two := t.Context(), sqlguard.On(g.DB, g.dialect), g.day(t, nil), g.day(t, nil)
	holding, done := make(chan struct{}), make(chan error, 1)
	err := sqlguard.InTx(ctx, db, job(7), "report one", func(tx *sql.Tx) error {
		first := g.put(ctx, tx, one, "a")
		go func() {
			done <- sqlguard.InTx(ctx, db, job(7), "report two", func(tx *sql.Tx) error {
				first := g.put(ctx, tx, two, "b")
				close(holding)
				return errors.Join(first, g.put(ctx, tx, one, "b"))
			})
		}()
		<-holding
		return errors.Join(first, g.put(ctx, tx, two, "a"))
	})
	other := <-done
	if (err == nil) == (other == nil) {
		t.Fatalf("%v and %v; want one of the two to give way", err, other)
	}
	if err = errors.Join(err, other); !errors.Is(err, guard.ErrRetry) || errors.Is(err, fence.ErrRefused) {
		t.Errorf("got %v; want guard.ErrRetry", err)
	}
}

// TestSQLGuardCreatedByTwo: two terms create the same mark at once. The one that
// comes second must raise what the first one made.
func TestSQLGuardCreatedByTwo(t *testing.T) {
	t.Parallel()
	g := guardedPostgres(t) // SQLite has one writer at a time
	ctx := t.Context()
	gd, err := sqlguard.New(g.dialect, "report", guard.Latest, nil)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := g.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := gd.EstablishTx(ctx, tx, job(7)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := gd.Establish(ctx, g.DB, job(9))
		done <- err
	}()
	for waiting := 0; waiting == 0; {
		const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
		if err := g.QueryRowContext(ctx, query).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tx.Commit(), <-done); err != nil {
		t.Fatal(err)
	}
	if err := sqlguard.InTx(ctx, sqlguard.On(g.DB, g.dialect), job(8), "report", func(*sql.Tx) error { return nil }); causeOf(err) != fence.Superseded {
		t.Errorf("token 8 after 9 was established: %v; want superseded", err)
	}
}
