package redisguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// run runs a script and reads its answer.
func (g *Guard) run(ctx context.Context, w guard.Write, s script, args ...any) (fence.Verdict, error) {
	if err := ctx.Err(); err != nil {
		return g.fail(w, guard.ErrUnavailable, context.Cause(ctx), "nothing is applied")
	}
	answer, err := apart(ctx, func() ([]string, error) { return g.link.eval(ctx, s, g.keys, args) })
	if err != nil {
		hint, kind := judge(err)
		return g.fail(w, kind, err, hint)
	}
	return g.read(w, answer)
}

// read turns an answer, whose words are listed in lua/apply.lua, into a verdict.
func (g *Guard) read(w guard.Write, a []string) (fence.Verdict, error) {
	if len(a) != 6 {
		return g.fail(w, guard.ErrUnknown, fmt.Errorf("the script answered %.100q", a), "")
	}
	v := fence.Verdict{Fence: w.Fence, Landed: a[3] == "1"}
	if a[2] != "0" {
		mark, err := fence.ParseToken(a[2])
		if err != nil {
			return g.fail(w, guard.ErrUnknown, err, "")
		}
		v.Mark = mark
	}
	switch a[0] {
	case "admitted":
		v.Outcome = fence.Admitted
	case "duplicate":
		v.Outcome = fence.Duplicate
	case "refused":
		v.Outcome = fence.Refused
		for _, c := range fence.Causes() {
			if c.String() == a[1] {
				v.Cause = c
			}
		}
	case "failed":
		if err := errors.New(a[5]); a[4] == "0" {
			return g.fail(w, guard.ErrUnavailable, err, "the first command failed: nothing is applied")
		} else {
			return g.fail(w, guard.ErrUnknown, err, a[4]+" of its commands are applied and the next one failed: repair the data, or send the same write again")
		}
	}
	return g.conclude(v)
}

// eval runs a script by its hash, and in full where the server does not know it.
func (l *link) eval(ctx context.Context, s script, keys []string, args []any) ([]string, error) {
	for try := 0; ; try++ {
		node, err := l.node(ctx)
		if err != nil {
			return nil, err
		}
		answer, err := node.EvalSha(ctx, s.hash, keys, args...).StringSlice()
		if err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT") {
			answer, err = node.Eval(ctx, s.text, keys, args...).StringSlice()
		}
		if !moved(err) || l.cluster == nil || try == maxMoves {
			return answer, err
		}
		l.cluster.ReloadState(ctx)
	}
}

// lastWord is how long a call whose context has ended waits for an answer that
// is under way: mostly it is about to come, and is better than a doubt.
const lastWord = 10 * time.Millisecond

// apart calls f on a goroutine of its own, and leaves it behind when ctx ends and f
// does not: the client does not look at a context while it waits for the network.
func apart[R any](ctx context.Context, f func() (R, error)) (R, error) {
	type outcome struct {
		result R
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := f()
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	t := time.NewTimer(lastWord)
	defer t.Stop()
	select {
	case o := <-done:
		return o.result, o.err
	case <-t.C:
		var none R
		return none, context.Cause(ctx)
	}
}

// judge says what an error means that came after a script was sent. A script that
// ends with an error has written nothing, since its first write is the mark.
func judge(err error) (hint string, kind error) {
	var op *net.OpError
	var before unasked
	var answered redis.Error
	switch text := err.Error(); {
	case errors.Is(err, redis.ErrClosed), errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted),
		errors.As(err, &before), errors.As(err, &op) && op.Op == "dial":
		return "nothing is applied", guard.ErrUnavailable
	case !errors.As(err, &answered):
		return "resend the same write before anything else", guard.ErrUnknown
	case coded(text, "BUSY"), coded(text, "TRYAGAIN"):
		return "", guard.ErrRetry
	case coded(text, "NOAUTH"), coded(text, "WRONGPASS"), coded(text, "NOPERM"):
		return "give the user the keys of the resource and of its mark, and the commands of the scripts and the write", guard.ErrUnfit
	case coded(text, "WRONGTYPE"), strings.Contains(text, "not as this release made it"):
		return "the key of the mark holds something else: give the resource another name", guard.ErrUnfit
	}
	return "nothing is applied", guard.ErrUnavailable
}

// coded reports whether an answer begins with a code. Redis 6 puts the code of a
// command inside a script behind a text of its own.
func coded(text, code string) bool {
	return strings.HasPrefix(text, code+" ") || strings.Contains(text, ": -"+code+" ")
}
