package guardtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// runForgeries shows that no forgery reaches a resource that stands behind a
// guard.Door: neither does a new one get a mark from it, nor does the mark of an
// established one move or its text change.
func runForgeries(t *testing.T, target Target) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	e := newEnv(t, ctx, target)
	key, err := fence.NewKey("k1", "guardtest", fence.HMACSHA256)
	if err != nil {
		t.Fatal(err)
	}
	forgeries(e, key)
}

func forgeries(e *env, key fence.Key) {
	keys, err := fence.NewKeyring("resource", key.Verifier())
	now := time.Now()
	c := fence.Claim{Fence: e.fence(older), Audience: "resource", NotAfter: now.Add(time.Hour)}
	forged, forgeErr := Forgeries(key, c, now)
	signature, signErr := key.Sign(c)
	for _, err := range []error{err, forgeErr, signErr} {
		if err != nil {
			e.Fatalf("%v", err)
		}
	}
	d := entrance{e, guard.Door{Keys: keys, Counter: new(guard.Counter)}}
	all := func() {
		for _, f := range forged {
			d.keepsOut(f)
		}
	}
	all()
	if e.target.Establishes {
		e.refuses(e.write(older, 1), fence.NotEstablished)
	}
	if err := d.enter(c.Fence.String(), signature, "first"); err != nil {
		e.Fatalf("the authority's own fence: %v", err)
	}
	e.holds("first")
	all()
	e.begin(older) // no mark is above it
	e.holds("first")
}

// entrance is a receiver: a door, and the resource behind it.
type entrance struct {
	*env
	door guard.Door
}

// enter does what a receiver does with a write that comes as text.
func (d entrance) enter(text, signature, value string) error {
	f, err := d.door.Pass("resource", text, signature)
	if err != nil {
		return err
	}
	w := d.write(f.Token, 1)
	w.Fence = f
	if d.target.Establishes {
		if v := d.sendEstablish(f); !v.OK() {
			return v.Err()
		}
	}
	return d.send(w, value).Err()
}

func (d entrance) keepsOut(f Forgery) {
	d.Helper()
	before := d.door.Counter.Refusals()[f.Cause]
	err := d.enter(f.Fence, f.Signature, "forged: "+f.What)
	if problem := refusedAs(err, f.Cause); problem != "" {
		d.Errorf("%s: %s", f.What, problem)
	}
	if d.door.Counter.Refusals()[f.Cause] != before+1 {
		d.Errorf("%s: not counted as %s", f.What, f.Cause)
	}
}

// refusedAs says what is wrong with err as a refusal for that cause, if anything.
func refusedAs(err error, c fence.Cause) string {
	refused, ok := errors.AsType[*fence.RefusedError](err)
	switch {
	case !ok || refused.Verdict.Outcome != fence.Refused || refused.Verdict.Cause != c:
		return fmt.Sprintf("%v; want it refused as %s", err, c)
	case len(err.Error()) > 500:
		return fmt.Sprintf("an error of %d bytes", len(err.Error()))
	}
	return ""
}
