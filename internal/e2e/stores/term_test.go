package stores

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// zombieWrite: the first holder's lease runs out, the second establishes, and then
// the first one writes.
func zombieWrite(t *testing.T, at *site) string {
	s := at.direct(t)
	locker := newLocker(t, s, nil)
	zombie := hold(t, locker, "job", ringfence.Hold{TTL: brief(s)})
	untilState(t, s, "job", driver.Expired)
	newer := hold(t, locker, "job", ringfence.Hold{TTL: long})
	limit := fence.FutureLimit(fence.TickOf(time.Now()))
	mark, _ := guard.Establish(guard.Mark{}, zombie.Fence(), limit)
	mark, v := guard.Establish(mark, newer.Fence(), limit)
	if !v.OK() {
		t.Fatalf("the second is not let in: %s", v)
	}
	_, v = guard.Decide(guard.Latest, mark, guard.Write{Fence: zombie.Fence()}, limit)
	if v.Cause != fence.Superseded || v.Mark != newer.Fence().Token {
		t.Errorf("the late write: %s", v)
	}
	return ""
}

func lateRelease(t *testing.T, at *site) string {
	s, other := at.direct(t), at.direct(t)
	first := take(t, s, "job", brief(s))
	untilState(t, s, "job", driver.Expired)
	second := take(t, other, "job", long) // with the same label
	wantEnded(t, "the late release", s.Release(t.Context(), first), driver.EndSuperseded)
	if _, err := other.Renew(t.Context(), second, long); err != nil {
		t.Errorf("the second lost its lease: %v", err)
	}
	return ""
}

func lateRenewal(t *testing.T, at *site) string {
	s, other := at.direct(t), at.direct(t)
	first := take(t, s, "job", brief(s))
	untilState(t, s, "job", driver.Expired)
	release(t, other, take(t, other, "job", long))
	_, err := s.Renew(t.Context(), first, long)
	wantEnded(t, "the late renewal", err, driver.EndSuperseded)
	if rec, err := other.Inspect(t.Context(), "job"); err != nil || rec.State != driver.Released {
		t.Errorf("the name is %+v (error %v)", rec, err)
	}
	return ""
}

func zeroRenewal(t *testing.T, at *site) string {
	s := at.direct(t)
	term := take(t, s, "job", long)
	if _, err := s.Renew(t.Context(), term, 0); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("a renewal for 0: %v", err)
	}
	if rec, err := s.Inspect(t.Context(), "job"); err != nil || rec.State != driver.Held || rec.Token != term.Token {
		t.Errorf("afterwards the name is %+v (error %v)", rec, err)
	}
	return ""
}

// oddDurations are refused and leave no record, or are honoured in full.
func oddDurations(t *testing.T, at *site) string {
	s := at.direct(t)
	term := take(t, s, "held", long)
	for i, ttl := range []time.Duration{
		0, -time.Second, 1, 500 * time.Microsecond, 999 * time.Millisecond, driver.MaxTTL + time.Second, math.MaxInt64, math.MinInt64,
	} {
		name := fmt.Sprint("n", i)
		from := time.Now()
		got, err := s.Acquire(t.Context(), request(name, ttl))
		rec, look := s.Inspect(t.Context(), name)
		switch {
		case look != nil:
			t.Fatal(look)
		case err == nil && (ttl <= 0 || rec.ExpiresAt.Sub(rec.GrantedAt) < ttl-time.Millisecond || got.Remaining <= 0 && time.Since(from) < ttl):
			t.Errorf("%s: granted %+v, on record %+v", ttl, got, rec)
		case err != nil && (!errors.Is(err, fence.ErrInvalid) || rec.State != driver.Free):
			t.Errorf("%s: %v, and on record %+v", ttl, err, rec)
		}
		if ttl <= 0 || ttl > driver.MaxTTL {
			if _, err := s.Renew(t.Context(), term, ttl); !errors.Is(err, fence.ErrInvalid) {
				t.Errorf("a renewal for %s: %v", ttl, err)
			}
		}
	}
	return ""
}

// names holds all good names at once, each by its own lease, and is refused the bad ones.
func names(t *testing.T, at *site) string {
	s := at.direct(t)
	locker := newLocker(t, s, nil)
	good := []string{
		"a//b", "a/b", "file:///x", "../x", "x", "Router-A", "router-a", "a b", "a  b", ":", "{}", "*", "%", "a:b", "{a}b", "%41", "A",
		"a.*.>", "\u00e1", "a\u0301", "🚦", "'; DROP TABLE lease; --", strings.Repeat("n", 512), strings.Repeat("n", 511),
	}
	for _, name := range good {
		if _, err := locker.TryAcquire(t.Context(), name, ringfence.Hold{TTL: long}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range good {
		if rec, err := s.Inspect(t.Context(), name); err != nil || rec.Name != name || rec.State != driver.Held {
			t.Errorf("%q is %+v (error %v)", name, rec, err)
		}
	}
	for _, name := range []string{"", "a\x00b", "a\n", " a", "a ", "\xff", strings.Repeat("n", 513), strings.Repeat("n", 1<<20)} {
		if _, err := locker.TryAcquire(t.Context(), name, ringfence.Hold{TTL: long}); !errors.Is(err, ringfence.ErrInvalid) {
			t.Errorf("%.20q: %v", name, err)
		}
	}
	return ""
}

// staleHolderAsks: with its attempt, and by every way to look.
func staleHolderAsks(t *testing.T, at *site) string {
	s := at.direct(t)
	r := request("job", brief(s))
	first, err := s.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	untilState(t, s, "job", driver.Expired)
	second := take(t, s, "job", long)
	term, err := s.Acquire(t.Context(), r)
	if held, ok := errors.AsType[*driver.HeldError](err); ok && held.Token != second.Token || !ok && !errors.Is(err, driver.ErrEnded) {
		t.Errorf("the stale holder got %+v (error %v)", term, err)
	}
	forged := first
	forged.Token = second.Token
	_, err = s.Renew(t.Context(), forged, long)
	wantEnded(t, "a renewal with the successor's token", err, driver.EndSuperseded)
	return ""
}

func cleanUp(t *testing.T, at *site) string {
	s := at.direct(t)
	pruner, held := s.(driver.Pruner), take(t, s, "held", long)
	const names = 30
	var last fence.Token
	for i := range names {
		term := take(t, s, fmt.Sprint("n", i), long)
		last = max(last, term.Token)
		release(t, s, term)
	}
	if n, err := pruner.Prune(t.Context(), 0, 10*names); err != nil || n != names {
		t.Errorf("%d names went (error %v); want %d", n, err, names)
	}
	for _, name := range []string{"n0", "new"} {
		if term := take(t, s, name, long); term.Token <= last {
			t.Errorf("%s got token %s after %s", name, term.Token, last)
		}
	}
	if _, err := s.Renew(t.Context(), held, long); err != nil {
		t.Errorf("the clean-up took a held lease: %v", err)
	}
	return ""
}
