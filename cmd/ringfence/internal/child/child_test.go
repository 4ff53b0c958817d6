//go:build linux || darwin

package child

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

const long = time.Hour // a grace that no test waits for

func TestExitStatusIsTheCommandsOwn(t *testing.T) {
	t.Parallel()
	for _, code := range []int{0, 1, 2, 126, 127, 200} {
		got := start(t, long, "sh", "-c", "exit "+strconv.Itoa(code)).result()
		if want := (outcome{Result: Result{ExitCode: code}}); !equal(got, want) {
			t.Errorf("exit %d: got %+v", code, got)
		}
	}
}

func equal(a, b outcome) bool {
	return a.ExitCode == b.ExitCode && a.Signal == b.Signal && a.Stopped == b.Stopped && a.Killed == b.Killed &&
		a.Left == b.Left && slices.Equal(a.Survivors, b.Survivors) && a.Err == b.Err && a.Start == b.Start
}

func TestDeathBySignal(t *testing.T) {
	t.Parallel()
	got := start(t, long, "sh", "-c", "kill -KILL $$").result()
	if got.ExitCode != 137 || got.Signal != syscall.SIGKILL || got.Killed {
		t.Errorf("got %+v, want 137 by a KILL that isn't ours", got)
	}
}

func TestSignalEndsTheTree(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			// In the background of sh, sleep ignores INT and QUIT.
			r := start(t, long, "sh", "-c", "sleep 1000 & echo $!; wait")
			pid := r.pid()
			r.signal(s)
			got := r.result()
			wantGone(t, pid)
			if got.ExitCode != 128+int(s) || got.Signal != s || got.Stopped || got.Killed {
				t.Errorf("got %+v, want an end by %v", got, s)
			}
		})
	}
}

func TestSignalTwiceIsPassedOnTwice(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGINT, syscall.SIGCONT} {
		number := strconv.Itoa(int(s))
		r := start(t, long, "sh", "-c", `trap "echo got" `+number+`; sleep 1000 & echo ready; while :; do wait $!; done`)
		if r.line() != "ready" {
			t.Fatal("not ready")
		}
		for range 2 {
			r.signal(s)
			if got := r.line(); got != "got" {
				t.Errorf("%v: the command said %q", s, got)
			}
		}
		r.order("k")
		r.result()
	}
}

func TestSignalReachesTheGroup(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", `trap : USR1
		sh -c 'trap "echo got" USR1; sleep 1000 & echo ready; while :; do wait $!; done' & while :; do wait $!; done`)
	r.line()
	r.signal(syscall.SIGUSR1)
	if got := r.line(); got != "got" {
		t.Errorf("the command's child said %q", got)
	}
	r.order("k")
	r.result()
}

func TestSignalsArePassedOnDuringTheStop(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", `trap "echo term" TERM; trap "echo bye; exit 7" USR1
		(echo ready; exec sleep 1000) & while :; do wait; done`)
	r.line()
	r.order("s")
	if got := r.line(); got != "term" {
		t.Fatalf("the command said %q", got)
	}
	r.signal(syscall.SIGUSR1)
	if got := r.result(); got.ExitCode != 7 || !got.Stopped || got.Killed {
		t.Errorf("got %+v, want the command's own 7 after a stop", got)
	}
}

func TestStopEndsEveryDescendant(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", `"$SELF" @sit & "$SELF" @sit & wait`)
	one, two := r.pid(), r.pid()
	r.order("s")
	got := r.result()
	wantGone(t, one, two)
	if got.Signal != syscall.SIGTERM || !got.Stopped || got.Killed || got.Left != 0 {
		t.Errorf("got %+v, want an end by TERM", got)
	}
}

func TestGraceEndsWithKill(t *testing.T) {
	t.Parallel()
	for _, grace := range []time.Duration{0, 50 * time.Millisecond} {
		r := start(t, grace, "sh", "-c", `"$SELF" @deaf & trap "" TERM; wait; wait`)
		pid := r.pid()
		begin := time.Now()
		r.order("s")
		got := r.result()
		wantGone(t, pid)
		if got.ExitCode != 137 || !got.Stopped || !got.Killed || time.Since(begin) < grace {
			t.Errorf("grace %v: got %+v after %v, want a KILL after it", grace, got, time.Since(begin))
		}
	}
}

func TestKillCutsTheGrace(t *testing.T) {
	t.Parallel()
	for _, orders := range []string{"k", "sk"} {
		r := start(t, long, os.Args[0], "@deaf")
		pid := r.pid()
		r.order(orders)
		got := r.result()
		wantGone(t, pid)
		if got.Signal != syscall.SIGKILL || !got.Stopped || !got.Killed {
			t.Errorf("orders %q: got %+v, want a KILL within the grace", orders, got)
		}
	}
}

func TestStoppedProcessStillEnds(t *testing.T) {
	t.Parallel()
	r := start(t, long, os.Args[0], "@sit")
	check(t, syscall.Kill(r.pid(), syscall.SIGSTOP))
	r.order("s")
	if got := r.result(); got.Signal != syscall.SIGTERM || got.Killed {
		t.Errorf("got %+v, want an end by TERM", got)
	}
}

func TestLeftBehindIsEnded(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", `sleep 1000 & echo $!; exit 3`)
	pid := r.pid()
	got := r.result()
	wantGone(t, pid)
	if !equal(got, outcome{Result: Result{ExitCode: 3, Left: 1}}) {
		t.Errorf("got %+v, want the command's own 3, with 1 left behind", got)
	}
}

func TestLeftBehindAndDeafIsKilled(t *testing.T) {
	t.Parallel()
	r := start(t, 50*time.Millisecond, "sh", "-c", `mkfifo "$0"; "$SELF" @deaf > "$0" & read pid < "$0"; echo $pid`,
		filepath.Join(t.TempDir(), "fifo"))
	pid := r.pid()
	got := r.result()
	wantGone(t, pid)
	if !equal(got, outcome{Result: Result{Left: 1, Killed: true}}) {
		t.Errorf("got %+v, want 0, with 1 left behind and killed", got)
	}
}

// A subshell says when it is ready: before that it has the handlers of its
// parent, and would swallow TERM.
func TestCleaningUpIsSpared(t *testing.T) {
	t.Parallel()
	r := start(t, long, "sh", "-c", `trap 'sh -c "sleep 0.3; echo cleaned"; exit 4' TERM; (echo ready; exec sleep 1000) & wait`)
	r.line()
	r.order("s")
	if got := r.line(); got != "cleaned" {
		t.Errorf("the command said %q", got)
	}
	if got := r.result(); got.ExitCode != 4 {
		t.Errorf("got %+v, want the handler's own 4", got)
	}
}

func TestFilesAreHandedOver(t *testing.T) {
	t.Parallel()
	data := make([]byte, 1<<20)
	for i := range data {
		data[i] = byte(rand.Int())
	}
	in := filepath.Join(t.TempDir(), "in")
	check(t, os.WriteFile(in, data, 0o600))
	file, err := os.Open(in)
	check(t, err)
	defer file.Close()
	var stderr bytes.Buffer
	r := prepareRun(t, long, os.Args[0], "@wrap", "sh", "-c", "cat; printf 'to stderr' >&2")
	r.cmd.Stdin, r.cmd.Stderr = file, &stderr
	stdout, err := r.cmd.StdoutPipe()
	check(t, err)
	r.start()
	got := make([]byte, len(data))
	_, err = io.ReadFull(stdout, got)
	check(t, err)
	r.result()
	r.control.Close()
	if rest, _ := io.ReadAll(stdout); !bytes.Equal(got, data) || len(rest) > 0 {
		t.Error("stdout differs from stdin")
	}
	_ = r.cmd.Wait()
	if stderr.String() != "to stderr" {
		t.Errorf("stderr is %q", stderr.String())
	}
}

func TestEarlierChildrenAreLeftAlone(t *testing.T) {
	t.Parallel()
	r := prepareRun(t, long, "sh", "-c", `sleep 1000 & echo $!; exec "$SELF" @wrap sh -c "exit 5"`)
	r.pipeOut()
	r.start()
	pid := r.pid()
	if got := r.result(); got.ExitCode != 5 || got.Left != 0 {
		t.Errorf("got %+v", got)
	}
	if !lives(t, pid) {
		t.Error("a child from before the start was ended")
	}
	check(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestIgnoredSignalStaysIgnored(t *testing.T) {
	t.Parallel()
	r := prepareRun(t, long, "sh", "-c", `trap "" HUP; exec "$SELF" @wrap sh -c 'kill -HUP $$; exit 3'`)
	r.start()
	if got := r.result(); got.ExitCode != 3 {
		t.Errorf("got %+v, want 3: under nohup the command ignores HUP", got)
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		check(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	write("hidden", "#!/bin/sh\n", 0o644)
	t.Setenv("PATH", dir)
	for program, want := range map[string]int{
		"":                                   ExitNotFound,
		"missing":                            ExitNotFound,
		dir + "/missing":                     ExitNotFound,
		dir + "/hidden/below":                ExitNotFound,
		"hidden":                             ExitNotExecutable,
		dir + "/hidden":                      ExitNotExecutable,
		dir:                                  ExitNotExecutable,
		write("text", "no program\n", 0o755): ExitNotExecutable,
		write("lost", "#!/missing\n", 0o755): ExitNotExecutable,
	} {
		_, err := Start(Command{Args: []string{program}})
		var e *StartError
		if !errors.As(err, &e) || e.ExitCode != want {
			t.Errorf("%q: got %v, want exit code %d", program, err, want)
		}
	}
}

func TestOneTreeAtATime(t *testing.T) {
	t.Setenv("INHERITED", "yes")
	p, err := Start(Command{Args: []string{"sh", "-c", `test -z "$INHERITED" && exit 6`}})
	check(t, err)
	if _, err := Start(Command{Args: []string{"sh"}}); !errors.Is(err, ErrBusy) {
		t.Errorf("a second start: %v, want ErrBusy", err)
	}
	if got := p.Wait(Limits{}); got.ExitCode != 6 {
		t.Errorf("got %+v", got)
	}
	if busy.Load() {
		t.Error("still busy after Wait")
	}
}
