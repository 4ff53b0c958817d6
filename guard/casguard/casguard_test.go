package casguard_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
)

// text is a guarded object that holds one text.
type text struct{ *casguard.Guard }

func (x text) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return x.Guard.Write(ctx, w, []byte(value))
}

func (x text) Read(ctx context.Context) (string, error) {
	data, err := x.Guard.Read(ctx)
	return string(data), err
}

var rules = []guard.Rule{guard.Once, guard.Sequenced, guard.Latest}

func TestGuard(t *testing.T) {
	t.Parallel()
	m := newMemory()
	for _, rule := range rules {
		t.Run(rule.String(), func(t *testing.T) {
			guardtest.Run(t, guardtest.Target{
				Rule: rule, Establishes: true, Keys: true, Unwritable: unwritable,
				Open: func(context.Context, string) (guardtest.Resource, error) {
					return text{m.guard(t, rand.Text(), rule)}, nil
				},
				Aging: func(_ context.Context, _ string, maxAge time.Duration) (guardtest.Aging, error) {
					g, err := casguard.New(m, "memory", rand.Text(), rule, &casguard.Options{MaxAge: maxAge})
					return text{g}, err
				},
			})
		})
	}
}

// first is the first write of the term of token 5 under a rule.
func first(r guard.Rule) guard.Write {
	w := guard.Write{Fence: fenceOf(5), Key: "k"}
	if r == guard.Sequenced {
		w.Seq = 1
	}
	return w
}

var errLost = errors.New("connection lost")

func TestLostAnswerIsFoundByTheNonce(t *testing.T) {
	t.Parallel()
	for _, rule := range rules {
		m := newMemory()
		g := m.guard(t, "a", rule)
		establish(t, g, 5)
		m.breakWrites(1, false, func(string) error { return errLost })
		if v, err := g.Write(t.Context(), first(rule), []byte("text")); v.Outcome != fence.Admitted || err != nil {
			t.Errorf("%s: %v, %v; want admitted, by this very write", rule, v, err)
		}
	}
}

// TestLostAnswerAndSuperseded: between the lost answer and the next read, newer terms
// write. Only where the object still tells of the write is it said to be admitted.
func TestLostAnswerAndSuperseded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   guard.Rule
		newer  int
		want   fence.Outcome
		landed bool
	}{
		{guard.Latest, 1, fence.Admitted, false},
		{guard.Latest, 2, fence.Unknown, false},
		{guard.Once, 2, fence.Unknown, false},
		{guard.Sequenced, 1, fence.Admitted, false},
		{guard.Sequenced, 2, fence.Refused, true},
	} {
		m := newMemory()
		g, other := m.guard(t, "a", c.rule), m.guard(t, "a", c.rule)
		establish(t, g, 5)
		m.breakWrites(1, false, func(string) error {
			m.heal()
			for n := range c.newer {
				establish(t, other, 6+fence.Token(n))
			}
			return errLost
		})
		v, err := g.Write(t.Context(), first(c.rule), []byte("text"))
		if v.Outcome != c.want || v.Landed != c.landed {
			t.Errorf("%s, %d newer terms: %v, %v; want %s, landed %t", c.rule, c.newer, v, err, c.want, c.landed)
		}
	}
}

// TestLostAnswerAndOutdated: the write may have been applied before its inputs became
// too old, and under Latest the object tells nothing of it after two more writes.
func TestLostAnswerAndOutdated(t *testing.T) {
	t.Parallel()
	m := newMemory()
	g, err := casguard.New(m, "memory/a", "a", guard.Latest, &casguard.Options{MaxAge: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	other := m.guard(t, "a", guard.Latest)
	establish(t, g, 5)
	w := first(guard.Latest)
	w.AsOf = time.Now()
	m.breakWrites(1, false, func(string) error {
		m.heal()
		for range 2 {
			if v, err := other.Write(t.Context(), first(guard.Latest), []byte("later")); err != nil {
				t.Error(v, err)
			}
		}
		m.forward(2 * time.Minute)
		return errLost
	})
	if v, err := g.Write(t.Context(), w, []byte("text")); v.Outcome != fence.Unknown || !errors.Is(err, guard.ErrUnknown) {
		t.Errorf("%v, %v; want unknown", v, err)
	}
	if v, err := g.Write(t.Context(), w, []byte("text")); v.Cause != fence.Outdated {
		t.Errorf("once more: %v, %v; want outdated", v, err)
	}
}

// TestSupersededOnTheWay holds a write back after its read until a newer term has
// established itself.
func TestSupersededOnTheWay(t *testing.T) {
	t.Parallel()
	m := newMemory()
	g, other := m.guard(t, "a", guard.Latest), m.guard(t, "a", guard.Latest)
	establish(t, g, 5)
	m.breakWrites(1, true, func(string) error {
		m.heal()
		establish(t, other, 6)
		return nil
	})
	v, err := g.Write(t.Context(), first(guard.Latest), []byte("stale"))
	if v.Cause != fence.Superseded || !errors.Is(err, fence.ErrRefused) {
		t.Errorf("%v, %v; want superseded", v, err)
	}
	if data, err := g.Read(t.Context()); err != nil || len(data) > 0 {
		t.Errorf("the object holds %q, %v", data, err)
	}
}

// TestNoteNeverFalls: who replaces a mark notes the last write of its term. One who
// had read the mark earlier, and is slow, must not take the note back.
func TestNoteNeverFalls(t *testing.T) {
	t.Parallel()
	m := newMemory()
	g, quick, slow := m.guard(t, "a", guard.Sequenced), m.guard(t, "a", guard.Sequenced), m.guard(t, "a", guard.Sequenced)
	establish(t, g, 5)
	write := func(seq uint64) (fence.Verdict, error) {
		return g.Write(t.Context(), guard.Write{Fence: fenceOf(5), Seq: seq, Key: "k"}, []byte("text"))
	}
	if v, err := write(1); err != nil {
		t.Fatal(v, err)
	}
	m.breakWrites(1, true, func(string) error { // the note of the slow one
		m.heal()
		if v, err := write(2); err != nil {
			t.Error(v, err)
		}
		establish(t, quick, 6)
		return nil
	})
	establish(t, slow, 7)
	for seq, want := range map[uint64]bool{1: true, 2: true, 3: false} {
		if v, err := write(seq); v.Cause != fence.Superseded || v.Landed != want {
			t.Errorf("write %d: %v, %v; want superseded, landed %t", seq, v, err, want)
		}
	}
}

// TestNoteWaitsForABusyBucket: a bucket that takes one write a second of a key takes
// the note of a term's last write later.
func TestNoteWaitsForABusyBucket(t *testing.T) {
	t.Parallel()
	m := newMemory()
	g := m.guard(t, "a", guard.Sequenced)
	establish(t, g, 5)
	if v, err := g.Write(t.Context(), first(guard.Sequenced), []byte("text")); err != nil {
		t.Fatal(v, err)
	}
	free := time.Now().Add(300 * time.Millisecond)
	m.breakWrites(1000, true, func(key string) error {
		if strings.Contains(key, ".terms/") && time.Now().Before(free) {
			return guard.ErrRetry
		}
		return nil
	})
	establish(t, g, 6)
}

func TestErrorsOfABucket(t *testing.T) {
	t.Parallel()
	fault := func(kind error) error {
		return &guard.Error{Kind: kind, Err: errors.New("no"), Hint: "do that"}
	}
	for name, c := range map[string]struct {
		answer, want error
		says         string
		tries        int
	}{
		"moved":         {fault(guard.ErrRetry), guard.ErrRetry, "all the time", 50},
		"unavailable":   {fault(guard.ErrUnavailable), guard.ErrUnavailable, "do that", 1},
		"unfit":         {guard.ErrUnfit, guard.ErrUnfit, "unfit", 1},
		"not connected": {&net.OpError{Op: "dial", Err: errors.New("refused")}, guard.ErrUnavailable, "refused", 1},
		"anything else": {errLost, guard.ErrUnknown, "same write again", 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMemory()
			g := m.guard(t, "a", guard.Latest)
			establish(t, g, 5)
			tries := 0
			m.breakWrites(99, true, func(string) error { tries++; return c.answer })
			v, err := g.Write(t.Context(), first(guard.Latest), []byte("text"))
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "memory/a") || v.OK() || tries != c.tries {
				t.Errorf("after %d tries: %v, %v; want %d, and %v that says %q", tries, v, err, c.tries, c.want, c.says)
			}
		})
	}
}

func TestEstablishAgainWritesNothing(t *testing.T) {
	t.Parallel()
	m := newMemory()
	g := m.guard(t, "a", guard.Latest)
	establish(t, g, 5)
	m.breakWrites(1, true, func(string) error { t.Error("a write"); return nil })
	establish(t, g, 5)
}

func TestValueOfAnother(t *testing.T) {
	t.Parallel()
	m := newMemory()
	if err := m.Put(t.Context(), "plain", "", []byte("text\n")); err != nil {
		t.Fatal(err)
	}
	if v, err := m.guard(t, "plain", guard.Latest).Establish(t.Context(), fenceOf(5)); !errors.Is(err, guard.ErrUnfit) {
		t.Errorf("a value without a mark: %v, %v; want unfit", v, err)
	}
	establish(t, m.guard(t, "a", guard.Latest), 5)
	g, err := casguard.New(m, "memory/a", "a", guard.Latest, &casguard.Options{Lease: "another"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Establish(t.Context(), fence.Fence{Name: "another", Token: 9}); !errors.Is(err, guard.ErrUnfit) {
		t.Errorf("a value of another lease: %v; want unfit", err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	m := newMemory()
	g := m.guard(t, "a", guard.Latest)
	establish(t, g, 5)
	most := make([]byte, casguard.MaxBytes)
	if v, err := g.Write(t.Context(), first(guard.Latest), most); err != nil {
		t.Error(v, err)
	}
	if _, err := g.Write(t.Context(), first(guard.Latest), append(most, 0)); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("one byte more: %v; want invalid", err)
	}
	for _, key := range []string{"", strings.Repeat("k", 1001)} {
		if _, err := casguard.New(m, "memory", key, guard.Latest, nil); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("a key of %d bytes: %v; want invalid", len(key), err)
		}
	}
	for _, b := range []casguard.Bucket{nil, m} {
		if _, err := casguard.New(b, "", "a", guard.Latest, nil); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("without a resource: %v; want invalid", err)
		}
	}
}
