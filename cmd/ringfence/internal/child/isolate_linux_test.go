package child

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// isolated is start in a namespace. Where this machine allows none it skips.
func isolated(t *testing.T, grace time.Duration, args ...string) *run {
	t.Helper()
	r := prepareIsolated(t, grace, os.Args[0], "@wrap")
	r.cmd.Args = append(r.cmd.Args, args...)
	r.pipeOut()
	r.start()
	return r
}

func prepareIsolated(t *testing.T, grace time.Duration, argv ...string) *run {
	t.Helper()
	if err := CanIsolate(); err != nil {
		t.Skip(err)
	}
	r := prepareRun(t, grace, argv...)
	r.cmd.Env = append(r.cmd.Env, "ISOLATE=yes")
	return r
}

// tree are the numbers of all who descend from the wrapper, as seen from outside.
func (r *run) tree() (pids []int) {
	r.t.Helper()
	all, err := processes()
	check(r.t, err)
	byPID := table(all)
	for _, q := range all {
		for a := range lineage(q, byPID) {
			if a.parent == r.cmd.Process.Pid {
				pids = append(pids, q.pid)
			}
		}
	}
	return pids
}

// TestNoInitWithoutItsDoor: in a program that does not begin with BeInit an init would be
// that program once more, and its init again. It runs beside no other test.
func TestNoInitWithoutItsDoor(t *testing.T) {
	canBeInit = false
	defer func() { canBeInit = true }()
	if err := CanIsolate(); err == nil || !strings.Contains(err.Error(), "BeInit") {
		t.Errorf("%v; want a refusal before anything is started", err)
	}
}

// TestIsolatedDiesWithTheWrapper: a daemon that left its group, its session and its
// parent, and the child of it, which a KILL of the wrapper leaves behind otherwise.
func TestIsolatedDiesWithTheWrapper(t *testing.T) {
	t.Parallel()
	r := isolated(t, long, "sh", "-c", daemon+`setsid sh -c 'setsid "$SELF" @sit & wait' & exec sleep 1000`)
	r.pid()
	r.pid()
	tree := r.tree()
	if len(tree) < 5 { // init, sleep, the daemon, a shell and its child
		t.Errorf("the tree is %v", tree)
	}
	r.signal(syscall.SIGKILL)
	for _, pid := range tree {
		eventually(t, "a process of the namespace is dead", func() bool { return !lives(t, pid) })
	}
}

func TestIsolatedExitStatusIsTheCommandsOwn(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]Result{
		"exit 0": {}, "exit 7": {ExitCode: 7}, "exit 200": {ExitCode: 200},
		"kill -KILL $$": {ExitCode: 137, Signal: syscall.SIGKILL}, "kill -TERM $$": {ExitCode: 143, Signal: syscall.SIGTERM},
	} {
		if got := isolated(t, long, "sh", "-c", script).result(); !equal(got, outcome{Result: want}) {
			t.Errorf("%s: got %+v", script, got)
		}
	}
}

func TestIsolatedStopAsksAndThenKills(t *testing.T) {
	t.Parallel()
	r := isolated(t, long, "sh", "-c", `trap "exit 5" TERM; echo ready; while :; do sleep 0.01; done`)
	r.line()
	r.order("s")
	if got := r.result(); got.ExitCode != 5 || !got.Stopped || got.Killed {
		t.Errorf("a polite one: got %+v", got)
	}
	r = isolated(t, 50*time.Millisecond, "sh", "-c", `"$SELF" @daemon @deaf; exec "$SELF" @deaf`)
	r.pid()
	r.pid()
	tree := r.tree()
	r.order("s")
	if got := r.result(); got.Signal != syscall.SIGKILL && got.ExitCode != 137 || !got.Stopped || !got.Killed {
		t.Errorf("a deaf one: got %+v", got)
	}
	wantGone(t, tree...)
}

// TestIsolatedLatecomerIsAsked: what is left by a process that was asked to end, and has
// ended, gets TERM too, though its parent is an init that got one.
func TestIsolatedLatecomerIsAsked(t *testing.T) {
	t.Parallel()
	r := isolated(t, long, "sh", "-c", `trap 'setsid "$SELF" @sit & exit 3' TERM; echo ready; while :; do sleep 0.01; done`)
	r.line()
	r.order("s")
	if got := r.result(); got.ExitCode != 3 || got.Killed {
		t.Errorf("got %+v, want an end by TERM", got)
	}
}

func TestIsolatedLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for part, grace := range map[string]time.Duration{"@sit": long, "@deaf": 50 * time.Millisecond} {
		killed := part == "@deaf"
		r := isolated(t, grace, "sh", "-c", `mkfifo "$0"; "$SELF" @daemon `+part+` > "$0" &
			read pid < "$0"; echo $pid; wait; exit 1`, filepath.Join(t.TempDir(), "fifo"))
		r.pid()
		if got := r.result(); got.ExitCode != 1 || got.Left != 1 || got.Killed != killed {
			t.Errorf("%s: got %+v, want 1 left behind, killed %v", part, got, killed)
		}
		wantGone(t, r.tree()...)
	}
}

func TestIsolatedForkingIsNotOutrun(t *testing.T) {
	t.Parallel()
	r := isolated(t, 0, "sh", "-c", `setsid sh -c 'trap "" TERM; hop() { hop & exit; }; echo up; hop & hop' & wait`)
	r.line()
	if got := r.result(); got.Err != "" {
		t.Errorf("got %+v", got)
	}
	wantGone(t, r.tree()...)
}

func TestIsolatedGetsSignals(t *testing.T) {
	t.Parallel()
	r := isolated(t, long, "sh", "-c", `trap "echo got" USR1; echo ready; while :; do sleep 0.01; done`)
	r.line()
	for range 2 {
		r.signal(syscall.SIGUSR1)
		if got := r.line(); got != "got" {
			t.Errorf("the command said %q", got)
		}
	}
	r.signal(syscall.SIGINT)
	if got := r.result(); got.ExitCode != 130 || got.Signal != syscall.SIGINT {
		t.Errorf("got %+v, want 130", got)
	}
}

// TestIsolatedSeesItself: the numbers in its /proc are its own, and it is who it was.
func TestIsolatedSeesItself(t *testing.T) {
	t.Parallel()
	r := isolated(t, long, "sh", "-c", `test "$(cut -d" " -f1 /proc/$$/stat)" = $$ && id -u; grep CapAmb /proc/self/status`)
	if uid := r.pid(); uid != os.Getuid() {
		t.Errorf("it runs as user %d", uid)
	}
	if caps := r.line(); strings.Trim(caps, "CapAmb:\t0") != "" {
		t.Errorf("it has rights of init: %s", caps)
	}
	r.result()
}

func TestIsolatedThatDoesNotStart(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "script")
	check(t, os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o700))
	if got := isolated(t, long, script).result(); !strings.Contains(got.Start, "can't be executed") {
		t.Errorf("got %+v", got)
	}
}

// TestIsolatedAsAnybody needs root, to be somebody else.
func TestIsolatedAsAnybody(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	self := filepath.Join(openFolder(t), "self")
	check(t, copyFile(os.Args[0], self))
	r := prepareIsolated(t, long, self, "@wrap", "sh", "-c", `id -u; grep -e CapPrm -e CapAmb /proc/self/status | tr -d "CapPrmAb:\n\t"; echo; exec sleep 1000`)
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	r.pipeOut()
	r.start()
	if uid := r.pid(); uid != 65534 {
		t.Errorf("it runs as user %d", uid)
	}
	if caps := r.line(); strings.Trim(caps, "0") != "" {
		t.Errorf("it has rights: %s", caps)
	}
	tree := r.tree()
	r.signal(syscall.SIGKILL)
	for _, pid := range tree {
		eventually(t, "a process of the namespace is dead", func() bool { return !lives(t, pid) })
	}
}

func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	check(t, os.Chmod(dir, 0o755))
	return dir
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}

func TestIsolatedReadsFromTheTerminal(t *testing.T) {
	t.Parallel()
	if err := CanIsolate(); err != nil {
		t.Skip(err)
	}
	// The script is in the wrapper's group, so the command is stopped when it reads.
	r, keyboard := startOnTerminal(t, "sh", "-c", `ISOLATE=yes "$SELF" @wrap sh -c "$0"; read y; echo "then $y"`, "echo ready; "+reader)
	r.until("ready")
	typed(t, keyboard, "hello\n")
	r.until("got hello")
	if got := r.result(); got.ExitCode != 5 {
		t.Errorf("got %+v, want 5", got)
	}
	r.control.Close()
	typed(t, keyboard, "more\n")
	r.until("then more")
}
