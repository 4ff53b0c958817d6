package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// patience bounds every wait of a script.
const patience = 30 * time.Second

// canary is the password in the scripts, which no output may show.
const canary = "c4n4ry"

// stage is what the commands of one script share.
type stage struct {
	t       testing.TB
	store   string   // its URL
	secrets []string // what no output may show
	env     []string // the names of the variables that a process gets
	role    string
	proxy   *realserver.Proxy
	started map[string]*background
}

type stageKey struct{}

func stageOf(ts *testscript.TestScript) *stage { return ts.Value(stageKey{}).(*stage) }

// scriptCommands are what scripts have beyond the commands of testscript.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":   exits,
	"within":  within,
	"start":   start,
	"signal":  send,
	"end":     end,
	"until":   until,
	"gone":    gone,
	"sql":     execSQL,
	"redis":   execRedis,
	"network": network,
	"shape":   shape,
	"role":    role,

	"unmounts": unmounts,
}

// exits STATUS PROGRAM ARG... runs a program that must end with this very status,
// or with one of several: 0|1.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	got := exitCode(ts, ts.Exec(args[1], args[2:]...))
	stageOf(ts).inspect(ts, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(got)) {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// within DURATION STATUS PROGRAM ARG... is exits with a bound on its time.
func within(ts *testscript.TestScript, _ bool, args []string) {
	most, err := time.ParseDuration(args[0])
	ts.Check(err)
	begun := time.Now()
	exits(ts, false, args[1:])
	if took := time.Since(begun); took > most {
		ts.Fatalf("it took %s, more than %s", took, most)
	}
}

func exitCode(ts *testscript.TestScript, err error) int {
	if err == nil {
		return 0
	}
	e, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		ts.Fatalf("%v", err)
	}
	return e.ExitCode()
}

// inspect fails on what must be in no output.
func (s *stage) inspect(ts *testscript.TestScript, outputs ...string) {
	for _, output := range outputs {
		if fault := faultIn(output, s.secrets); fault != "" {
			ts.Fatalf("%s in:\n%s", fault, output)
		}
	}
}

var stackTrace = regexp.MustCompile(`(?m)^(goroutine \d+|panic: |fatal error: |WARNING: DATA RACE)|\.go:\d+`)

// longest is how long a line for people may be. An error names the store, the
// reason and the way out.
const longest = 700

func faultIn(output string, secrets []string) string {
	for _, secret := range secrets {
		if strings.Contains(output, secret) {
			return "a password"
		}
	}
	if m := stackTrace.FindString(output); m != "" {
		return fmt.Sprintf("a stack trace (%q)", m)
	}
	for line := range strings.Lines(output) {
		text, ours := strings.CutPrefix(line, "ringfence: ")
		if ours && (strings.HasPrefix(text, "ringfence: ") || len(line) > longest) {
			return "a line that is too long, or doubled,"
		}
	}
	return ""
}

// until PROGRAM ARG... runs it again and again until it exits with 0.
func until(ts *testscript.TestScript, _ bool, args []string) {
	poll(ts, strings.Join(args, " "), func() bool { return ts.Exec(args[0], args[1:]...) == nil })
}

func poll(ts *testscript.TestScript, what string, done func() bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !done(); <-tick.C {
		if time.Now().After(deadline) {
			ts.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// gone FILE... fails when a process runs whose number stands in a file.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		for field := range strings.FieldsSeq(ts.ReadFile(file)) {
			pid, err := strconv.Atoi(field)
			ts.Check(err)
			if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
				ts.Fatalf("process %d of %s is still there (%v)", pid, file, err)
			}
		}
	}
}

// execSQL is "sql STATEMENT...": executes them in the store's database, as its
// owner; for SQLite in the file that RINGFENCE_STORE names now. CURRENT_APP in them is the role that the script made.
func execSQL(ts *testscript.TestScript, _ bool, args []string) {
	s := stageOf(ts)
	address := s.store
	if now := ts.Getenv("RINGFENCE_STORE"); strings.HasPrefix(now, "sqlite:") {
		address = now
	}
	target, err := open.Parse(address)
	ts.Check(err)
	db, err := target.Database(context.Background())
	ts.Check(err)
	defer db.Close()
	for _, statement := range args {
		_, err := db.Exec(strings.ReplaceAll(statement, "CURRENT_APP", s.role))
		ts.Check(err)
	}
}

// execRedis is "redis COMMAND ARG...": executes it in the store's server.
func execRedis(ts *testscript.TestScript, _ bool, args []string) {
	options, err := redis.ParseURL(stageOf(ts).store)
	ts.Check(err)
	client := redis.NewClient(options)
	defer client.Close()
	command := make([]any, len(args))
	for i, word := range args {
		command[i] = word
	}
	ts.Check(client.Do(context.Background(), command...).Err())
}

// role makes a role without rights, in Redis one with the rights of the words that
// follow, whose password is the canary, and goes on as it. OWNER names the store as before.
func role(ts *testscript.TestScript, _ bool, rights []string) {
	s := stageOf(ts)
	u, err := url.Parse(s.store)
	ts.Check(err)
	s.role = "app_" + strings.TrimPrefix(u.Path, "/")
	if u.Scheme == "redis" {
		execRedis(ts, false, append([]string{"ACL", "SETUSER", s.role, "on", ">" + canary}, rights...))
	} else {
		execSQL(ts, false, []string{"CREATE ROLE CURRENT_APP LOGIN PASSWORD '" + canary + "'"})
	}
	u.User = url.UserPassword(s.role, canary)
	ts.Setenv("OWNER", s.store)
	ts.Setenv("RINGFENCE_STORE", u.String())
}

// unmounts FOLDER unmounts it at the end of the script.
func unmounts(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Defer(func() { _ = exec.Command("umount", dir).Run() })
}

// network MODE breaks or heals the network to the store. Its first use puts a
// proxy before the store and names that in RINGFENCE_STORE.
func network(ts *testscript.TestScript, _ bool, args []string) {
	s := stageOf(ts)
	if s.proxy == nil {
		u, err := url.Parse(s.store)
		ts.Check(err)
		s.proxy = realserver.NewProxy(s.t, u.Host)
		u.Host = s.proxy.Addr()
		ts.Setenv("RINGFENCE_STORE", u.String())
	}
	switch args[0] {
	case "blackhole":
		s.proxy.Blackhole()
	case "drop-replies":
		s.proxy.DropReplies()
	case "refuse":
		s.proxy.Refuse()
	case "heal":
		s.proxy.Heal()
	default:
		ts.Fatalf("unknown mode %s of the network", args[0])
	}
}

// shapes are what differs from run to run in JSON, and the word that stands for it.
var shapes = []struct {
	form *regexp.Regexp
	word string
}{
	{regexp.MustCompile(`("token": )"[1-9][0-9]{14,15}"`), `$1"TOKEN"`},
	{regexp.MustCompile(`"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"`), `"TIME"`},
	{regexp.MustCompile(`("remaining_seconds": )[0-9.]+`), `${1}NUMBER`},
	{regexp.MustCompile(`("current": )"[^"]+"`), `$1"IDENTITY"`},
	{regexp.MustCompile(`"(sqlite|postgres|redis)://[^"]*"`), `"URL"`},
	{regexp.MustCompile(`"Redis [0-9.]+"`), `"VERSION"`},
	{regexp.MustCompile(`[+-][0-9]+ ms against this machine's, give or take [0-9.]+ ms`), `DISTANCE`},
}

// shape FILE puts a word in the place of what differs from run to run.
func shape(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, s := range shapes {
		text = s.form.ReplaceAllString(text, s.word)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func TestFaultIn(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		"ringfence: open postgres://u:" + canary + "@h/db",
		"panic: runtime error: index out of range",
		"x\ngoroutine 7 [running]:",
		"\t/src/run.go:12 +0x1d",
		"WARNING: DATA RACE",
		"ringfence: ringfence: twice",
		"ringfence: " + strings.Repeat("long ", longest/5) + "\n",
	} {
		if faultIn(output, []string{canary}) == "" {
			t.Errorf("nothing is found in %.80q", output)
		}
	}
	if fault := faultIn("ringfence: all is well\nthe report\n", []string{canary}); fault != "" {
		t.Errorf("%s is found where there is none", fault)
	}
}
