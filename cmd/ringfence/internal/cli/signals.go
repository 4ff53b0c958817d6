package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// earlySignals ends the context when a signal asks ringfence to end before the
// command was started. From then on signals belong to the command.
type earlySignals struct {
	ctx    context.Context
	cancel context.CancelFunc
	ch     chan os.Signal

	mu      sync.Mutex
	signal  syscall.Signal
	running bool
	passed  syscall.Signal // the last one that asked the command to end
}

func catchEarly(ctx context.Context) *earlySignals {
	e := &earlySignals{ch: make(chan os.Signal, 64)} // one that finds no room is dropped
	e.ctx, e.cancel = context.WithCancel(ctx)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) { // under nohup, say, which the command inherits
			signal.Notify(e.ch, s)
		}
	}
	go func() {
		for s := range e.ch {
			e.mu.Lock()
			switch {
			case !e.running:
				e.signal = s.(syscall.Signal)
				e.cancel()
			case s != syscall.SIGHUP: // which may ask it to read its settings anew
				e.passed = s.(syscall.Signal)
			}
			e.mu.Unlock()
		}
	}()
	return e
}

// release hands the signals over to the command, which has been started.
func (e *earlySignals) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = true
}

// regain takes the signals back from a command that has ended, and returns the one that
// had asked it to, or 0.
func (e *earlySignals) regain() syscall.Signal {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = false
	return e.passed
}

func (e *earlySignals) started() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running
}

// caught is the signal that ended the wait, or 0.
func (e *earlySignals) caught() syscall.Signal {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.signal
}

// orEnded is err, or the end by a signal where that explains it; more is put
// behind its text.
func (e *earlySignals) orEnded(err error, more string) error {
	if sig := e.caught(); err != nil && sig != 0 && !e.started() {
		return &exitError{exitSignal + int(sig), fmt.Errorf("ended by the signal %v%s", sig, more)}
	}
	return err
}

func (e *earlySignals) stop() {
	signal.Stop(e.ch)
	close(e.ch)
	e.cancel()
}
