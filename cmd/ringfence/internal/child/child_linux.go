package child

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// seesStops: watch reports when the command is stopped.
const seesStops = true

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func adoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// childless asks the kernel, whose answer can't miss a process that forks while
// the list is read: as the reaper of orphans, we have no child only if we have
// no descendant.
func childless() bool {
	var info unix.Siginfo
	return unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD
}

// watch returns when the command has ended, and leaves it to be reaped.
func (p *Process) watch() {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, p.pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || info.Code != cldStopped {
			return
		}
		_ = unix.Waitid(unix.P_PID, p.pid, nil, unix.WSTOPPED|unix.WNOHANG, nil)
		p.halts <- signalOf(&info)
	}
}

const cldStopped = 5

// signalOf reads si_status, which the unix package has no name for.
func signalOf(info *unix.Siginfo) syscall.Signal {
	type child struct {
		_      [3]int32                               // si_signo, si_errno, si_code
		_      [unsafe.Sizeof(uintptr(0))/4 - 1]int32 // the rest is aligned like a pointer
		_      [2]int32                               // si_pid, si_uid
		status int32
	}
	return syscall.Signal((*child)(unsafe.Pointer(info)).status)
}

// processes reads /proc. A process that ends meanwhile is left out.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []process
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if q, ok := parseStat(stat); ok {
			all = append(all, q)
		}
	}
	return all, nil
}

// parseStat reads a line of proc_pid_stat(5). The program's name, in brackets,
// may hold anything, brackets too. A process whose first thread has ended is
// shown as a zombie though its other threads live on.
func parseStat(line []byte) (process, bool) {
	end := bytes.LastIndexByte(line, ')')
	space := bytes.IndexByte(line, ' ')
	if end < 0 || space < 0 {
		return process{}, false
	}
	fields := bytes.Fields(line[end+1:]) // from the third on: state
	const state, parent, group, threads, start = 0, 1, 2, 17, 19
	if len(fields) <= start {
		return process{}, false
	}
	number := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n }
	return process{
		identity: identity{number(line[:space]), uint64(number(fields[start]))},
		parent:   number(fields[parent]),
		group:    number(fields[group]),
		dead:     bytes.ContainsAny(fields[state], "ZX") && number(fields[threads]) < 2,
	}, true
}
