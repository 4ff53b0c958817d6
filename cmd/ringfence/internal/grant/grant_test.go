//go:build linux || darwin

package grant

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/memstore"
)

func granted(t *testing.T, ttl time.Duration) Grant {
	t.Helper()
	l, err := ringfence.New(memstore.New(nil), &ringfence.Options{Holder: "script"})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := l.TryAcquire(t.Context(), `a "b"`, ringfence.Hold{TTL: ttl})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lease.Abandon)
	return Of("memory", lease)
}

func written(t *testing.T, g Grant) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "grant")
	if err := Create(path, g); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestGrantComesBackAsItWas(t *testing.T) {
	t.Parallel()
	g := granted(t, time.Hour)
	path := written(t, g)
	held, err := Take(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	got := held.Grant
	if !got.Sent.Equal(g.Sent) {
		t.Errorf("sent %s, want %s", got.Sent, g.Sent)
	}
	got.Sent = g.Sent
	if got != g {
		t.Errorf("got %+v, want %+v", got, g)
	}
	if left := got.Remaining(); left > time.Hour || left < 50*time.Minute {
		t.Errorf("%s remain", left)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := Create(path, g); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("a second grant in its place: %v", err)
	}
}

// TestTrustEndsOnEitherClock: a wall clock that was set back, and a machine that was
// started anew.
func TestTrustEndsOnEitherClock(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*Grant){
		"an hour has passed":                 func(g *Grant) { g.Sent = g.Sent.Add(-time.Hour); g.Uptime -= time.Hour },
		"on the wall clock alone":            func(g *Grant) { g.Sent = g.Sent.Add(-time.Hour) },
		"and the wall clock was set back":    func(g *Grant) { g.Uptime -= time.Hour },
		"the machine has been up for a year": func(g *Grant) { g.Uptime += 365 * 24 * time.Hour },
	} {
		g := granted(t, time.Hour)
		change(&g)
		if left := g.Remaining(); left > 0 {
			t.Errorf("%s: %s remain", what, left)
		}
	}
}

func TestClearMakesWayForTheNext(t *testing.T) {
	t.Parallel()
	if g, err := Clear(t.Context(), filepath.Join(t.TempDir(), "absent")); err != nil || g != (Grant{}) {
		t.Errorf("no file: %+v, %v", g, err)
	}
	g := granted(t, time.Hour)
	path := written(t, g)
	if got, err := Clear(t.Context(), path); !errors.Is(err, ErrInUse) || got.Fence != g.Fence {
		t.Errorf("a trusted one: %+v, %v", got, err)
	}
	g.Sent = g.Sent.Add(-2 * time.Hour)
	path = written(t, g)
	if got, err := Clear(t.Context(), path); err != nil || got.Fence != g.Fence {
		t.Errorf("one that is over: %+v, %v", got, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestWhatIsNoGrant(t *testing.T) {
	t.Parallel()
	good := string(granted(t, time.Hour).text())
	for what, text := range map[string]string{
		"empty": "", "half": good[:len(good)/2], "a password": "hunter2\n",
		"a later version": strings.Replace(good, `"version": 1`, `"version": 2`, 1),
		"no attempt":      strings.Replace(good, `"attempt"`, `"else"`, 1),
		"no lease":        strings.Replace(good, `"lease"`, `"else"`, 1),
		"no uptime":       strings.Replace(good, `"sent_uptime"`, `"else"`, 1),
		"no token":        strings.Replace(good, `"token"`, `"else"`, 1),
	} {
		path := filepath.Join(t.TempDir(), "grant")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Take(t.Context(), path); !errors.Is(err, fence.ErrInvalid) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := Clear(t.Context(), path); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%s: made way for: %v", what, err)
		}
	}
	path := written(t, granted(t, time.Hour))
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(t.Context(), path); !errors.Is(err, fence.ErrInvalid) || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("one that a group can read: %v", err)
	}
}
