package child

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The part "@headless" ends its first thread, on which main runs, and stays in
// another.
func init() {
	if len(os.Args) > 1 && os.Args[1] == "@headless" {
		runtime.LockOSThread()
		go sit()
		syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	}
}

// daemon is a script that puts a process out of the command's sight: a session
// of its own, and a parent that has ended.
const daemon = `"$SELF" @daemon @sit; `

func TestStopFindsADaemon(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", daemon+"exec sleep 1000")
	pid := r.pid()
	r.order("s")
	got := r.result()
	wantGone(t, pid)
	if got.Signal != syscall.SIGTERM || got.Killed {
		t.Errorf("got %+v, want an end by TERM", got)
	}
}

func TestStopFindsASession(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", `setsid "$SELF" @sit & wait`)
	pid := r.pid()
	r.order("s")
	got := r.result()
	wantGone(t, pid)
	if got.Killed {
		t.Errorf("got %+v, want an end by TERM", got)
	}
}

func TestDaemonLeftBehindIsEnded(t *testing.T) {
	t.Parallel()
	for part, grace := range map[string]time.Duration{"@sit": long, "@deaf": 50 * time.Millisecond} {
		killed := part == "@deaf"
		r := start(t, grace, "sh", "-c", `mkfifo "$0"; "$SELF" @daemon `+part+` > "$0" &
			read pid < "$0"; echo $pid; wait; exit 1`, filepath.Join(t.TempDir(), "fifo"))
		pid := r.pid()
		got := r.result()
		wantGone(t, pid)
		if got.ExitCode != 1 || got.Left != 1 || got.Killed != killed {
			t.Errorf("%s: got %+v, want 1 left behind, killed %v", part, got, killed)
		}
	}
}

func TestStoppedDaemonStillEnds(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", daemon+"exec sleep 1000")
	pid := r.pid()
	check(t, syscall.Kill(pid, syscall.SIGSTOP))
	r.order("s")
	got := r.result()
	wantGone(t, pid)
	if got.Killed {
		t.Errorf("got %+v, want an end by TERM", got)
	}
}

// TestForkingIsNotOutrun: a process that lives for a fraction of a millisecond,
// and leaves another one, is gone whenever somebody signals it by its number.
func TestForkingIsNotOutrun(t *testing.T) {
	t.Parallel()
	r := start(t, 0, "sh", "-c", `setsid sh -c 'trap "" TERM; echo $$; hop() { hop & exit; }; hop & hop' & wait`)
	group := r.pid()
	got := r.result()
	if err := syscall.Kill(-group, syscall.SIGKILL); err != syscall.ESRCH {
		t.Errorf("the group has a process left: %v", err)
	}
	if got.Err != "" {
		t.Errorf("got %+v", got)
	}
}

func TestProcessWithoutItsFirstThreadIsEnded(t *testing.T) {
	t.Parallel()
	r := start(t, 50*time.Millisecond, "sh", "-c", `setsid "$SELF" @headless & exec sleep 1000`)
	pid := r.pid()
	eventually(t, "the first thread has ended", func() bool { return state(pid) == "Z" })
	r.order("s")
	r.result()
	eventuallyReaped(t, pid, 0)
}

func TestOrphansAreReapedDuringTheRun(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", daemon+"exec sleep 1000")
	pid := r.pid()
	check(t, syscall.Kill(pid, syscall.SIGKILL))
	eventuallyReaped(t, pid, 20*time.Second)
	r.order("k")
	r.result()
}

func eventuallyReaped(t *testing.T, pid int, within time.Duration) {
	t.Helper()
	if within > 0 {
		eventually(t, "the orphan is reaped", func() bool { return state(pid) == "" })
	}
	if s := state(pid); s != "" {
		t.Errorf("process %d is left in state %s", pid, s)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// state is the letter of proc_pid_stat(5), or "" when there is no such process.
func state(pid int) string {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest[:1]
}

func TestKillOfTheWrapperTakesTheCommand(t *testing.T) {
	t.Parallel()
	r := start(t, long, os.Args[0], "@sit")
	pid := r.pid()
	r.signal(syscall.SIGKILL)
	eventually(t, "the command is dead", func() bool { return !lives(t, pid) })
}

// TestSurvivorsAreNamed needs a process that its supervisor may not signal.
func TestSurvivorsAreNamed(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can make a program that runs as root for others")
	}
	dir, err := os.MkdirTemp("", "")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	check(t, os.Chmod(dir, 0o755))
	self := filepath.Join(dir, "self")
	check(t, exec.Command("cp", os.Args[0], self).Run())
	check(t, exec.Command("install", "-m", "4755", os.Args[0], self+"-root").Run())
	r := prepareRun(t, 0, self, "@wrap", "sh", "-c", `"$0" @root & read x`, self+"-root")
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	r.cmd.Env = append(r.cmd.Env, "SETTLE=100ms")
	stdin, err := r.cmd.StdinPipe()
	check(t, err)
	r.pipeOut()
	r.start()
	pid := r.pid()
	defer syscall.Kill(pid, syscall.SIGKILL)
	stdin.Close()
	got := r.result()
	if len(got.Survivors) != 1 || got.Survivors[0] != pid || got.ExitCode != 1 || !strings.Contains(got.Err, strconv.Itoa(pid)) {
		t.Errorf("got %+v, want the command's own 1 and the survivor %d", got, pid)
	}
}

// TestUnreadableListIsReported: the group dies all the same, but Wait can't know
// that nothing else is left.
func TestUnreadableListIsReported(t *testing.T) {
	t.Parallel()
	r := prepareRun(t, long, os.Args[0], "@wrap", "sh", "-c", `trap "" TERM; "$SELF" @sit & wait`)
	r.cmd.Env = append(r.cmd.Env, "SETTLE=100ms", "ONE_FILE=yes")
	r.pipeOut()
	r.start()
	pid := r.pid()
	r.order("k")
	got := r.result()
	wantGone(t, pid)
	if got.Signal != syscall.SIGKILL || !strings.Contains(got.Err, "could not be listed") {
		t.Errorf("got %+v, want a KILL and an error", got)
	}
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	tail := " 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 THREADS 0 999 1 2 3"
	for line, want := range map[string]process{
		"42 (sh) S" + tail:        {identity: identity{42, 999}, parent: 1, group: 7},
		"42 (a) Z 9 (b) R" + tail: {identity: identity{42, 999}, parent: 1, group: 7},
		"42 (sh) Z" + strings.Replace(tail, "THREADS", "1", 1): {identity: identity{42, 999}, parent: 1, group: 7, dead: true},
		"42 (sh) Z" + strings.Replace(tail, "THREADS", "2", 1): {identity: identity{42, 999}, parent: 1, group: 7},
	} {
		if got, ok := parseStat([]byte(strings.Replace(line, "THREADS", "1", 1))); !ok || got != want {
			t.Errorf("%q: got %+v, %v", line, got, ok)
		}
	}
	for _, line := range []string{"", "42", "42 (sh", "42 (sh) S 1 2"} {
		if got, ok := parseStat([]byte(line)); ok {
			t.Errorf("%q: got %+v, want no process", line, got)
		}
	}
}
