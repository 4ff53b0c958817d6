//go:build linux || darwin

package child

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary plays every part: the program that supervises ("@wrap"), and
// the awkward descendants.
func TestMain(m *testing.M) {
	BeInit()
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "@") {
		play(os.Args[1], os.Args[2:])
		return
	}
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(sig) { // or what is started ignores it too: under nohup, or in the background of a script
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	os.Exit(m.Run())
}

func play(part string, args []string) {
	switch part {
	case "@wrap":
		wrap(args)
	case "@sit": // says its number and stays
		sit()
	case "@deaf": // the same, and ignores what asks it to end
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		sit()
	case "@daemon": // leaves a process in a session of its own, and ends
		leave(args, &syscall.SysProcAttr{Setsid: true})
	case "@root":
		if err := syscall.Setuid(0); err != nil {
			panic(err)
		}
		sit()
	}
}

func sit() {
	fmt.Println(os.Getpid())
	for {
		time.Sleep(time.Hour)
	}
}

func leave(args []string, attr *syscall.SysProcAttr) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, attr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// outcome is a Result on its way out of the supervising process.
type outcome struct {
	Result
	Err, Start string
}

// wrap supervises its arguments. On file 3 it is told to stop ('s') or to kill
// ('k'), on file 4 it answers with the result; then it stays until file 3 ends.
func wrap(args []string) {
	control, answer := os.NewFile(3, "control"), os.NewFile(4, "answer")
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	grace, _ := time.ParseDuration(os.Getenv("GRACE"))
	if d, err := time.ParseDuration(os.Getenv("SETTLE")); err == nil {
		settle = d
	}
	stop, kill, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var out outcome
	p, err := Start(Command{Args: args, Env: os.Environ(), Isolate: os.Getenv("ISOLATE") != ""})
	if err != nil {
		out.Start = err.Error()
	} else {
		if os.Getenv("ONE_FILE") != "" {
			leaveOneFile()
		}
		go obey(control, map[byte]chan struct{}{'s': stop, 'k': kill}, end)
		out.Result = p.Wait(Limits{Stop: stop, Kill: kill, Grace: grace})
	}
	if out.Result.Err != nil {
		out.Err = out.Result.Err.Error()
		out.Result.Err = nil
	}
	_ = json.NewEncoder(answer).Encode(out)
	<-end
}

// leaveOneFile lets this process open one more file, and no second.
func leaveOneFile() {
	f, err := os.Open("/")
	if err != nil {
		panic(err)
	}
	next := uint64(f.Fd())
	f.Close()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: next + 1, Max: next + 1}); err != nil {
		panic(err)
	}
}

func obey(control io.Reader, orders map[byte]chan struct{}, end chan struct{}) {
	defer close(end)
	b := make([]byte, 1)
	for {
		if _, err := control.Read(b); err != nil {
			return
		}
		close(orders[b[0]])
	}
}

// run is one supervising process as the test sees it.
type run struct {
	t       *testing.T
	cmd     *exec.Cmd
	out     *bufio.Reader
	control *os.File
	answer  *json.Decoder
}

// start runs args in a supervising process. Whatever hangs is ended, and fails
// the test, after half a minute.
func start(t *testing.T, grace time.Duration, args ...string) *run {
	t.Helper()
	r := prepareRun(t, grace, append([]string{os.Args[0], "@wrap"}, args...)...)
	r.pipeOut()
	r.start()
	return r
}

func (r *run) pipeOut() {
	stdout, err := r.cmd.StdoutPipe()
	check(r.t, err)
	r.out = bufio.NewReader(stdout)
}

func prepareRun(t *testing.T, grace time.Duration, argv ...string) *run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	r := &run{t: t, cmd: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	r.cmd.Env = append(os.Environ(), "SELF="+os.Args[0], "GRACE="+grace.String())
	r.cmd.Stderr = os.Stderr
	control, w, err := os.Pipe()
	check(t, err)
	answer, a, err := os.Pipe()
	check(t, err)
	r.control, r.answer = w, json.NewDecoder(answer)
	r.cmd.ExtraFiles = []*os.File{control, a}
	return r
}

func (r *run) start() {
	r.t.Helper()
	check(r.t, r.cmd.Start())
	for _, f := range r.cmd.ExtraFiles {
		f.Close()
	}
	r.t.Cleanup(func() {
		r.control.Close()
		_ = r.cmd.Wait()
	})
}

func (r *run) order(what string) {
	_, err := r.control.WriteString(what)
	check(r.t, err)
}

func (r *run) signal(s os.Signal) { check(r.t, r.cmd.Process.Signal(s)) }

func (r *run) line() string {
	r.t.Helper()
	s, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatalf("reading the command's output: %v", err)
	}
	return strings.TrimSpace(s)
}

// pid reads the number of a process from the command's output.
func (r *run) pid() int {
	r.t.Helper()
	n, err := strconv.Atoi(r.line())
	check(r.t, err)
	return n
}

func (r *run) result() outcome {
	r.t.Helper()
	var o outcome
	if err := r.answer.Decode(&o); err != nil {
		r.t.Fatalf("no result: %v", err)
	}
	return o
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lives reads the process list, as Wait does, since a zombie can be signalled.
func lives(t *testing.T, pid int) bool {
	t.Helper()
	all, err := processes()
	check(t, err)
	q, ok := table(all)[pid]
	return ok && !q.dead
}

func wantGone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if lives(t, pid) {
			t.Errorf("process %d outlived Wait", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// eventually polls what only another process can bring about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20s: %s", what)
		}
	}
}
