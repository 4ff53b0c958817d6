package plan

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/timeline"
	"github.com/ringfence-go/ringfence/fence"
)

var update = flag.Bool("update", false, "write the golden files")

// report is the question that most tests ask.
func report(goal Goal, destination string) Question {
	return Question{Name: "report", Goal: goal, Destination: destination, Timeout: 5 * time.Minute, Notice: 5 * time.Second, Abort: 10 * time.Second}
}

// everyAnswer calls f with each question that has an answer.
func everyAnswer(t *testing.T, f func(t *testing.T, q Question, a Answer)) {
	t.Helper()
	for _, goal := range Goals() {
		for _, destination := range Destinations() {
			q := report(Goal(goal), destination)
			a, err := Of(q)
			if errors.Is(err, fence.ErrInvalid) && q.Goal == CAS {
				continue // nothing there compares
			}
			if err != nil {
				t.Errorf("%s to %s: %v", goal, destination, err)
				continue
			}
			f(t, q, a)
		}
	}
}

func TestEveryCombination(t *testing.T) {
	t.Parallel()
	guards := map[string]string{
		"postgres": "sqlguard", "mysql": "sqlguard", "sqlite": "sqlguard", "redis": "redisguard", "etcd": "etcdguard",
		"s3": "s3guard", "gs": "gcsguard", "file": "fileguard", "http": "httpguard", "mail": "nobody", "payment": "nobody", "queue": "nobody",
	}
	tools := map[Goal]string{Once: "lease", Sequence: "lease", Leader: "election", CAS: "conditional-write"}
	rules := map[Goal]string{Once: "once", Sequence: "sequenced", Leader: "latest"}
	answers := 0
	everyAnswer(t, func(t *testing.T, q Question, a Answer) {
		answers++
		guard, rule := guards[q.Destination], rules[q.Goal]
		if q.Goal == CAS {
			guard = "condition"
		}
		if guard == "nobody" {
			rule = ""
		}
		if a.Tool != tools[q.Goal] || a.RefusedBy != guard || a.Rule != rule {
			t.Errorf("%s to %s: %s, refused by %s, rule %q; want %s, %s, %q", q.Goal, q.Destination, a.Tool, a.RefusedBy, a.Rule, tools[q.Goal], guard, rule)
		}
		need := (q.Timeout + q.Notice + q.Abort).Seconds()
		if q.Goal == CAS {
			need = 0
		}
		if a.LeaseSeconds < need || (a.LeaseSeconds == 0) != (q.Goal == CAS) || a.Renewed != (q.Goal == Leader) {
			t.Errorf("%s to %s: a lease of %v s, renewed %t, for %v s", q.Goal, q.Destination, a.LeaseSeconds, a.Renewed, need)
		}
		if (a.Command == "") != (q.Goal == CAS) || a.Snippet == "" || a.Take == "" || a.Why == "" || a.Check == "" || len(a.Open) == 0 {
			t.Errorf("%s to %s: something is left out: %+v", q.Goal, q.Destination, a)
		}
		if _, err := os.Stat(filepath.Join("../../../..", a.Page)); err != nil {
			t.Errorf("%s to %s: %v", q.Goal, q.Destination, err)
		}
	})
	if want := 4*12 - 4; answers != want {
		t.Errorf("%d answers; want %d", answers, want)
	}
}

func TestOtherWordsForADestination(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"postgresql": "postgres", "mariadb": "mysql", "valkey": "redis", "gcs": "gs", "folder": "file", "https": "http"} {
		if a, err := Of(report(Once, word)); err != nil || a.Destination != want {
			t.Errorf("%s is %s, %v; want %s", word, a.Destination, err, want)
		}
	}
}

// TestText keeps what people read.
func TestText(t *testing.T) {
	t.Parallel()
	leader := report(Leader, "redis")
	leader.Timeout = 0
	day := report(Sequence, "http")
	day.Timeout, day.Notice, day.Abort = 20*time.Hour, 0, 100*time.Millisecond
	for file, q := range map[string]Question{
		"once_postgres": report(Once, "postgres"), "once_payment": report(Once, "payment"), "once_file": report(Once, "file"),
		"sequence_http": day, "sequence_mail": report(Sequence, "mail"),
		"leader_redis": leader, "leader_s3": report(Leader, "s3"), "leader_queue": report(Leader, "queue"), "cas_sqlite": report(CAS, "sqlite"),
	} {
		a, err := Of(q)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := a.Write(&b, timeline.Page{Width: 100}); err != nil {
			t.Fatal(err)
		}
		golden(t, file+".txt", b.String())
		if shown, _, _ := strings.Cut(b.String(), "\nGo, "); file == "once_postgres" && !strings.Contains(page(t), "\n"+shown) {
			t.Errorf("docs/plan.md does not show what is printed:\n%s", shown)
		}
	}
}

// page is the page of the command.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s has changed; go test -update writes it anew:\n%s", path, got)
	}
}

func TestQuestionsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(q *Question){
		`--goal "both": want once, sequence, leader or cas`:                                           func(q *Question) { q.Goal = "both" },
		`--goal "": want once, sequence, leader or cas`:                                               func(q *Question) { q.Goal = "" },
		`--destination "tape": want one of postgres, mysql, sqlite, redis, `:                          func(q *Question) { q.Destination = "tape" },
		`--destination "postgres://": want one of postgres, `:                                         func(q *Question) { q.Destination = "postgres://u:c4n4ry@h/db" },
		`--goal cas with --destination file: nothing there compares`:                                  func(q *Question) { q.Goal, q.Destination = CAS, "file" },
		`--goal cas with --destination mail: nothing there compares`:                                  func(q *Question) { q.Goal, q.Destination = CAS, "mail" },
		`--timeout 0s: say after how long the work is ended; work without an end has the goal leader`: func(q *Question) { q.Timeout = 0 },
		`--timeout -1s: want 0s to 720h`:                                                              func(q *Question) { q.Timeout = -time.Second },
		`--timeout 721h: want 0s to 720h, which are 30 days`:                                          func(q *Question) { q.Timeout = 721 * time.Hour },
		`--notice -1ns: want 0s to 720h`:                                                              func(q *Question) { q.Notice = -1 },
		`--abort 2562047h47m16.854775807s: want 0s to 720h`:                                           func(q *Question) { q.Abort = 1<<63 - 1 },
		`--notice 0s and --abort 0s: want 10ms at least`:                                              func(q *Question) { q.Notice, q.Abort = 0, 0 },
		`a lease of 720h0m16s for --timeout 720h, --notice 5s and --abort 10s: a lease lasts 720h`:    func(q *Question) { q.Timeout = 720 * time.Hour },
		`a lease of 900h`: func(q *Question) { q.Goal, q.Timeout, q.Notice = Leader, 0, 300*time.Hour-11*time.Second },
		`name "-x": a command line would take it for a flag`: func(q *Question) { q.Name = "-x" },
		`name: it is empty`: func(q *Question) { q.Name = "" },
	} {
		q := report(Once, "postgres")
		change(&q)
		_, err := Of(q)
		if !errors.Is(err, fence.ErrInvalid) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "c4n4ry") {
			t.Errorf("%+v: %v; want %q", q, err, want)
		}
	}
}

func TestNamesAreQuoted(t *testing.T) {
	t.Parallel()
	q := report(Once, "redis")
	q.Name = `it's "a" $name`
	a, err := Of(q)
	if err != nil {
		t.Fatal(err)
	}
	if want := `ringfence run 'it'\''s "a" $name' --timeout`; !strings.HasPrefix(a.Command, want) {
		t.Errorf("%s; want %s", a.Command, want)
	}
	if want := `locker.Run(ctx, "it's \"a\" $name", `; !strings.Contains(a.Snippet, want) {
		t.Errorf("%s; want %s", a.Snippet, want)
	}
}
