//go:build unix

package realserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// What a server is told. PostgreSQL takes the first two as fast and immediate
// shutdown.
const (
	sigFast      = syscall.SIGINT
	sigImmediate = syscall.SIGQUIT
	sigKill      = syscall.SIGKILL
	sigPause     = syscall.SIGSTOP
	sigResume    = syscall.SIGCONT
)

// account is whom a server runs as; nil is ourselves.
type account struct{ uid, gid int }

// serverAccount is the user postgres when we are root, which PostgreSQL refuses
// to run as.
func serverAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root and there is no user postgres: run the tests as another user, or %s",
			howTo("postgresql", "postgresql@17"))
	}
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	return &account{uid, gid}, errors.Join(uidErr, gidErr)
}

// own gives a path to the account.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// run makes cmd run as the account, in a process group of its own.
func (a *account) run(cmd *exec.Cmd) {
	ownGroup(cmd)
	if a != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
}

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signal sends sig to every process that still exists.
func signal(sig syscall.Signal, pids ...int) error {
	var errs []error
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH {
			errs = append(errs, fmt.Errorf("signal %s to process %d: %w", sig, pid, err))
		}
	}
	return errors.Join(errs...)
}

// gone reports whether a process that is not our child has ended. One that
// nobody has reaped yet counts as ended: it holds nothing any more.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	return processState(pid) == "Z"
}

// stopped reports whether a process stands still after a stop signal.
func stopped(pid int) bool { return processState(pid) == "T" }

// processState is the first letter of what ps shows, or nothing.
func processState(pid int) string {
	id := strconv.Itoa(pid)
	if runtime.GOOS == "linux" {
		state, _, _ := readStat(id)
		return state
	}
	out, _ := exec.Command("ps", "-o", "state=", "-p", id).Output()
	return strings.TrimSpace(string(out[:min(1, len(out))]))
}

// children returns the ids of the processes whose parent is pid. A server's
// processes are found that way because each of PostgreSQL's leads a session of
// its own: a signal to the process group reaches the first one only.
func children(pid int) ([]int, error) {
	if runtime.GOOS != "linux" {
		return childrenByCommand(pid)
	}
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, dir := range dirs {
		id := filepath.Base(dir)
		if _, parent, err := readStat(id); err == nil && parent == pid {
			child, _ := strconv.Atoi(id)
			pids = append(pids, child)
		}
	}
	return pids, nil
}

func childrenByCommand(pid int) ([]int, error) {
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil, nil // none
	}
	if err != nil {
		return nil, fmt.Errorf("list the children of process %d: %w", pid, err)
	}
	var pids []int
	for _, field := range strings.Fields(string(out)) {
		child, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		pids = append(pids, child)
	}
	return pids, nil
}

// readStat reads a process's state and parent from Linux's proc(5).
func readStat(pid string) (state string, parent int, err error) {
	text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return "", 0, err
	}
	// The second field is the program's name in brackets and may hold anything.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 2 {
		return "", 0, fmt.Errorf("process %s: unreadable stat", pid)
	}
	parent, err = strconv.Atoi(fields[1])
	return fields[0], parent, err
}
