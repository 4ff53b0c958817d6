package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/plan"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/httpguard"
	"github.com/ringfence-go/ringfence/internal/gcstest"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// TestPlannedCommands runs each command line that ringfence plan gives, with real places
// put where it says that the addresses are the user's.
func TestPlannedCommands(t *testing.T) {
	t.Parallel()
	places := placesToWrite(t)
	seen := make(map[string]bool)
	for _, goal := range []plan.Goal{plan.Once, plan.Sequence, plan.Leader} {
		for _, destination := range plan.Destinations() {
			a, err := plan.Of(plan.Question{Name: "report", Goal: goal, Destination: destination, Timeout: time.Minute, Notice: time.Second, Abort: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if seen[a.Command+a.Within] {
				continue
			}
			seen[a.Command+a.Within] = true
			t.Run(string(goal)+" "+destination, func(t *testing.T) {
				t.Parallel()
				places[destination].run(t, a)
			})
		}
	}
}

// placed is where the work of a test writes: our address in the place of the planned one.
type placed struct {
	planned string
	ours    func(t *testing.T, folder string) string
	needs   string // a program
}

func placesToWrite(t *testing.T) map[string]placed {
	backend := s3mem.New()
	if err := backend.CreateBucket("reports"); err != nil {
		t.Fatal(err)
	}
	serve := func(h http.Handler) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	s3 := serve(gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server())
	gs := serve(gcstest.New("reports"))
	receiver := serve(httpguard.Handler{Lease: "report"}.Wrap(receive))
	object := func(scheme, more string) func(*testing.T, string) string {
		return func(_ *testing.T, folder string) string {
			return `"` + scheme + "://reports/" + filepath.Base(folder) + filepath.Base(filepath.Dir(folder)) + more + `"`
		}
	}
	return map[string]placed{
		"postgres": {planned: "postgres://jobs@db/app", ours: func(t *testing.T, _ string) string { return `"` + realserver.SharedPostgres(t) + `"` }},
		"mysql": {planned: "mysql://jobs@db/app", ours: func(t *testing.T, _ string) string {
			return `"mysql://` + strings.NewReplacer("@tcp(", "@", ")/", "/").Replace(realserver.SharedMariaDB(t)) + `"`
		}},
		"sqlite": {planned: "/srv/app.db", ours: func(_ *testing.T, folder string) string { return folder + "/app.db" }},
		"file":   {planned: "/srv/reports/latest", ours: func(_ *testing.T, folder string) string { return folder + "/latest" }},
		"s3":     {planned: "s3://reports/latest", ours: object("s3", "?path-style=true&endpoint="+s3)},
		"gs":     {planned: "gs://reports/latest", ours: object("gs", "?endpoint="+gs)},
		"http":   {planned: "https://reports.example.com/", ours: func(*testing.T, string) string { return receiver + "/" }, needs: "curl"},
	}
}

// receive admits what is complete under the rule that its headers speak of.
func receive(rw http.ResponseWriter, _ *http.Request, w guard.Write) {
	rule := guard.Latest
	switch {
	case w.Seq != 0:
		rule = guard.Sequenced
	case w.Key != "":
		rule = guard.Once
	}
	err := w.Check(rule)
	httpguard.Answer(rw, fence.Verdict{Outcome: fence.Admitted, Fence: w.Fence}, err)
}

// run runs what was planned, once, where it finds the programs that are the user's.
func (p placed) run(t *testing.T, a plan.Answer) {
	if p.needs != "" {
		if _, err := exec.LookPath(p.needs); err != nil {
			t.Skipf("install %s to have its command run: %v", p.needs, err)
		}
	}
	folder := t.TempDir()
	command, within := strings.Replace(a.Command, "ringfence elect report", "ringfence elect report --once", 1), a.Within
	if p.planned != "" {
		ours := p.ours(t, folder)
		if !strings.Contains(command+within, p.planned) {
			t.Fatalf("%s and %s don't write to %s", command, within, p.planned)
		}
		command, within = strings.ReplaceAll(command, p.planned, ours), strings.ReplaceAll(within, p.planned, ours)
	}
	job := "#!/bin/sh -e\necho " + `"report by $RINGFENCE_TOKEN"` + "\n"
	if within != "" {
		job += "./job.sh > result\n" + within + "\n"
	}
	for name, text := range map[string]string{"job": job, "job.sh": "#!/bin/sh\necho a result\n", "job.sql": "SELECT 1", "app.db": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+folder, "RINGFENCE_STORE=", "AWS_ACCESS_KEY_ID=jobs", "AWS_SECRET_ACCESS_KEY="+canary)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s\n%s\n%v\n%s", command, within, err, out)
	}
}
