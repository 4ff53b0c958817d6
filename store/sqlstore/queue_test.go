package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// fake is a database whose every batch waits for a word from the test.
type fake struct {
	backend // the calls of an operator are not used
	limit   int
	mix     bool
	dial    func(context.Context) error // nil: connects at once
	gate    chan error                  // one word lets one batch end
	verdict verdict                     // of every call; done where empty

	mu      sync.Mutex
	batches [][]string
	ended   []error // what each batch's context said when it was let go
}

func (f *fake) workers() int                  { return f.limit }
func (f *fake) mixed() bool                   { return f.mix }
func (f *fake) close()                        {}
func (f *fake) properties() driver.Properties { return driver.Properties{Store: "fake", Resolution: 1} }

func (f *fake) connect(ctx context.Context) (session, error) {
	if f.dial != nil {
		if err := f.dial(ctx); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *fake) release(error) {}

func (f *fake) run(ctx context.Context, calls []*call) error {
	var names []string
	for _, c := range calls {
		names = append(names, fmt.Sprintf("%s %s", c.kind, c.name))
		c.answer = answer{verdict: cmp.Or(f.verdict, done), token: 7}
	}
	f.mu.Lock()
	f.batches = append(f.batches, names)
	f.mu.Unlock()
	var err error
	select {
	case err = <-f.gate:
	case <-ctx.Done():
		err = ctx.Err()
	}
	f.mu.Lock()
	f.ended = append(f.ended, ctx.Err())
	f.mu.Unlock()
	return err
}

func (f *fake) sent() [][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.batches)
}

func (f *fake) want(t *testing.T, batches ...[]string) {
	t.Helper()
	synctest.Wait()
	if got := f.sent(); !slices.EqualFunc(got, batches, slices.Equal) {
		t.Errorf("sent %q; want %q", got, batches)
	}
}

// try is one call whose result can be waited for.
type try struct {
	err  chan error
	quit context.CancelFunc
}

func start(s *Store, k kind, name string) try {
	ctx, quit := context.WithCancel(context.Background())
	r := try{make(chan error, 1), quit}
	go func() {
		_, err := s.do(ctx, call{kind: k, name: name, attempt: "a", token: 1})
		r.err <- err
	}()
	synctest.Wait()
	return r
}

func newFake(workers int, mixed bool) (*fake, *Store) {
	f := &fake{limit: workers, mix: mixed, gate: make(chan error)}
	return f, newStore(f, Postgres, Options{})
}

func TestIdleStoreSendsACallAtOnceAndAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(2, false)
		began := time.Now()
		one := start(s, acquire, "one")
		f.want(t, []string{"acquire one"})
		f.gate <- nil
		if err := <-one.err; err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		s.Close()
	})
}

func TestIdleStoreHandsACallToNoOtherGoroutine(t *testing.T) {
	f, s := newFake(2, false)
	f.gate = make(chan error, 1)
	f.gate <- nil
	before := runtime.NumGoroutine()
	f.dial = func(context.Context) error {
		if now := runtime.NumGoroutine(); now > before {
			t.Errorf("%d goroutines more", now-before)
		}
		return nil
	}
	if err := s.Release(t.Context(), driver.Term{Fence: fence.Fence{Name: "n", Token: 1}, Attempt: "a"}); err != nil {
		t.Error(err)
	}
	s.Close()
}

func TestCallThatCameMeanwhileIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, false)
		first := start(s, acquire, "first")
		second := start(s, acquire, "second")
		f.gate <- nil
		f.gate <- nil
		for _, c := range []try{first, second} {
			if err := <-c.err; err != nil {
				t.Error(err)
			}
		}
		if synctest.Wait(); s.queue.workers+s.queue.busy != 0 {
			t.Errorf("%d workers are left", s.queue.busy)
		}
		s.Close()
	})
}

func TestCallsOfABusyStoreGoTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, false)
		calls := []try{start(s, acquire, "first")}
		for _, name := range []string{"a", "b", "a"} {
			calls = append(calls, start(s, acquire, name))
		}
		calls = append(calls, start(s, release, "c"))
		for range 4 {
			f.gate <- nil
		}
		for _, c := range calls {
			if err := <-c.err; err != nil {
				t.Error(err)
			}
		}
		f.want(t, []string{"acquire first"}, []string{"acquire a", "acquire b"}, []string{"acquire a"}, []string{"release c"})
		s.Close()
	})
}

func TestKindsMixWhereTheDatabaseTakesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, true)
		start(s, acquire, "first")
		start(s, release, "a")
		start(s, renew, "b")
		f.gate <- nil
		f.want(t, []string{"acquire first"}, []string{"renew b", "release a"})
		f.gate <- nil
		s.Close()
	})
}

// TestRenewalGoesFirst: a lease may hang on it, and those who would like the name are many.
func TestRenewalGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, false)
		for _, name := range []string{"first", "a", "b"} {
			start(s, acquire, name)
		}
		start(s, renew, "c")
		f.gate <- nil
		f.gate <- nil
		f.want(t, []string{"acquire first"}, []string{"renew c"}, []string{"acquire a", "acquire b"})
		f.gate <- nil
		s.Close()
	})
}

func TestOneBatchThatHangsDoesNotStopTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(2, false)
		start(s, acquire, "hangs")
		next := start(s, acquire, "goes on")
		f.gate <- nil // either of them
		f.gate <- nil
		<-next.err
		s.Close()
	})
}

func TestCallerThatLeavesTheQueueSentNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, false)
		first, second := start(s, acquire, "first"), start(s, acquire, "second")
		second.quit()
		if err := <-second.err; !errors.Is(err, driver.ErrUnavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v; want ErrUnavailable", err)
		}
		f.gate <- nil
		<-first.err
		f.want(t, []string{"acquire first"})
		s.Close()
	})
}

func TestCallerThatLeavesAfterwardsDoesNotKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, false)
		first := start(s, acquire, "first")
		a, b := start(s, acquire, "a"), start(s, acquire, "b")
		f.gate <- nil
		<-first.err
		synctest.Wait()
		began := time.Now()
		a.quit()
		if err := <-a.err; !errors.Is(err, driver.ErrUnknown) || time.Since(began) > lastWord {
			t.Errorf("%v after %s; want ErrUnknown at once", err, time.Since(began))
		}
		synctest.Wait()
		if len(f.ended) != 1 {
			t.Error("the batch was given up while one of its callers waits")
		}
		b.quit()
		if err := <-b.err; !errors.Is(err, driver.ErrUnknown) {
			t.Errorf("%v; want ErrUnknown", err)
		}
		synctest.Wait()
		if len(f.ended) != 2 || f.ended[1] == nil {
			t.Error("the batch goes on although all its callers have gone")
		}
		s.Close()
	})
}

func TestAnswerThatIsAboutToComeIsNoDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, false)
		one := start(s, acquire, "one")
		one.quit()
		time.Sleep(lastWord / 2)
		f.gate <- nil
		if err := <-one.err; err != nil {
			t.Errorf("%v; want the answer", err)
		}
		s.Close()
	})
}

func TestHangingConnectEndsWithItsCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, false)
		f.dial = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		a, b := start(s, acquire, "a"), start(s, acquire, "b")
		for _, c := range []try{a, b} {
			c.quit()
			if err := <-c.err; !errors.Is(err, driver.ErrUnavailable) {
				t.Errorf("%v; want ErrUnavailable", err)
			}
		}
		synctest.Wait()
		if s.queue.workers+s.queue.busy != 0 {
			t.Error("a worker still connects for nobody")
		}
		f.dial = nil
		c := start(s, acquire, "c") // a new worker
		f.gate <- nil
		if err := <-c.err; err != nil {
			t.Error(err)
		}
		s.Close()
	})
}

func TestCloseFailsWhatWaitsAndEndsWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which also fails when a goroutine is left
		_, s := newFake(1, false)
		sent, waits := start(s, acquire, "sent"), start(s, acquire, "waits")
		s.Close()
		if err := <-waits.err; !errors.Is(err, driver.ErrClosed) {
			t.Errorf("a call in the queue: %v; want ErrClosed", err)
		}
		if err := <-sent.err; !errors.Is(err, driver.ErrUnknown) {
			t.Errorf("a call under way: %v; want ErrUnknown", err)
		}
		if err := s.Release(t.Context(), driver.Term{Fence: fence.Fence{Name: "n", Token: 1}, Attempt: "a"}); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("a call afterwards: %v; want ErrClosed", err)
		}
		s.Close()
	})
}

func TestLostConnectionIsTriedAgainButNeverForgotten(t *testing.T) {
	lost := errors.New("unexpected EOF")
	for _, c := range []struct {
		name string
		end  []error
		want error
	}{
		{"then an answer", []error{lost, lost, nil}, nil},
		{"lost for good", []error{lost, lost, lost, lost, lost}, driver.ErrUnknown},
		{"then unreachable", []error{lost, refuse("", "no table")}, driver.ErrUnknown},
		{"never sent", []error{sql.ErrConnDone, refuse("", "no table")}, driver.ErrUnfit},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFake(1, false)
				one := start(s, acquire, "one")
				for _, err := range c.end {
					f.gate <- err
				}
				if err := <-one.err; !errors.Is(err, c.want) {
					t.Errorf("%v; want %v", err, c.want)
				}
				s.Close()
			})
		})
	}
}

func TestReleaseInDoubtThatIsFoundReleasedWasItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFake(1, false)
		f.verdict = verdict(driver.EndReleased)
		lost := start(s, release, "lost")
		f.gate <- errors.New("unexpected EOF")
		f.gate <- nil
		if err := <-lost.err; err != nil {
			t.Errorf("a repeated release: %v", err)
		}
		sure := start(s, release, "sure")
		f.gate <- nil
		if err := <-sure.err; !errors.Is(err, driver.ErrEnded) {
			t.Errorf("a release of what somebody had released: %v; want ErrEnded", err)
		}
		s.Close()
	})
}

func TestStatementsArePlannedAnewAsTheTableGrows(t *testing.T) {
	p := &postgres{}
	last, since := p.plan(1), 0
	for i := range 200_000 {
		since++
		if now := p.plan(1); now != last {
			last, since = now, 0
		}
		if since > max(1024, min(i, 16384)) {
			t.Fatalf("call %d: the plan is %d calls old", i, since)
		}
	}
}
