package zkstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

// watch begins to wait for job, and returns when the place in the line is known to be
// taken, so that the order of a test is the order of its calls.
func watch(t *testing.T, s *zkstore.Store) (hints <-chan struct{}, leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	hints, err := s.Watch(ctx, "job")
	if err != nil {
		t.Fatal(err)
	}
	return hints, cancel
}

// hinted waits for a hint.
func hinted(t *testing.T, hints <-chan struct{}, after string) {
	t.Helper()
	until(t, "a hint after "+after, func() bool { return len(hints) == 1 })
	<-hints
}

// lineWakesOne: of 20 waiters in two processes, one is told of a release, and in the
// order in which they came.
func lineWakesOne(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	stores := []*zkstore.Store{at.open(t, zkstore.Options{}), at.open(t, zkstore.Options{})}
	term := take(t, s, "job")
	var hints []<-chan struct{}
	var leave []func()
	for i := range 20 {
		h, l := watch(t, stores[i%2])
		hints, leave = append(hints, h), append(leave, l)
	}
	for i := range hints {
		release(t, s, term)
		until(t, fmt.Sprintf("a hint to waiter %d", i), func() bool { return len(hints[i]) == 1 })
		for k := range hints[i+1:] {
			if len(hints[i+1+k]) > 0 {
				t.Fatalf("waiter %d was woken with waiter %d", i+1+k, i)
			}
		}
		term = take(t, s, "job") // as that waiter would, which then leaves
		leave[i]()
	}
}

// lineSparesAReading: whoever is told of an end gets the name by one request.
func lineSparesAReading(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	var c counter
	waiting := at.open(t, zkstore.Options{Dial: c.dial})
	hints, _ := watch(t, waiting)
	release(t, s, term)
	hinted(t, hints, "a release")
	if n := c.of(func() { take(t, waiting, "job") }); n > 2 { // and the look of who stands first
		t.Errorf("%d requests; want one, beside that of the watch", n)
	}
}

// lineSkipsACorpse: a waiter that was killed is in the way for as long as its session
// lasts, and no longer.
func lineSkipsACorpse(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	proxy := realserver.NewProxy(t, at.address)
	dead, _ := watch(t, at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 2 * time.Second}))
	next, _ := watch(t, s)
	proxy.Blackhole()
	release(t, s, term)
	hinted(t, next, "the end of the one before it")
	if len(dead) > 0 {
		t.Error("a waiter that is cut off was told")
	}
}

// lineAfterAnExpiry: a waiter whose session has expired enters again, and is told
// that it may have missed something.
func lineAfterAnExpiry(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	proxy := realserver.NewProxy(t, at.address)
	hints, _ := watch(t, at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 2 * time.Second}))
	release(t, s, term)
	hinted(t, hints, "a release") // so it is known to stand first
	term = take(t, s, "job")
	conn := at.conn(t)
	waiting := func() int {
		line, _, err := conn.Children("/" + at.prefix + "/wait/job")
		if err != nil {
			t.Fatal(err)
		}
		return len(line)
	}
	proxy.Blackhole()
	until(t, "the end of the session", func() bool { return waiting() == 0 })
	proxy.Heal()
	hinted(t, hints, "its session expired")
	if waiting() != 1 {
		t.Errorf("%d are in the line", waiting())
	}
	release(t, s, term)
	hinted(t, hints, "a release")
}

// lineKeepsNoLostWaiter: a place whose answer was lost is found again by its id, or
// taken out of the line when nobody wants it any more.
func lineKeepsNoLostWaiter(t *testing.T, at *site) {
	s := at.open(t, zkstore.Options{})
	term := take(t, s, "job")
	first, leave := watch(t, s) // makes the folder of the line
	conn := at.conn(t)
	waiting := func() int {
		line, _, err := conn.Children("/" + at.prefix + "/wait/job")
		if err != nil {
			t.Fatal(err)
		}
		return len(line)
	}
	proxy := realserver.NewProxy(t, at.address)
	lossy := at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 4 * time.Second})
	proxy.DropReplies()
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	lost := make(chan error)
	go func() {
		_, err := lossy.Watch(ctx, "job")
		lost <- err
	}()
	until(t, "the place whose answer is lost", func() bool { return waiting() == 2 })
	giveUp()
	if err := <-lost; err == nil {
		t.Error("a watch without an answer succeeded")
	}
	proxy.Heal()
	until(t, "the lost place to go", func() bool { return waiting() == 1 })

	lossy = at.openAt(t, proxy.Addr(), zkstore.Options{SessionTimeout: 4 * time.Second})
	proxy.DropReplies()
	time.AfterFunc(200*time.Millisecond, proxy.Heal)
	if _, err := lossy.Watch(t.Context(), "job"); err != nil {
		t.Errorf("a watch whose first answer was lost: %v", err)
	}
	if n := waiting(); n != 2 {
		t.Errorf("%d are in the line; want 2", n)
	}
	leave()
	release(t, s, term)
	if len(first) > 0 {
		t.Error("one that has left was told")
	}
}
