package grant

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime counts the time in which the machine slept too.
func uptime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return time.Duration(t.Nano())
}
