package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// initName is the first argument of an init, and what it is called in a list of processes.
const initName = "ringfence-init"

// CanIsolate reports why Command.Isolate does not work here, by trying it with no command.
func CanIsolate() error {
	p := &Process{}
	proc, err := p.forkIsolated("", Command{}, &os.ProcAttr{Files: []*os.File{nil, nil, nil}, Sys: attributes()})
	if err != nil {
		return err
	}
	_ = p.init.pipe.Close()
	_, err = proc.Wait()
	return err
}

// forkIsolated starts the command below an init in a PID namespace of its own, and returns
// the init when it has told that the command runs. Where this user may not make such a
// namespace, it is made inside a user namespace that knows this user alone.
func (p *Process) forkIsolated(path string, c Command, a *os.ProcAttr) (*os.Process, error) {
	if !canBeInit {
		return nil, isolationError("start its init", errors.New("this program does not begin with child.BeInit"))
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	a.Files = append(a.Files, w)
	args := append([]string{initName, path}, c.Args...)
	a.Sys.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS
	proc, err := os.StartProcess("/proc/self/exe", args, a)
	if errors.Is(err, unix.EPERM) {
		asOurselves(a.Sys)
		proc, err = os.StartProcess("/proc/self/exe", args, a)
	}
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return nil, isolationError("make a PID namespace", err)
	}
	p.init = &isolation{pid: proc.Pid, pipe: r, reports: json.NewDecoder(r)}
	if err := p.init.begun(); err != nil {
		_ = r.Close()
		_, _ = proc.Wait()
		return nil, err
	}
	return proc, nil
}

// asOurselves maps this user and group to themselves, and keeps for init what it needs to
// mount a /proc.
func asOurselves(s *syscall.SysProcAttr) {
	s.Cloneflags |= unix.CLONE_NEWUSER
	s.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	s.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	s.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
}

func isolationError(step string, err error) error {
	return fmt.Errorf("isolation: %s: %w: this machine or container does not let this user; root with CAP_SYS_ADMIN may, or others where user namespaces are on "+
		"(sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)", step, err)
}

// begun waits for the word of the init that the command is started.
func (i *isolation) begun() error {
	var r report
	if err := i.reports.Decode(&r); err != nil {
		return isolationError("start its init", err)
	}
	switch r.Failed {
	case "":
		return nil
	case stepExec:
		return r.Errno
	}
	return isolationError(r.Failed, r.Errno)
}

const stepExec = "exec"

// canBeInit says that BeInit is in this program's way. Without it an init would be the
// whole program once more, and so would be its init, and so on.
var canBeInit bool

// BeInit makes this process the init of a PID namespace, and ends with it, when it was
// started as one. It is the first that main calls.
func BeInit() {
	canBeInit = true
	switch {
	case os.Args[0] != initName:
	case os.Getpid() != 1: // nothing would end with it
		os.Exit(1)
	default:
		os.Exit(runInit(os.Args[1], os.Args[2:]))
	}
}

// runInit starts the command and stays until no process of the namespace is left. The
// signals that its group gets are the command's. If it is killed, the kernel kills all the
// others.
func runInit(path string, args []string) int {
	runtime.LockOSThread() // whose rights are given up, and are the command's
	const reports = 3
	syscall.CloseOnExec(reports)
	to := json.NewEncoder(os.NewFile(reports, "reports"))
	catchAll()
	command, failed := begin(path, args)
	_ = to.Encode(failed)
	if failed.Failed != "" {
		return 1
	}
	for {
		var status syscall.WaitStatus
		pid, err := wait4Any(&status)
		switch {
		case err != nil: // ECHILD: none is left
			return 0
		case pid != command:
		case status.Stopped():
			_ = to.Encode(report{Stopped: status.StopSignal()})
		default:
			_ = to.Encode(report{Ended: true, Status: status})
		}
	}
}

// begin mounts a /proc that shows the namespace, gives up the rights that this takes, and
// starts the command, if there is one.
func begin(path string, args []string) (command int, failed report) {
	if step, err := mountProc(); err != nil {
		return 0, failure(step, err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return 0, failure("give up its rights", err)
	}
	if path == "" {
		return 0, report{}
	}
	command, err := syscall.ForkExec(path, args, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
	if err != nil {
		return 0, failure(stepExec, err)
	}
	return command, report{}
}

func failure(step string, err error) report {
	errno, _ := errors.AsType[syscall.Errno](err)
	return report{Failed: step, Errno: errno}
}

func mountProc() (step string, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return "keep its mounts to itself", err
	}
	return "mount its own /proc", unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

func wait4Any(status *syscall.WaitStatus) (pid int, err error) {
	for {
		pid, err = syscall.Wait4(-1, status, syscall.WUNTRACED, nil)
		if err != syscall.EINTR {
			return pid, err
		}
	}
}

// catchAll lets no signal of the group end this process. What is ignored the command is
// to inherit, and what is caught it gets as the default.
func catchAll() {
	none := make(chan os.Signal, 1)
	for s := syscall.Signal(1); s < 32; s++ {
		if !signal.Ignored(s) {
			signal.Notify(none, s)
		}
	}
}
