package zkstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

// wait gives a new waiter for job a place in line.
func wait(t *testing.T, s *zkstore.Store, keep time.Duration, ahead int) driver.Request {
	t.Helper()
	r := request("job", time.Minute)
	if p, err := s.Wait(t.Context(), r, keep); err != nil || p.Ahead != ahead {
		t.Fatalf("%+v, %v; want %d ahead", p, err, ahead)
	}
	return r
}

// turn begins to listen for the turn of a waiter for job.
func turn(t *testing.T, s *zkstore.Store, r driver.Request) <-chan struct{} {
	t.Helper()
	hints, err := s.WatchTurn(t.Context(), "job", r.Attempt)
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

// inLine is how many wait for job.
func (s *site) inLine(t *testing.T) func() int {
	conn := s.conn(t)
	return func() int {
		line, _, err := conn.Children("/" + s.prefix + "/wait/job")
		if err != nil && !errors.Is(err, zk.ErrNoNode) {
			t.Fatal(err)
		}
		return len(line)
	}
}

// hinted waits for a hint.
func hinted(t *testing.T, hints <-chan struct{}, after string) {
	t.Helper()
	until(t, "a hint after "+after, func() bool { return len(hints) == 1 })
	<-hints
}

// lineWakesOne: of 20 waiters in two processes, one is told of a release, and in the
// order in which they came. The last of them leaves nothing behind.
func lineWakesOne(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	stores := []*zkstore.Store{at.open(t, zkstore.Options{}), at.open(t, zkstore.Options{})}
	term := take(t, s, "job")
	inLine := at.inLine(t)
	var line []driver.Request
	var hints []<-chan struct{}
	for i := range 20 {
		line = append(line, wait(t, stores[i%2], driver.MaxKeep, i))
		hints = append(hints, turn(t, stores[i%2], line[i]))
	}
	for i, r := range line {
		release(t, s, term)
		hinted(t, hints[i], fmt.Sprintf("release %d", i))
		for k := i + 1; k < len(hints); k++ { // one that was served may be told twice of its own turn
			if len(hints[k]) > 0 {
				t.Fatalf("waiter %d was woken with waiter %d", k, i)
			}
		}
		term = acquire(t, stores[i%2], r)
		if left := inLine(); left != len(line)-i-1 {
			t.Errorf("%d are in the line after the grant to waiter %d", left, i)
		}
	}
	release(t, s, term)
	release(t, s, take(t, s, "job")) // takes away the line that is empty, and what the record says of it
	if found, _, err := at.conn(t).Exists("/" + at.prefix + "/wait/job"); err != nil || found {
		t.Errorf("the folder of the line is there: %t, %v; want it gone", found, err)
	}
}

// lineSparesAReading: whoever is told of its turn gets the name by one request.
func lineSparesAReading(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	var c counter
	waiting := at.open(t, zkstore.Options{Dial: c.dial})
	r := wait(t, waiting, driver.MaxKeep, 0)
	hints := turn(t, waiting, r)
	release(t, s, term)
	hinted(t, hints, "a release")
	if n := c.of(func() { acquire(t, waiting, r) }); n > 4 { // and the looks of who stood first, when the record changed and when it has no place
		t.Errorf("%d requests; want one, beside those of the watch", n)
	}
}

// lineMeetsAGrant: a grant fails that was under way when the first one came who waits.
func lineMeetsAGrant(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	release(t, s, take(t, s, "job"))
	var first driver.Request
	err := s.WriteAsRead(t.Context(), request("job", time.Minute), func() { first = wait(t, s, driver.MaxKeep, 0) })
	wants(t, err, zk.ErrBadVersion, "a grant on the record as it was")
	acquire(t, s, first)
}

// lineGuardsARecordThatIsPruned: a record that some wait for stays, and so nobody gets
// before them.
func lineGuardsARecordThatIsPruned(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	first := wait(t, s, driver.MaxKeep, 0)
	release(t, s, term)
	if n, err := s.Prune(t.Context(), 0, 10); n != 0 || err != nil {
		t.Errorf("pruned %d, %v; want the record kept", n, err)
	}
	_, err := s.Acquire(t.Context(), request("job", time.Minute))
	wants(t, err, driver.ErrHeld, "acquire out of turn")
	release(t, s, acquire(t, s, first))
	wait(t, at.open(t, zkstore.Options{}), 100*time.Millisecond, 0)
	until(t, "the record to go with the last of its line", func() bool {
		n, err := s.Prune(t.Context(), 0, 10)
		return n == 1 && err == nil
	})
}

// lineSkipsACorpse: a waiter that was killed is in the way for as long as its session
// lasts, and no longer.
func lineSkipsACorpse(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	proxy := realserver.NewProxy(t, at.address)
	dead := at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 2 * time.Second})
	corpse := turn(t, dead, wait(t, dead, driver.MaxKeep, 0))
	next := wait(t, s, driver.MaxKeep, 1)
	hints := turn(t, s, next)
	proxy.Blackhole()
	release(t, s, term)
	hinted(t, hints, "the end of the one before it")
	acquire(t, s, next)
	if len(corpse) > 0 {
		t.Error("a waiter that is cut off was told")
	}
}

// lineAfterAnExpiry: a waiter whose session has expired stands at the end when it says
// again that it waits, and is told of its turn there.
func lineAfterAnExpiry(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	proxy := realserver.NewProxy(t, at.address)
	cut := at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 2 * time.Second})
	r := wait(t, cut, driver.MaxKeep, 0)
	hints := turn(t, cut, r)
	inLine := at.inLine(t)
	proxy.Blackhole()
	until(t, "the end of the session", func() bool { return inLine() == 0 })
	next := wait(t, s, driver.MaxKeep, 0)
	proxy.Heal()
	until(t, "another place", func() bool {
		p, err := cut.Wait(t.Context(), r, driver.MaxKeep)
		return err == nil && p.Ahead == 1
	})
	release(t, s, term)
	term = acquire(t, s, next)
	release(t, s, term)
	hinted(t, hints, "a release")
}

// lineKeepsNoLostWaiter: a place whose answer was lost is found again by its id, or
// goes when nobody says any more that it waits.
func lineKeepsNoLostWaiter(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	take(t, s, "job")
	wait(t, s, driver.MaxKeep, 0) // makes the folder of the line
	inLine := at.inLine(t)
	proxy := realserver.NewProxy(t, at.address)
	lossy := at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 4 * time.Second})
	proxy.DropReplies()
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	lost := make(chan error)
	go func() {
		_, err := lossy.Wait(ctx, request("job", time.Minute), time.Second)
		lost <- err
	}()
	until(t, "the place whose answer is lost", func() bool { return inLine() == 2 })
	giveUp()
	if err := <-lost; err == nil {
		t.Error("a wait without an answer succeeded")
	}
	proxy.Heal()
	until(t, "the lost place to go", func() bool { return inLine() == 1 })

	lossy = at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 4 * time.Second})
	proxy.DropReplies()
	time.AfterFunc(200*time.Millisecond, proxy.Heal)
	wait(t, lossy, driver.MaxKeep, 1)
	if n := inLine(); n != 2 {
		t.Errorf("%d are in the line; want 2", n)
	}
}
