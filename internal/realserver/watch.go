package realserver

import (
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

//go:embed watch.sh
var watchScript string

// watchdog is a process that outlives the test binary by a moment and tidies up
// behind it. It is told which processes there are to end.
type watchdog struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser // nobody else holds it, so it closes when this process ends
}

func startWatchdog(dir string) (*watchdog, error) {
	cmd := exec.Command("sh", "-c", watchScript, "sh", dir)
	ownGroup(cmd) // an interrupt typed at the terminal is not for it
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	return &watchdog{cmd: cmd, pipe: pipe}, nil
}

// tell replaces the list of processes to end.
func (w *watchdog) tell(pids ...int) error {
	line := strings.Trim(fmt.Sprint(pids), "[]")
	if _, err := fmt.Fprintln(w.pipe, line); err != nil {
		return fmt.Errorf("tell the watchdog: %w", err)
	}
	return nil
}

// finish makes the watchdog do its work now, and waits for it.
func (w *watchdog) finish() {
	w.pipe.Close()
	_ = w.cmd.Wait() // its status is that of its last command, which says nothing
}
