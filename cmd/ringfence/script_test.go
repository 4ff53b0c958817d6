package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/child"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// A script finds the command ringfence, a store in RINGFENCE_STORE, a HOME of its
// own, and the commands of scriptCommands.

// onEach runs the scripts of a folder on each kind of store.
func onEach(t *testing.T, folder string) {
	t.Run("sqlite", func(t *testing.T) { onSQLite(t, folder) })
	t.Run("postgres", func(t *testing.T) { onPostgres(t, folder) })
	t.Run("redis", func(t *testing.T) { onRedis(t, folder) })
}

func onSQLite(t *testing.T, folder string) {
	runScripts(t, folder, "sqlite", func(_ testing.TB, work string) string {
		return "sqlite://" + filepath.ToSlash(work) + "/leases.db"
	})
}

func onPostgres(t *testing.T, folder string) {
	realserver.SharedPostgres(t) // is there one at all?
	runScripts(t, folder, "postgres", func(t testing.TB, _ string) string { return realserver.SharedPostgres(t) })
}

func onRedis(t *testing.T, folder string) {
	realserver.NewRedis(t, nil).Stop() // is there one at all?
	runScripts(t, folder, "redis", func(t testing.TB, _ string) string {
		r := realserver.NewRedis(t, nil)
		return (&url.URL{Scheme: "redis", User: url.UserPassword("", r.Password()), Host: r.Addr(), Path: "/0"}).String()
	})
}

// onStandby gives all scripts a server that follows another one.
func onStandby(t *testing.T, folder string) {
	standby := realserver.NewPostgres(t, nil).Standby(t)
	runScripts(t, folder, "standby", func(testing.TB, string) string { return standby.URL("postgres") })
}

// onEtcd shares one server among the scripts of a folder, each with a prefix of its own.
func onEtcd(t *testing.T, folder string) {
	server := realserver.NewEtcd(t, nil)
	runScripts(t, folder, "etcd", func(_ testing.TB, work string) string {
		return "etcd://" + strings.TrimPrefix(server.Endpoints()[0], "http://") + "/" + filepath.Base(work)
	})
}

// runScripts runs the scripts of a folder in parallel, each with a store of its own.
func runScripts(t *testing.T, folder, kind string, store func(t testing.TB, work string) string) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script", folder),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                scriptCommands,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "isolation":
				return child.CanIsolate() == nil, nil
			default:
				return cond == kind, nil
			}
		},
		Setup: func(e *testscript.Env) error {
			tb := e.T().(testing.TB)
			address := store(tb, e.WorkDir)
			s := &stage{t: tb, store: address, secrets: []string{canary}}
			if u, err := url.Parse(address); err == nil && u.User != nil {
				password, _ := u.User.Password()
				s.secrets = append(s.secrets, password)
			}
			e.Values[stageKey{}] = s
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			e.Setenv("USER", "tester")
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv("RINGFENCE_STORE", address)
			if kind == "s3" {
				e.Setenv("AWS_ACCESS_KEY_ID", "jobs")
				e.Setenv("AWS_SECRET_ACCESS_KEY", canary)
			}
			for _, pair := range e.Vars {
				name, _, _ := strings.Cut(pair, "=")
				s.env = append(s.env, name)
			}
			return letOthersIn(e.WorkDir)
		},
	})
}

// letOthersIn lets another user execute the command and reach the work folder:
// for scripts that give up the rights of root.
func letOthersIn(work string) error {
	program, err := exec.LookPath("ringfence")
	if err != nil {
		return err
	}
	bin := filepath.Dir(program)
	for _, dir := range []string{filepath.Dir(bin), bin, program, filepath.Dir(work), work} {
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

func TestScript(t *testing.T) {
	t.Run("each", func(t *testing.T) { t.Parallel(); onEach(t, "each") })
	t.Run("sqlite", func(t *testing.T) { onSQLite(t, "sqlite") })
	t.Run("postgres", func(t *testing.T) { onPostgres(t, "postgres") })
	t.Run("standby", func(t *testing.T) { onStandby(t, "standby") })
	t.Run("redis", func(t *testing.T) { onRedis(t, "redis") })
	t.Run("etcd", func(t *testing.T) { onEtcd(t, "etcd") })
	t.Run("nats", func(t *testing.T) { onNATS(t, "nats") })
	t.Run("server", func(t *testing.T) { t.Parallel(); onServers(t, "server") })
}

// TestUsage runs scripts that must touch no store: there is none.
func TestUsage(t *testing.T) {
	runScripts(t, "usage", "none", func(testing.TB, string) string { return "" })
}

func TestScenario_R21_OddDurations(t *testing.T) { t.Parallel(); onEach(t, "R21") }

func TestScenario_R30_Names(t *testing.T) { t.Parallel(); onEach(t, "R30") }

// TestScenario_R32_ProcessTree needs a reaper of orphans to find a process that
// has left its group.
func TestScenario_R32_ProcessTree(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("orphans that left the group are found on Linux only")
	}
	t.Parallel()
	onEach(t, "R32")
}

func TestScenario_R34_ExitStatus(t *testing.T) { t.Parallel(); onEach(t, "R34") }
