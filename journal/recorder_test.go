package journal

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// memory is a journal that can be made to fail or to hang.
type memory struct {
	mu     sync.Mutex
	events []Event
	writes int
	pruned int
	fail   error
	hang   bool
	takes  time.Duration // a write
}

func (m *memory) Append(ctx context.Context, events []Event) error {
	time.Sleep(m.takes)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	if m.hang {
		m.mu.Unlock()
		<-ctx.Done()
		m.mu.Lock()
		return &driver.Fault{Kind: driver.ErrUnknown, Err: ctx.Err()}
	}
	if m.fail != nil {
		return m.fail
	}
	m.events = append(m.events, events...)
	return nil
}

func (m *memory) Read(context.Context, Query) iter.Seq2[Event, error] { return nil }
func (m *memory) Clock() string                                       { return "none" }
func (m *memory) Close() error                                        { return nil }

func (m *memory) Prune(context.Context, Bounds) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pruned++
	return 0, nil
}

func (m *memory) set(fail error, hang bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail, m.hang = fail, hang
}

func (m *memory) all() []Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.events)
}

func (m *memory) written() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writes
}

func (m *memory) cleaned() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pruned
}

func granted(token fence.Token) Event { return Event{Kind: Granted, Name: "job", Token: token} }

func TestRecorderWritesTogetherWhatComesTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		r := NewRecorder(m, nil)
		for i := range 100 {
			r.Record(granted(fence.Token(i + 1)))
		}
		time.Sleep(time.Second)
		if got := m.all(); len(got) != 100 || m.writes != 1 || got[0].At.IsZero() || got[0].ID == got[1].ID {
			t.Errorf("%d events in %d writes", len(got), m.writes)
		}
		if err := r.Close(t.Context()); err != nil || r.Lost() != 0 {
			t.Errorf("%v, %d lost", err, r.Lost())
		}
	})
}

// TestRecorderWritesNowAndThen: a write for every few events that came during the
// last one would cost the database more than the leases do.
func TestRecorderWritesNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{takes: 3 * time.Millisecond}
		r := NewRecorder(m, &Options{Linger: 200 * time.Millisecond})
		r.Record(granted(1))
		time.Sleep(60 * time.Millisecond)
		if got := len(m.all()); got != 1 {
			t.Errorf("%d events are written soon after a quiet time", got)
		}
		for i := range 2000 { // for two seconds
			r.Record(granted(fence.Token(i + 2)))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		if n := m.written(); n < 11 || n > 13 {
			t.Errorf("%d writes in two seconds", n)
		}
		if got := len(m.all()); got != 2001 {
			t.Errorf("%d events", got)
		}
		_ = r.Close(t.Context())
	})
}

func TestRecorderNeverWaitsAndCountsWhatItLoses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{hang: true}
		r := NewRecorder(m, &Options{Buffer: 10})
		begun := time.Now()
		for i := range 25 {
			r.Record(granted(fence.Token(i + 1)))
		}
		if time.Since(begun) != 0 || r.Lost() != 15 {
			t.Errorf("%d lost after %s", r.Lost(), time.Since(begun))
		}
		time.Sleep(time.Minute)
		r.Record(granted(99)) // the buffer is still full
		m.set(nil, false)
		time.Sleep(time.Minute)
		got := m.all()
		if len(got) != 11 {
			t.Fatalf("%d events", len(got))
		}
		if g := got[10]; g.Kind != Gap || g.Lost != 16 || g.Name != "job" || g.Until.Sub(g.At) != time.Minute {
			t.Errorf("the gap is %+v", g)
		}
		r.Record(granted(100))
		time.Sleep(time.Second)
		if got = m.all(); len(got) != 12 || got[11].Token != 100 {
			t.Errorf("after the gap came %+v", got[11:])
		}
		_ = r.Close(t.Context())
	})
}

func TestRecorderKeepsAGapThatCouldNotBeWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{fail: &driver.Fault{Kind: driver.ErrUnavailable}}
		r := NewRecorder(m, &Options{Buffer: 1})
		r.Record(granted(1))
		r.Record(granted(2))
		time.Sleep(time.Minute)
		r.Record(Event{Kind: Granted, Name: "other", Token: 3})
		m.set(nil, false)
		time.Sleep(time.Minute)
		got := m.all()
		if len(got) != 2 || got[1].Lost != 2 || got[1].Name != "" {
			t.Errorf("%+v", got)
		}
		_ = r.Close(t.Context())
	})
}

func TestFlushWaitsForTheWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		r := NewRecorder(m, &Options{Linger: time.Hour})
		r.Record(granted(1))
		if err := r.Flush(t.Context()); err != nil || len(m.all()) != 1 {
			t.Errorf("%v, %d events", err, len(m.all()))
		}
		if err := r.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		_ = r.Close(t.Context())
	})
}

func TestFlushesAtOnceAreAllAnswered(t *testing.T) {
	t.Parallel()
	r := NewRecorder(&memory{}, &Options{Linger: time.Microsecond})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				r.Record(granted(fence.Token(i + 1)))
				if err := r.Flush(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	_ = r.Close(t.Context())
	if n := len(r.journal.(*memory).all()); n != 1600 {
		t.Errorf("%d events", n)
	}
}

func TestCloseGivesUpAndSaysWhatWasLost(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*memory{
		"hangs": {hang: true}, "down": {fail: &driver.Fault{Kind: driver.ErrUnavailable}}, "unfit": {fail: &driver.Fault{Kind: driver.ErrUnfit}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told error
				r := NewRecorder(m, &Options{OnError: func(err error) { told = err }})
				r.Record(granted(1))
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				begun := time.Now()
				err := r.Close(ctx)
				if err == nil || !strings.Contains(err.Error(), "1 events were not recorded") || r.Lost() != 1 {
					t.Errorf("%v, %d lost", err, r.Lost())
				}
				if took := time.Since(begun); took > 2*time.Second || name == "unfit" && took > 0 {
					t.Errorf("took %s", took)
				}
				if !errors.Is(told, driver.ErrUnknown) && !errors.Is(told, m.fail) || errors.Is(told, context.Canceled) && !m.hang {
					t.Errorf("told last: %v", told)
				}
				r.Record(granted(2)) // after the end
				if r.Lost() != 2 || r.Close(t.Context()) != nil {
					t.Errorf("%d lost", r.Lost())
				}
			})
		})
	}
}

func TestRecorderPrunesNowAndThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		r := NewRecorder(m, nil)
		for batches := 0; m.cleaned() == 0; batches++ {
			if batches > 1000 {
				t.Fatal("never")
			}
			for range maxBatch {
				r.Record(granted(1))
			}
			if err := r.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		_ = r.Close(t.Context())
	})
}

// TestAnEventThatCannotBeKeptCostsNoOther: the gap in its place is one that a journal takes.
func TestAnEventThatCannotBeKeptCostsNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		r := NewRecorder(m, nil)
		r.Record(Event{Kind: Granted, Name: "a\x00b", Token: 1})
		r.Record(granted(2))
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		got := m.all()
		if len(got) != 2 || got[0].Token != 2 || got[1].Lost != 1 {
			t.Errorf("got %+v", got)
		}
		for _, e := range got {
			if err := e.Check(); err != nil {
				t.Errorf("no journal takes it: %v", err)
			}
		}
	})
}

func TestVerdictsBecomeEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		r := NewRecorder(m, nil)
		f := fence.Fence{Name: "job", Token: 7}
		r.Verdict(fence.Verdict{Outcome: fence.Admitted, Fence: f})
		r.Verdict(fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Fence: f, Mark: 9, Resource: "rows\x00of\nmine"})
		r.Verdict(fence.Verdict{Outcome: fence.Refused, Cause: fence.Invalid, Fence: fence.Fence{Name: "a\x00", Token: -1}})
		_ = r.Close(t.Context())
		got := m.all()
		if len(got) != 2 || got[0].Cause != "superseded" || got[0].Detail != "the mark is 9" || got[0].Resource != "rows of mine" || got[1].Cause != "invalid" {
			t.Errorf("%+v", got)
		}
		var none *Recorder
		none.Verdict(fence.Verdict{Outcome: fence.Refused})
		if none.Lost() != 0 || none.Flush(t.Context()) != nil || none.Close(t.Context()) != nil {
			t.Error("a nil recorder does something")
		}
	})
}

func TestOddTextsAreCutNotLost(t *testing.T) {
	t.Parallel()
	e := Event{Kind: Ended, Name: "job", At: time.Now(), Detail: strings.Repeat("é", 1000) + "\xff", Holder: "a\nb"}
	if e.Check() == nil {
		t.Error("it is kept as it is")
	}
	e.fit()
	if err := e.Check(); err != nil || len(e.Detail) > MaxDetailBytes || !strings.HasSuffix(e.Detail, "é...") || e.Holder != "a b" {
		t.Errorf("%v: %d bytes, %q", err, len(e.Detail), e.Holder)
	}
	for _, bad := range []Event{
		{At: time.Now()}, {Kind: Granted}, {Kind: Granted, At: time.Now(), Token: -1}, {Kind: Granted, At: time.Now(), Name: " x"},
	} {
		if err := bad.Check(); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestOnceLeavesOutWhatCameBefore(t *testing.T) {
	t.Parallel()
	twice := func(yield func(Event, error) bool) {
		for _, id := range []string{"a", "b", "a", "", "", "b"} {
			if !yield(Event{ID: id}, nil) {
				return
			}
		}
	}
	var got []string
	for e := range Once(twice) {
		got = append(got, e.ID)
	}
	if strings.Join(got, ",") != "a,b,," {
		t.Error(got)
	}
}

// TestOneBoundLeavesTheOther: a bound that isn't given would else be one of nothing, and
// every clean-up would take the whole record.
func TestOneBoundLeavesTheOther(t *testing.T) {
	t.Parallel()
	for given, want := range map[Bounds]Bounds{
		{}:               DefaultBounds,
		{Age: time.Hour}: {Age: time.Hour, Events: DefaultBounds.Events},
		{Events: 10}:     {Age: DefaultBounds.Age, Events: 10},
	} {
		if got := (&Options{Keep: given}).withDefaults().Keep; got != want {
			t.Errorf("of %+v became %+v, want %+v", given, got, want)
		}
	}
}
