package stores

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// What the cells of a loss say: the next token is above every one before by itself;
// or the store refuses to grant until `ringfence recover` has raised its floor; or a
// number comes again, which the column has to explain.
const (
	rises   = "rises"
	refuses = "refuses"
	repeats = "can repeat"
)

// witness is a client that lives through a loss, and the highest token that it saw.
type witness struct {
	at      *site
	s       driver.Store
	way     *realserver.Proxy // what its address leads to; nil where there is no server
	highest fence.Token
	refused bool // since the last loss
}

func newWitness(t *testing.T, at *site) *witness {
	t.Helper()
	w := &witness{at: at}
	if at.addr == "" {
		w.s = at.direct(t)
		return w
	}
	w.way = realserver.NewProxy(t, at.addr)
	w.s = at.open(t, w.way.Addr())
	return w
}

// handOut acquires and releases a few times, each time above all before.
func (w *witness) handOut(t *testing.T, s driver.Store) {
	t.Helper()
	for range 3 {
		term := w.grant(t, s)
		if term.Token <= w.highest {
			t.Errorf("token %s after %s", term.Token, w.highest)
		}
		w.highest = term.Token
		until(t, "the release", func() bool {
			err := s.Release(t.Context(), term)
			return err == nil || errors.Is(err, driver.ErrEnded)
		})
	}
}

// goOn goes on after a loss, with the client that lived through it and then with a
// new one, and says how.
func (w *witness) goOn(t *testing.T) string {
	t.Helper()
	w.refused = false
	w.handOut(t, w.s)
	s, err := w.reopened(t)
	switch {
	case errors.Is(err, driver.ErrUnfit):
		return rises + ", refuses new clients"
	case err != nil:
		t.Fatal(err)
	}
	w.handOut(t, s)
	return w.word()
}

func (w *witness) word() string {
	if w.refused {
		return refuses
	}
	return rises
}

// grant acquires, also when the server has just been away, and does what a refusal asks for.
func (w *witness) grant(t *testing.T, s driver.Store) driver.Term {
	t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(5 * time.Millisecond) {
		term, err := s.Acquire(t.Context(), request("job", long))
		switch {
		case err == nil:
			return term
		case errors.Is(err, driver.ErrUnfit):
			w.refused = true
			w.recover(t, s, err)
		case errors.Is(err, driver.ErrHeld), errors.Is(err, fence.ErrInvalid), time.Now().After(deadline):
			t.Fatal(err)
		}
	}
}

// reopened is a client that knows nothing of what was lost.
func (w *witness) reopened(t *testing.T) (s driver.Store, err error) {
	t.Helper()
	addr := ""
	if w.way != nil {
		addr = w.way.Addr()
	}
	until(t, "an answer", func() bool { s, err = w.at.opens(t, addr); return !errors.Is(err, driver.ErrUnavailable) })
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// recover does what a refusal names.
func (w *witness) recover(t *testing.T, s driver.Store, refusal error) {
	t.Helper()
	if !strings.Contains(refusal.Error(), "ringfence recover") {
		t.Fatalf("it refuses, and does not name the command that lifts it: %v", refusal)
	}
	if _, err := s.(driver.Recoverer).Raise(t.Context(), w.highest); err != nil {
		t.Fatal(err)
	}
}

// killed: a crash of a server that is set up as it is by default.
func killed(t *testing.T, at *site) string {
	w := newWitness(t, at)
	w.handOut(t, w.s)
	at.kill()
	return w.goOn(t)
}

// olderCopy: of the three states that there were the first one comes back, and once
// more after the store has gone on.
func olderCopy(t *testing.T, at *site) string {
	w := newWitness(t, at)
	restore := w.keepOlder(t)
	restore()
	word := w.goOn(t)
	restore()
	if again := w.goOn(t); again != word {
		word += ", then " + again
	}
	return word
}

// keepOlder hands out, copies, and hands out again. What it returns puts the copy back,
// in a later unit of the store's clock.
func (w *witness) keepOlder(t *testing.T) (restore func()) {
	t.Helper()
	if w.at.age != nil {
		w.at.age()
	}
	w.handOut(t, w.s)
	back := w.at.keep()
	w.handOut(t, w.s)
	return func() {
		<-time.After(w.at.tick)
		back()
	}
}

// olderCopyUnseen: nobody is left who has seen what the copy lacks.
func olderCopyUnseen(t *testing.T, at *site) string {
	w := newWitness(t, at)
	restore := w.keepOlder(t)
	_ = w.s.Close()
	for range 2 {
		restore()
		w.refused = false
		s, err := w.reopened(t)
		if err != nil {
			t.Fatal(err)
		}
		term := w.grant(t, s)
		if term.Token <= w.highest {
			return repeats
		}
		w.highest = term.Token
		_ = s.Close()
	}
	return w.word()
}

// promoted: what was granted last has not reached the standby.
func promoted(t *testing.T, at *site) string {
	w := newWitness(t, at)
	w.handOut(t, w.s)
	follow, promote := at.standby()
	follow()
	w.handOut(t, w.s)
	promote()
	w.way.Retarget(at.addr)
	w.way.Cut()
	return w.goOn(t)
}

func flushed(t *testing.T, at *site) string {
	w := newWitness(t, at)
	w.handOut(t, w.s)
	at.flush()
	return w.goOn(t)
}

func forgotten(t *testing.T, at *site) string {
	w := newWitness(t, at)
	w.handOut(t, w.s)
	at.forget()
	return w.goOn(t)
}

// evicting: such a server is refused before anything is kept on it.
func evicting(t *testing.T, at *site) string {
	if err := at.evict(); !errors.Is(err, driver.ErrUnfit) {
		t.Errorf("opened on a server that evicts: %v", err)
	}
	return "is refused"
}

// clockMoved: numbers granted while the clock was an hour ahead stay below all that
// follow, when it is right again, and when it is an hour behind.
func clockMoved(t *testing.T, at *site) (word string) {
	w := newWitness(t, at)
	w.handOut(t, w.s)
	for _, ahead := range []time.Duration{time.Hour, 0, -time.Hour} {
		at.clock(ahead)
		word = max(word, w.goOn(t)) // the longer one says more
	}
	return word
}
