package grant

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime counts the time in which the machine slept too, which on macOS the monotonic
// clock does.
func uptime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano())
}
