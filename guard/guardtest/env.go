package guardtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

const (
	patience = 90 * time.Second // the longest that one clause may take
	older    = fence.Token(1001)
	newer    = fence.Token(1002)
)

// env is what one clause works with: one fresh resource.
type env struct {
	T
	ctx    context.Context
	target Target
	lease  string // random: no other clause or run uses it
	r      Resource
}

func newEnv(t T, ctx context.Context, target Target) *env {
	t.Helper()
	if err := target.Rule.Check(); err != nil {
		t.Fatalf("Target.Rule: %v", err)
	}
	e := &env{T: t, ctx: ctx, target: target, lease: "guardtest/" + strings.ToLower(rand.Text()[:12])}
	r, err := target.Open(ctx, e.lease)
	if err != nil {
		t.Fatalf("open a resource: %v", err)
	}
	e.r = r
	return e
}

func (e *env) fence(token fence.Token) fence.Fence { return fence.Fence{Name: e.lease, Token: token} }

// write is the n-th write of a term, with a key of its own.
func (e *env) write(token fence.Token, n uint64) guard.Write {
	w := guard.Write{Fence: e.fence(token), Key: fmt.Sprintf("write %d of %d", n, token)}
	if e.target.Rule == guard.Sequenced {
		w.Seq = n
	}
	return w
}

// send sends a write until the resource does not ask to retry, and ends the
// clause where no verdict about it comes back.
func (e *env) send(w guard.Write, value string) fence.Verdict {
	e.Helper()
	v, err := e.persist(func() (fence.Verdict, error) { return e.r.Write(e.ctx, w, value) })
	return e.definite(v, err, "write")
}

func (e *env) sendEstablish(f fence.Fence) fence.Verdict {
	e.Helper()
	v, err := e.persist(func() (fence.Verdict, error) { return e.r.Establish(e.ctx, f) })
	return e.definite(v, err, "establish")
}

func (e *env) persist(call func() (fence.Verdict, error)) (fence.Verdict, error) {
	for {
		v, err := call()
		if !errors.Is(err, guard.ErrRetry) || e.ctx.Err() != nil {
			return v, err
		}
	}
}

func (e *env) definite(v fence.Verdict, err error, what string) fence.Verdict {
	e.Helper()
	if !v.OK() && v.Outcome != fence.Refused {
		e.Fatalf("%s: %v (error %v); want an answer", what, v, err)
	}
	return v
}

// begin begins a term where the guard has a step for that.
func (e *env) begin(token fence.Token) {
	e.Helper()
	if !e.target.Establishes {
		return
	}
	if v := e.sendEstablish(e.fence(token)); !v.OK() {
		e.Fatalf("establish token %s: %v; want it admitted", token, v)
	}
}

// admits sends a write that must be applied, and looks whether it is.
func (e *env) admits(w guard.Write, value string) {
	e.Helper()
	if v := e.send(w, value); v.Outcome != fence.Admitted {
		e.Fatalf("write %q with token %s, seq %d: %v; want it admitted", value, w.Fence.Token, w.Seq, v)
	}
	e.holds(value)
}

// refuses sends a write that must be refused for that cause, and looks whether
// the resource still holds what it held.
func (e *env) refuses(w guard.Write, cause fence.Cause) fence.Verdict {
	e.Helper()
	before := e.read()
	v := e.send(w, "refused")
	if v.Outcome != fence.Refused || v.Cause != cause {
		e.Errorf("write with token %s, seq %d: %v; want it refused as %s", w.Fence.Token, w.Seq, v, cause)
	}
	e.holds(before)
	return v
}

// repeats sends a write that was applied before, with another value, so that it
// shows when it is applied again.
func (e *env) repeats(w guard.Write) {
	e.Helper()
	before := e.read()
	if v := e.send(w, "applied again"); v.Outcome != fence.Duplicate {
		e.Errorf("token %s, seq %d sent again: %v; want duplicate", w.Fence.Token, w.Seq, v)
	}
	e.holds(before)
}

func (e *env) refusesEstablish(f fence.Fence, cause fence.Cause) {
	e.Helper()
	if v := e.sendEstablish(f); v.Outcome != fence.Refused || v.Cause != cause {
		e.Errorf("establish %s: %v; want it refused as %s", f, v, cause)
	}
}

func (e *env) read() string {
	e.Helper()
	for {
		s, err := e.r.Read(e.ctx)
		switch {
		case err == nil:
			return s
		case !errors.Is(err, guard.ErrRetry) || e.ctx.Err() != nil:
			e.Fatalf("read: %v", err)
		}
	}
}

func (e *env) holds(want string) {
	e.Helper()
	if got := e.read(); got != want {
		e.Errorf("the resource holds %q; want %q", got, want)
	}
}
