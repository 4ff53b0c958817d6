// Package recorder runs the body of a test without a *testing.T and remembers
// what it said, so that a suite can be asked which of its clauses fail.
package recorder

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// T is what the clauses of a suite need of a test. *testing.T has it.
type T interface {
	Context() context.Context
	Cleanup(func())
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // ends the calling goroutine
	Skipf(format string, args ...any)  // ends the calling goroutine
}

// Run runs body, which may end its goroutine or panic, and then its clean-ups. It
// returns the failures in order, and why body skipped if it did.
func Run(ctx context.Context, body func(T)) (failures []string, skipped string) {
	r := &recorder{ctx: ctx}
	done := make(chan struct{})
	go func() { // a goroutine of its own, for Fatalf and Skipf to end
		defer close(done)
		defer r.finish()
		body(r)
	}()
	<-done
	return r.failures, r.skipped
}

type recorder struct {
	ctx      context.Context
	mu       sync.Mutex
	failures []string
	skipped  string
	cleanups []func()
}

func (r *recorder) finish() {
	if p := recover(); p != nil {
		r.Errorf("panic: %v", p)
	}
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}

func (r *recorder) Context() context.Context { return r.ctx }
func (r *recorder) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Helper()                  {}
func (r *recorder) Logf(string, ...any)      {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}
