package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/child"
	"github.com/ringfence-go/ringfence/fence"
)

func (a *app) run(ctx context.Context, j job) error {
	return a.hold(ctx, j, func(h held) error {
		return h.retried(func() error {
			err := h.locker.Run(h.early.ctx, j.name, j.work, func(ctx context.Context, lease *ringfence.Lease) error {
				return h.supervise(ctx, lease)
			})
			if h.early.started() {
				h.heedLoss(err)
			}
			return notRun(h.early, err)
		})
	})
}

// held is what a command under a lease stands on.
type held struct {
	app    *app
	job    job
	locker *ringfence.Locker
	early  *earlySignals
	record *record
	label  string // of the store
}

// supervise runs the command for one term, and records how it ended.
func (h held) supervise(ctx context.Context, lease *ringfence.Lease) error {
	err := h.app.supervise(ctx, h.job, lease, h.early)
	if !h.early.started() {
		lease.Waive()
	}
	return h.record.ended(ctx, h.job.terms(lease), err)
}

// hold opens what j needs, calls do, and closes it.
func (a *app) hold(ctx context.Context, j job, do func(held) error) error {
	t, err := a.target()
	if err != nil {
		return err
	}
	j.drop = append(t.Secrets, j.fenced.secrets()...)
	a.warnOfPasswords("--establish", j.fenced.places)
	store := t.Lazy()
	defer closeSoon(store)
	record, err := a.record(store, &j)
	if err != nil {
		return err
	}
	defer record.close(ctx)
	early := catchEarly(ctx)
	defer early.stop()
	teller := &teller{app: a, job: j, early: early}
	l, err := ringfence.New(store, &ringfence.Options{OnEvent: record.saw(teller.tell)})
	if err != nil {
		return err
	}
	err = do(held{a, j, l, early, record, t.Label})
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), reclaimTimeout)
	defer cancel()
	_ = l.Close(closing)
	return err
}

// notRun adds to err, where it is so, that nothing was run.
func notRun(early *earlySignals, err error) error {
	const more = "; the command was not run"
	err = early.orEnded(err, more)
	if _, ok := errors.AsType[*exitError](err); err == nil || ok || early.started() {
		return err
	}
	return fmt.Errorf("%w%s", err, more)
}

// reclaimTimeout bounds how long a cancelled acquire is given back before ringfence ends.
const reclaimTimeout = 5 * time.Second

// supervise runs the command as a tree of processes that is over when it returns,
// and before trust in the lease ends.
func (a *app) supervise(ctx context.Context, j job, lease *ringfence.Lease, early *earlySignals) error {
	if early.caught() != 0 {
		return context.Cause(ctx)
	}
	signature, err := j.signing.sign(lease.Fence())
	if err == nil {
		err = a.establish(ctx, j, lease, signature)
	}
	if err != nil {
		return err
	}
	limits := child.Limits{Stop: ctx.Done(), Grace: j.plan.Grace}
	if !lease.Unfenced() {
		left := func() time.Duration { return lease.Remaining() - lastMoment(j.plan.Grace) }
		trust, cancel := child.Until(context.Background(), left, ringfence.ErrLost)
		defer cancel()
		limits.Kill = trust.Done()
	}
	env := j.env(ctx, lease, signature)
	carried, err := j.fenced.carry(env)
	if err != nil {
		return err
	}
	defer carried()
	p, err := child.Start(child.Command{Args: j.args, Env: child.Env(os.Environ(), env, j.drop...), Isolate: j.isolate})
	if err != nil {
		return startError(err)
	}
	early.release()
	r := p.Wait(limits)
	if r.Left > 0 {
		a.say("processes that the command had left behind when it ended, and that were ended too: %d", r.Left)
	}
	if r.Err != nil { // something may still write: the name must not be freed for others
		lease.Abandon()
		return &exitError{exitInternal, r.Err}
	}
	if r.Stopped && errors.Is(context.Cause(ctx), ringfence.ErrTimedOut) {
		return &exitError{exitTimedOut, fmt.Errorf("%s used up its timeout of %s and was ended%s", fence.Quote(j.name), span(j.work.Timeout), killed(r))}
	}
	if r.Stopped && ctx.Err() == nil { // by KILL alone, which came before the notice to end
		return &ringfence.LostError{Fence: lease.Term(), Cause: ringfence.EndExpired, Err: &exitError{code: r.ExitCode}}
	}
	if r.ExitCode != 0 {
		return &exitError{code: r.ExitCode}
	}
	return nil
}

// lastMoment is the end of the grace, in which KILL has to do its work and the
// release to be told: both come before trust is over. The grace of bounded work
// began with its timeout, and that after the lease.
func lastMoment(grace time.Duration) time.Duration { return min(grace/4, time.Second) }

func killed(r child.Result) string {
	if r.Killed {
		return ", by KILL since TERM was not enough"
	}
	return ""
}

func startError(err error) error {
	if e, ok := errors.AsType[*child.StartError](err); ok {
		return &exitError{e.ExitCode, err}
	}
	return &exitError{exitInternal, err}
}

// env is what the command finds in its environment.
func (j job) env(ctx context.Context, lease *ringfence.Lease, signature string) map[string]string {
	env := map[string]string{"RINGFENCE_NAME": j.name}
	if !lease.Unfenced() {
		env = fenceVariables(lease.Fence())
		j.addKind(env, lease)
	}
	if signature != "" {
		env[signatureEnv] = signature
	}
	if j.refusals != "" {
		env[refusalsEnv] = j.refusals
	}
	if deadline, ok := ctx.Deadline(); ok && j.work.Timeout != 0 {
		env["RINGFENCE_DEADLINE"] = deadline.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return env
}

func fenceVariables(f fence.Fence) map[string]string {
	return map[string]string{"RINGFENCE_NAME": f.Name, "RINGFENCE_TOKEN": f.Token.String(), "RINGFENCE_FENCE": f.String()}
}
