package pgxstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// TestCommitThatMayNotBeReplicated: PostgreSQL calls a commit whose wait for its
// synchronous standby was cancelled a success, and only warns. That is a doubt, until
// the standby has it.
func TestCommitThatMayNotBeReplicated(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, nil)
	s := open(t, pg.URL("postgres"))
	acquire(t, s, "before")
	admin := connect(t, pg.URL("postgres"))
	if _, err := admin.Exec(t.Context(), "SET synchronous_commit = local"); err != nil {
		t.Fatal(err)
	}
	synchronous := func(names string) {
		for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + names + "'", "SELECT pg_reload_conf()"} {
			if _, err := admin.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		until(t, "the setting is in force", func() bool { return admin.ask("SHOW synchronous_standby_names") == names })
	}
	synchronous("missing")
	const waits = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
	until(t, "commits wait for the standby", func() bool { // the server tells its backends, and itself, one after the other
		probe := connect(t, pg.URL("postgres"))
		short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := probe.Exec(short, "SELECT pg_logical_emit_message(true, 'probe', '')")
		return err != nil
	})
	until(t, "the probes are gone", func() bool {
		admin.ask("SELECT count(pg_cancel_backend(pid))::text " + waits)
		return admin.ask("SELECT count(*)::text "+waits) == "0"
	})

	type outcome struct {
		term driver.Term
		err  error
	}
	r := request("n")
	ask := func() chan outcome {
		answered := make(chan outcome, 1)
		go func() { term, err := s.Acquire(t.Context(), r); answered <- outcome{term, err} }()
		return answered
	}
	answered := ask()
	var got outcome
	until(t, "the doubt is told", func() bool { // it is asked for again some times before
		admin.ask("SELECT count(pg_cancel_backend(pid))::text " + waits)
		select {
		case got = <-answered:
			return true
		default:
			return false
		}
	})
	wantError(t, got.err, driver.ErrUnknown, "maybe on this server alone")

	answered = ask() // the same attempt: the grant is there, and still alone
	until(t, "it waits for the standby", func() bool { return admin.ask("SELECT count(*)::text "+waits) == "1" })
	select {
	case got := <-answered:
		t.Fatalf("answered %+v before any standby had it", got)
	default:
	}
	synchronous("")
	got = <-answered
	if rec, err := s.Inspect(t.Context(), "n"); got.err != nil || err != nil || rec.Token != got.term.Token {
		t.Errorf("granted %+v, %v; the record is %+v, %v", got.term, got.err, rec, err)
	}
}

// TestCancelledAcquireIsADoubt: the statement is on its way when its caller gives up.
func TestCancelledAcquireIsADoubt(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, nil)
	proxy := realserver.NewProxy(t, pg.Addr())
	s := open(t, at(t, pg.URL("postgres"), proxy.Addr()))
	release(t, s, acquire(t, s, "n"))
	r := request("n")
	proxy.DropReplies()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := s.Acquire(ctx, r)
	wantError(t, err, driver.ErrUnknown, "same attempt")
	proxy.Heal()
	again, err := s.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := s.Inspect(t.Context(), "n"); err != nil || rec.State != driver.Held || rec.Token != again.Token {
		t.Errorf("%+v, %v; want the one grant %s", rec, err, again.Token)
	}
}
