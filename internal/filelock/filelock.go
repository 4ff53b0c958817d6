// Package filelock lets one process at a time do something with a file.
package filelock

import (
	"context"
	"errors"
	"io"
	"time"
)

var errLocked = errors.New("another process has the lock")

// Take takes the lock on a file, which is made where it is missing, and waits for it
// until ctx ends. To close it gives it back, and so does the end of the process.
func Take(ctx context.Context, name string) (io.Closer, error) {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		lock, err := try(name)
		if !errors.Is(err, errLocked) {
			return lock, err
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
	}
}
