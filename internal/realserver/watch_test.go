package realserver

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// leaveEnv makes TestHelperLeavesServerBehind do its work, in a test binary that
// TestServerEndsWithTheTestBinary starts.
const leaveEnv = "RINGFENCE_TEST_LEAVE"

func TestServerEndsWithTheTestBinary(t *testing.T) {
	t.Parallel()
	needPostgres(t)
	for _, how := range []string{"return", "exit", "panic", "killed", "killed while paused", "killed after the server"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			left := leaveServerBehind(t, how)
			if !until(30*time.Second, left.gone) {
				t.Errorf("left behind: %s, processes %v", left.dir, left.pids)
			}
			if segments, err := os.ReadFile("/proc/sysvipc/shm"); err == nil && left.segment != "" {
				if strings.Contains(string(segments), " "+left.segment+" ") {
					t.Errorf("left behind: shared memory segment %s", left.segment)
				}
			}
		})
	}
}

// remains are what a test binary had when it ended.
type remains struct {
	dir     string
	segment string
	pids    []int
}

func (r remains) gone() bool {
	for _, pid := range r.pids {
		if !gone(pid) {
			return false
		}
	}
	_, err := os.Stat(r.dir)
	return errors.Is(err, fs.ErrNotExist)
}

// leaveServerBehind runs a test binary that starts a server and then ends.
func leaveServerBehind(t *testing.T, how string) (r remains) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperLeavesServerBehind$", "-test.count=1")
	cmd.Env = append(os.Environ(), leaveEnv+"="+how)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "left: "); ok {
			fields := strings.Split(rest, "\t")
			r.dir, r.segment = fields[0], fields[1]
			for pid := range strings.FieldsSeq(fields[2]) {
				n, _ := strconv.Atoi(pid)
				r.pids = append(r.pids, n)
			}
			break
		}
	}
	if r.dir == "" {
		t.Fatal("the test binary started no server")
	}
	if strings.HasPrefix(how, "killed") {
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	for lines.Scan() { // up to the end of the binary
	}
	_ = cmd.Wait()
	return r
}

func TestHelperLeavesServerBehind(t *testing.T) {
	how := os.Getenv(leaveEnv)
	if how == "" {
		return // nothing to do outside of TestServerEndsWithTheTestBinary
	}
	if how == "return" {
		SharedPostgres(t)
		c, err := shared()
		if err != nil {
			t.Fatal(err)
		}
		reportRemains(t, c)
		return
	}
	p := NewPostgres(t, nil)
	pids, err := children(p.c.pid())
	if err != nil {
		t.Fatal(err)
	}
	switch how {
	case "killed while paused":
		p.Pause()
	case "killed after the server":
		segment := segmentOf(t, p.c)
		p.Kill()
		fmt.Printf("left: %s\t%s\t%s\n", p.c.dir, segment, strings.Trim(fmt.Sprint(pids), "[]"))
		select {}
	}
	reportRemains(t, p.c)
	switch how {
	case "exit":
		os.Exit(3)
	case "panic":
		go panic("as a test may")
	}
	select {}
}

func reportRemains(t *testing.T, c *cluster) {
	t.Helper()
	pids, err := children(c.pid())
	if err != nil {
		t.Fatal(err)
	}
	pids = append(pids, c.pid())
	fmt.Printf("left: %s\t%s\t%s\n", c.dir, segmentOf(t, c), strings.Trim(fmt.Sprint(pids), "[]"))
}

// segmentOf reads the id of the server's shared memory segment.
func segmentOf(t *testing.T, c *cluster) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 7 {
		return ""
	}
	fields := strings.Fields(lines[6])
	if len(fields) != 2 {
		return ""
	}
	return fields[1]
}
