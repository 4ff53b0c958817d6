package pgxstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// TestWatchAcrossProcesses: what one pool's client releases or breaks, another pool's
// waiter is told, over any number of rounds.
func TestWatchAcrossProcesses(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	holder, waiter := open(t, address), open(t, address)
	hints := watch(t, t.Context(), waiter, "n")
	for range 20 {
		release(t, holder, acquire(t, holder, "n"))
		hinted(t, hints, "a release")
	}
	acquire(t, holder, "n")
	if _, err := holder.Break(t.Context(), "n", "a test"); err != nil {
		t.Fatal(err)
	}
	hinted(t, hints, "a break")
	// Released together, by a statement for many.
	var all sync.WaitGroup
	var many []<-chan struct{}
	for i := range 20 {
		name := fmt.Sprint("many ", i)
		many = append(many, watch(t, t.Context(), waiter, name))
		term := acquire(t, holder, name)
		all.Go(func() { release(t, holder, term) })
	}
	all.Wait()
	for _, hints := range many {
		hinted(t, hints, "a release among many")
	}
}

// TestReleaseWakesOne has 20 waiters in two stores, and releases the name as often.
func TestReleaseWakesOne(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	holder := open(t, address)
	term := acquire(t, holder, "n")
	woken := make(chan int, 100)
	var ends []context.CancelFunc
	for i, store := range []driver.Watcher{open(t, address), open(t, address)} {
		for j := range 10 {
			ctx, end := context.WithCancel(t.Context())
			defer end()
			hints := watch(t, ctx, store, "n")
			number := 10*i + j
			ends = append(ends, end)
			go func() {
				for {
					select {
					case <-hints:
						woken <- number
					case <-ctx.Done():
						return
					}
				}
			}()
		}
	}
	line := connect(t, address)
	for round := range ends {
		release(t, holder, term)
		select {
		case first := <-woken:
			if first != round {
				t.Fatalf("release %d woke waiter %d; want them in the order in which they came", round, first)
			}
			ends[first]()
		case <-time.After(20 * time.Second):
			t.Fatalf("release %d woke nobody", round)
		}
		if len(woken) > 0 {
			t.Fatalf("release %d woke more than one", round)
		}
		want := fmt.Sprint(len(ends) - round - 1)
		until(t, "its place is gone", func() bool { return line.ask("SELECT count(*)::text FROM ringfence.waiter") == want })
		term = acquire(t, holder, "n")
	}
	if len(woken) > 0 {
		t.Error("more were woken than names released")
	}
}

// TestHintGoesOnToAnotherProcess: the first in line gives up with the hint in its hands.
func TestHintGoesOnToAnotherProcess(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	first, second := open(t, address), open(t, address)
	term := acquire(t, first, "n")
	ctx, giveUp := context.WithCancel(t.Context())
	untaken := watch(t, ctx, first, "n")
	hints := watch(t, t.Context(), second, "n")
	release(t, second, term)
	until(t, "the first has a hint", func() bool { return len(untaken) == 1 })
	giveUp()
	hinted(t, hints, "the first gave up without taking it")
}

// TestHintForAPlaceThatIsGone: who had the first place has left, and the row is still there.
func TestHintForAPlaceThatIsGone(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	s := open(t, address)
	other := connect(t, address)
	watch(t, t.Context(), s, "something else")
	if _, err := other.Exec(t.Context(), "INSERT INTO ringfence.waiter (name, listener) SELECT 'n', channel FROM ringfence.listener"); err != nil {
		t.Fatal(err)
	}
	hints := watch(t, t.Context(), s, "n")
	release(t, s, acquire(t, s, "n"))
	hinted(t, hints, "a release with a place in front that is gone")
	until(t, "that place is given up", func() bool {
		return other.ask("SELECT count(*)::text FROM ringfence.waiter WHERE name = 'n'") == "1"
	})
}

// TestWatchMissesNoReleaseUnderWay: a release that looked for waiters before there was
// one has not committed yet. The watch begins only when it has.
func TestWatchMissesNoReleaseUnderWay(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	s := open(t, address)
	acquire(t, s, "n")
	tx, err := connect(t, address).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	if _, err := tx.Exec(t.Context(), "UPDATE ringfence.lease SET state = 'released', expires_at = clock_timestamp()"); err != nil {
		t.Fatal(err)
	}
	begun := make(chan error, 1)
	go func() { _, err := s.Watch(t.Context(), "n"); begun <- err }()
	other := connect(t, address)
	until(t, "the waiter is in line", func() bool { return other.ask("SELECT count(*)::text FROM ringfence.waiter") == "1" })
	select {
	case err := <-begun:
		t.Fatalf("the watch began (%v) while a release that can't have seen it was under way", err)
	case <-time.After(300 * time.Millisecond):
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
	acquire(t, s, "n") // as whoever begins to wait tries at once
}

// TestConnectionLostAndFoundAgain cuts the listener off, and releases meanwhile.
func TestConnectionLostAndFoundAgain(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	s := open(t, address)
	term := acquire(t, s, "n")
	hints := watch(t, t.Context(), s, "n")
	other := connect(t, address)
	for range 3 {
		other.ask(`SELECT count(pg_terminate_backend(pid))::text FROM pg_stat_activity
			WHERE pid <> pg_backend_pid() AND datname = current_database()`)
		hinted(t, hints, "the connection was lost: something may have been missed")
	}
	until(t, "it waits again", func() bool {
		return other.ask("SELECT count(*)::text FROM ringfence.waiter JOIN ringfence.listener ON channel = listener") == "1"
	})
	for len(hints) > 0 {
		<-hints
	}
	release(t, s, term)
	hinted(t, hints, "a release over the new connection")
}

// TestServerRestartedUnderAWaiter: a crash empties the tables of those who wait.
func TestServerRestartedUnderAWaiter(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, nil)
	s := open(t, pg.URL("postgres"))
	term := acquire(t, s, "n")
	hints := watch(t, t.Context(), s, "n")
	pg.Kill()
	pg.Start()
	hinted(t, hints, "the restart")
	other := connect(t, pg.URL("postgres"))
	until(t, "it waits again", func() bool { return other.ask("SELECT count(*)::text FROM ringfence.waiter") == "1" })
	release(t, s, term)
	hinted(t, hints, "a release after the restart")
}

// TestDeadListener: the process of the first in line is gone without a word.
func TestDeadListener(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	s := open(t, address)
	other := connect(t, address)
	if _, err := other.Exec(t.Context(), `INSERT INTO ringfence.listener VALUES
		('dead', clock_timestamp() - interval '1 ms'), ('long dead', clock_timestamp() - interval '1 hour')`); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(t.Context(), `INSERT INTO ringfence.waiter (name, listener) VALUES ('n', 'dead'), ('n', 'long dead')`); err != nil {
		t.Fatal(err)
	}
	hints := watch(t, t.Context(), s, "n")
	release(t, s, acquire(t, s, "n"))
	hinted(t, hints, "a release with a dead waiter in front")
	until(t, "what the long dead one left is gone", func() bool {
		return other.ask("SELECT count(*)::text FROM ringfence.waiter WHERE listener = 'long dead'") == "0"
	})
}

// TestForgottenListener: a process that stood still for long comes back, and others have
// taken it for dead.
func TestForgottenListener(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	s := open(t, address)
	other := connect(t, address)
	hints := watch(t, t.Context(), s, "n")
	if _, err := other.Exec(t.Context(), "DELETE FROM ringfence.listener; DELETE FROM ringfence.waiter"); err != nil {
		t.Fatal(err)
	}
	release(t, s, acquire(t, s, "n")) // tells nobody
	hinted(t, hints, "it was forgotten: something may have been missed")
	release(t, s, acquire(t, s, "n"))
	hinted(t, hints, "a release when it is in line again")
}

// TestManyWaitersOneConnection also sees the connection go when nobody waits, and
// nothing left behind by a store that is closed.
func TestManyWaitersOneConnection(t *testing.T) {
	t.Parallel()
	address := realserver.SharedPostgres(t)
	s := open(t, address)
	other := connect(t, address)
	ctx, end := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() { watch(t, ctx, s, fmt.Sprint("n", i%7)) })
	}
	all.Wait()
	const listeners = `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database()
		AND query ~ 'ringfence[.](waiter|listener)' AND pid <> pg_backend_pid()`
	if n := other.ask(listeners); n != "1" {
		t.Errorf("%s connections stand in line; want 1", n)
	}
	end()
	until(t, "nobody listens for nobody", func() bool { return other.ask(listeners) == "0" })
	if n := other.ask("SELECT ((SELECT count(*) FROM ringfence.waiter) + (SELECT count(*) FROM ringfence.listener))::text"); n != "0" {
		t.Errorf("%s rows are left", n)
	}
	watch(t, t.Context(), s, "again")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := other.ask("SELECT ((SELECT count(*) FROM ringfence.waiter) + (SELECT count(*) FROM ringfence.listener))::text"); n != "0" {
		t.Errorf("%s rows are left by a closed store", n)
	}
	if _, err := s.Watch(t.Context(), "n"); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("watch a closed store: %v", err)
	}
}

// TestCloseLeavesNothing closes a store in the middle of a statement of its listener: a
// place left behind would swallow the next hint.
func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, nil)
	admin, other := connect(t, pg.URL("postgres")), connect(t, pg.URL("postgres"))
	s := open(t, pg.URL("postgres"))
	acquire(t, s, "n")
	ctx, cancel := context.WithCancel(t.Context())
	_ = watch(t, ctx, s, "n")
	if _, err := other.Exec(t.Context(), "BEGIN; LOCK TABLE ringfence.waiter"); err != nil {
		t.Fatal(err)
	}
	blocked := func(statement string) func() bool {
		return func() bool {
			return admin.ask("SELECT count(*)::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"+statement+"%'") == "1"
		}
	}
	cancel()
	until(t, "the listener gives up its place", blocked("ringfence.waiter"))
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	until(t, "it is given up over another connection", blocked("DELETE FROM ringfence.listener"))
	if _, err := other.Exec(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if left := admin.ask("SELECT (SELECT count(*) FROM ringfence.waiter) || ' ' || (SELECT count(*) FROM ringfence.listener)"); left != "0 0" {
		t.Errorf("places and listeners left: %s", left)
	}
}
