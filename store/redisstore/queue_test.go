package redisstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// wire is a server whose every pipeline waits for a word from the test.
type wire struct {
	sent chan int   // how many calls a pipeline carries
	gate chan error // one word lets one pipeline end
}

func newWire(workers int) (wire, *queue) {
	w := wire{make(chan int, 100), make(chan error)}
	return w, newQueue(func(_ context.Context, calls []*call, _ bool) {
		w.sent <- len(calls)
		err := <-w.gate
		for _, c := range calls {
			c.settle("done", err)
		}
	}, workers)
}

type caller struct {
	err   chan error
	leave context.CancelFunc
}

func (q *queue) start() caller {
	ctx, leave := context.WithCancel(context.Background())
	c := caller{make(chan error, 1), leave}
	go func() { c.err <- q.ask(ctx, &call{apart: true}) }()
	synctest.Wait()
	return c
}

func TestCallsOfABusyServerGoTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, q := newWire(1)
		callers := []caller{q.start()}
		if n := <-w.sent; n != 1 {
			t.Errorf("an idle server is sent %d calls; want the one, at once", n)
		}
		for range maxBatch + 2 {
			callers = append(callers, q.start())
		}
		for range 3 {
			w.gate <- nil
		}
		for _, c := range callers {
			if err := <-c.err; err != nil {
				t.Error(err)
			}
		}
		if a, b := <-w.sent, <-w.sent; a != maxBatch || b != 2 {
			t.Errorf("pipelines of %d and %d calls; want %d and 2", a, b, maxBatch)
		}
		synctest.Wait()
		if q.workers != 0 {
			t.Errorf("%d workers of an idle queue", q.workers)
		}
	})
}

// Nothing is under way: a caller itself sends. Whatever comes meanwhile goes together
// afterwards.
func TestLoneCallerSendsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var alone []bool
		gate := make(chan struct{})
		q := newQueue(func(_ context.Context, calls []*call, byCaller bool) {
			alone = append(alone, byCaller)
			<-gate
			for _, c := range calls {
				c.settle("done", nil)
			}
		}, 3)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := q.ask(t.Context(), &call{}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		for range 2 {
			gate <- struct{}{}
		}
		all.Wait()
		if !slices.Equal(alone, []bool{true, false}) {
			t.Errorf("sent by the caller: %v; want the first alone, and the others together", alone)
		}
		q.close()
	})
}

// One more connection is taken when the one that is under way hangs, or when much waits.
func TestOneMoreConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, q := newWire(3)
		began := time.Now()
		callers := []caller{q.start()}
		if n := <-w.sent; n != 1 || time.Since(began) != 0 {
			t.Errorf("%d calls sent after %s; want 1 at once", n, time.Since(began))
		}
		callers = append(callers, q.start())
		if n := <-w.sent; n != 1 || time.Since(began) != patience {
			t.Errorf("%d calls sent %s after the first hangs; want 1 after %s", n, time.Since(began), patience)
		}
		for range enough {
			callers = append(callers, q.start())
		}
		if n := <-w.sent; n != enough || time.Since(began) != patience {
			t.Errorf("%d calls sent; want %d at once", n, enough)
		}
		for range 3 {
			w.gate <- nil
		}
		for _, c := range callers {
			if err := <-c.err; err != nil {
				t.Error(err)
			}
		}
		q.close()
	})
}

// A term may be lost when its renewal is late, so it waits behind nobody who has none.
func TestTermsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, q := newWire(1)
		callers := []caller{q.start()}
		for range maxBatch + 1 {
			callers = append(callers, q.start())
		}
		renewal := &call{script: lasting}
		if err := q.join(renewal); err != nil {
			t.Fatal(err)
		}
		w.gate <- nil
		w.gate <- nil
		synctest.Wait()
		select {
		case <-renewal.done:
		default:
			t.Error("a renewal is not answered with the next pipeline")
		}
		w.gate <- nil
		for _, c := range callers {
			if err := <-c.err; err != nil {
				t.Error(err)
			}
		}
		q.close()
	})
}

func TestCallerThatLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, q := newWire(1)
		sent, waits := q.start(), q.start()
		waits.leave()
		if err := <-waits.err; !errors.Is(judge(err).kind, driver.ErrUnavailable) {
			t.Errorf("before it was sent: %v; want ErrUnavailable", err)
		}
		began := time.Now()
		sent.leave()
		if err := <-sent.err; !errors.Is(judge(err).kind, driver.ErrUnknown) || time.Since(began) > lastWord {
			t.Errorf("after it was sent: %v after %s; want ErrUnknown soon", err, time.Since(began))
		}
		// Its connection hangs, and keeps nobody else waiting.
		next := q.start()
		if a, b := <-w.sent, <-w.sent; a != 1 || b != 1 {
			t.Errorf("pipelines of %d and %d calls", a, b)
		}
		w.gate <- nil
		w.gate <- nil
		if err := <-next.err; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if q.workers != 0 {
			t.Errorf("%d workers of an idle queue", q.workers)
		}
	})
}

func TestAnswerThatIsAboutToComeIsNoDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, q := newWire(1)
		c := q.start()
		c.leave()
		time.Sleep(lastWord / 2)
		w.gate <- nil
		if err := <-c.err; err != nil {
			t.Errorf("%v; want the answer", err)
		}
	})
}

func TestCloseFailsWhatWaitsAndAwaitsWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, q := newWire(1)
		sent, waits := q.start(), q.start()
		closed := make(chan struct{})
		go func() { q.close(); close(closed) }()
		if err := <-waits.err; !errors.Is(judge(err).kind, driver.ErrClosed) {
			t.Errorf("what waits: %v; want ErrClosed", err)
		}
		synctest.Wait()
		select {
		case <-closed:
			t.Error("closed while a pipeline is under way")
		default:
		}
		w.gate <- nil
		<-closed
		if err := <-sent.err; err != nil {
			t.Error(err)
		}
		if err := <-q.start().err; !errors.Is(judge(err).kind, driver.ErrClosed) {
			t.Errorf("afterwards: %v; want ErrClosed", err)
		}
	})
}
