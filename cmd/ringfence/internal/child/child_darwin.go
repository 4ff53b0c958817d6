package child

import (
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// seesStops: nothing tells that the command is stopped, so it is given the
// terminal at the start or never.
const seesStops = false

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// adoptOrphans does nothing: orphans go to launchd, and the group is what is left
// to know them by.
func adoptOrphans() error { return nil }

func childless() bool { return true }

// watch returns when the command has ended, and leaves it to be reaped. (waitid
// with WNOWAIT also returns on a stop here.)
func (p *Process) watch() {
	queue, err := unix.Kqueue()
	if err != nil { // out of file descriptors
		for p.listed() {
			time.Sleep(50 * time.Millisecond)
		}
		return
	}
	defer unix.Close(queue)
	event := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&event, p.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	for {
		_, err := unix.Kevent(queue, []unix.Kevent_t{event}, make([]unix.Kevent_t, 1), nil)
		if err != unix.EINTR {
			return // ESRCH: it had ended before
		}
	}
}

// listed reports whether the command lives, as far as the process table tells.
func (p *Process) listed() bool {
	all, err := processes()
	return err != nil || slices.ContainsFunc(all, func(q process) bool { return q.pid == p.pid && !q.dead })
}

// processes asks the kernel for its process table.
func processes() ([]process, error) {
	const zombie = 5 // SZOMB
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	all := make([]process, len(list))
	for i, q := range list {
		started := q.Proc.P_starttime
		all[i] = process{
			identity: identity{int(q.Proc.P_pid), uint64(started.Sec)*1e6 + uint64(started.Usec)},
			parent:   int(q.Eproc.Ppid),
			group:    int(q.Eproc.Pgid),
			dead:     q.Proc.P_stat == zombie,
		}
	}
	return all, nil
}
