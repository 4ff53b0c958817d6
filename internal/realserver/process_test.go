//go:build unix

package realserver

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestChildrenAndTheirEnd(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	lists := map[string]func(int) ([]int, error){"children": children}
	if _, err := exec.LookPath("pgrep"); err == nil { // only needed where there is no /proc
		lists["childrenByCommand"] = childrenByCommand
	}
	for name, list := range lists {
		if pids, err := list(os.Getpid()); err != nil || !slices.Contains(pids, pid) {
			t.Errorf("%s: got %v, %v, want %d among them", name, pids, err, pid)
		}
		if pids, err := list(pid); err != nil || len(pids) != 0 {
			t.Errorf("%s of a process without any: got %v, %v", name, pids, err)
		}
	}
	if gone(pid) {
		t.Error("a running process counts as gone")
	}
	in.Close()
	// Until somebody waits for it, the ended child is a zombie.
	if runtime.GOOS == "linux" && !until(10*time.Second, func() bool { return gone(pid) }) {
		t.Error("a zombie does not count as gone")
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if !gone(pid) {
		t.Error("a process that was waited for does not count as gone")
	}
}

// A session that is at work must stop with the main process.
func TestPauseStopsEveryProcess(t *testing.T) {
	t.Parallel()
	p := NewPostgres(t, nil)
	p.Pause()
	pids, err := children(p.c.pid())
	if err != nil || len(pids) < 3 {
		t.Fatalf("children of the server: got %v, %v, want the usual half dozen", pids, err)
	}
	pids = append(pids, p.c.pid())
	for _, pid := range pids {
		if !stopped(pid) && !gone(pid) { // the last session may be over and not yet reaped
			t.Errorf("process %d runs during a pause", pid)
		}
	}
	p.Resume()
	for _, pid := range pids {
		if !until(10*time.Second, func() bool { return !stopped(pid) }) {
			t.Errorf("process %d is still stopped after the pause", pid)
		}
	}
}
