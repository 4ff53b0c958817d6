package e2e

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// proxied opens the database of g behind a proxy that can lose replies.
func proxied(t *testing.T, address string) (*sql.DB, *realserver.Proxy) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p := realserver.NewProxy(t, u.Host)
	u.Host = p.Addr()
	db, err := sql.Open("pgx", u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db, p
}

// TestSQLGuardCommitWithoutReply: the commit is carried out and its reply is
// lost. The caller is told Unknown in good time, and the same write sent again
// says that it landed.
func TestSQLGuardCommitWithoutReply(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	direct := openGuarded(t, sqlguard.Postgres, "pgx", address)
	through, proxy := proxied(t, address)
	day := direct.day(t, nil)
	g, err := sqlguard.New(sqlguard.Postgres, "report", guard.Sequenced, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Establish(t.Context(), through, job(7)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	w := guard.Write{Fence: job(7), Seq: 1, Key: "k"}
	began := time.Now()
	v, err := g.InTx(ctx, through, w, func(tx *sql.Tx) error {
		err := direct.put(ctx, tx, day, "written")
		proxy.DropReplies()
		return err
	})
	if !errors.Is(err, guard.ErrUnknown) || v.Outcome != fence.Unknown || time.Since(began) > 10*time.Second {
		t.Fatalf("got %v (error %v) after %s; want unknown", v, err, time.Since(began))
	}
	direct.settled(t, day, "written")
	v, err = g.InTx(t.Context(), direct.DB, w, func(*sql.Tx) error {
		t.Error("the write ran twice")
		return nil
	})
	if v.Outcome != fence.Duplicate || err != nil {
		t.Errorf("sent again: %v (error %v); want duplicate", v, err)
	}
}

func TestSQLGuardColumnWithoutReply(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	direct := openGuarded(t, sqlguard.Postgres, "pgx", address)
	through, proxy := proxied(t, address)
	day := direct.day(t, 0)
	column := direct.column("job", guard.Once)
	if err := through.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	// the statement is prepared first, so that its execution is what loses the reply
	if _, err := column.Update(t.Context(), through, job(6), day, "body = $1", "before"); err != nil {
		t.Fatal(err)
	}
	proxy.DropReplies()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	v, err := column.Update(ctx, through, job(7), day, "body = $1", "written")
	if !errors.Is(err, guard.ErrUnknown) || v.Outcome != fence.Unknown {
		t.Fatalf("got %v (error %v); want unknown", v, err)
	}
	direct.settled(t, day, "written")
	v, err = column.Update(t.Context(), direct.DB, job(7), day, "body = $1", "written")
	if causeOf(err) != fence.Conflict || v.Mark != 7 || !v.Observed {
		t.Errorf("sent again: %v (error %v); want a conflict with the own token as mark, observed", v, err)
	}
}

// settled waits until the server has carried out what was on its way.
func (g guarded) settled(t *testing.T, day int64, want string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if got, err := g.body(t.Context(), day); err == nil && got == want {
			return
		}
	}
	g.holds(t, day, want)
}
