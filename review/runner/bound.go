package runner

import (
	"time"

	"github.com/ringfence-go/ringfence/review/lock"
)

// bounded reviews a unit. If that takes too long, each of its files is reviewed by itself,
// without the others' helpers, in a share of the time, and those that take too long are given
// up. What was given up may run on for a while; its outcome is dropped.
func (r *run) bounded(u *unit) {
	defer close(u.done)
	known := u.known()
	out, ok := r.inTime(u, known, r.MaxTime)
	if !ok && len(u.paths) > 1 && r.ctx.Err() == nil {
		r.slow(u, known)
		return
	}
	if !ok {
		if r.ctx.Err() == nil {
			r.problem(u.paths[0], "given up after %s: it takes too long", r.MaxTime)
		}
		return
	}
	u.outline = out.outline
	r.add(u, out)
}

// shares is how many of its files a folder that took too long would have time for.
const shares = 10

// slow reviews the files of a unit one by one.
func (r *run) slow(u *unit, known map[string]*lock.Outline) {
	limit := max(r.MaxTime/shares, 1)
	for _, path := range u.paths {
		out, ok := r.inTime(&unit{dir: u.dir, language: u.language, paths: []string{path}, pkg: u.pkg}, known, limit)
		switch {
		case ok:
			r.add(u, out)
		case r.ctx.Err() != nil:
			return
		default:
			r.problem(path, "given up after %s: it takes too long, and so did its folder after %s", limit, r.MaxTime)
		}
	}
}

// inTime reviews a unit; false says that it took too long, or that everything is given up.
func (r *run) inTime(u *unit, known map[string]*lock.Outline, limit time.Duration) (outcome, bool) {
	done := make(chan outcome, 1)
	go func() { done <- r.guarded(u, known) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case out := <-done:
		return out, true
	case <-timer.C:
	case <-r.ctx.Done():
	}
	return outcome{}, false
}

func (r *run) add(u *unit, out outcome) {
	if u.quiet {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Findings = append(r.result.Findings, out.findings...)
	r.result.Problems = append(r.result.Problems, out.problems...)
	r.result.Files += out.files
	r.result.Lines += out.lines
}
