package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// machine is where the examples of docs/operations.md are tried. Its own paths are those
// of the page, in a folder of the test.
type machine struct {
	dir      string
	examples map[string]string
	installs *strings.Replacer
}

var exampleBlock = regexp.MustCompile("(?ms)^In `([^`]+)`[^\n]*\n\n```\n(.*?)^```$|^```(yaml)\n(.*?)^```$")

func newMachine(t *testing.T) machine {
	t.Helper()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	ringfence, err := exec.LookPath("ringfence")
	if err != nil {
		t.Fatal(err)
	}
	m := machine{dir: t.TempDir(), examples: map[string]string{}}
	for _, block := range exampleBlock.FindAllStringSubmatch(string(page), -1) {
		m.examples[filepath.Base(block[1]+block[3])] = block[2] + block[4]
	}
	m.installs = strings.NewReplacer("/usr/bin/ringfence", ringfence, "/usr/local/bin/make-report", filepath.Join(m.dir, "make-report"))
	for name, text := range map[string]string{
		"make-report": "#!/bin/sh\necho \"by token $RINGFENCE_TOKEN\"; echo x >> " + m.dir + "/runs\n",
		"logger":      "#!/bin/sh\ncat >> " + m.dir + "/log\n",
	} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m machine) example(t *testing.T, name string) string {
	t.Helper()
	text, ok := m.examples[name]
	if !ok {
		t.Fatalf("docs/operations.md shows no %s", name)
	}
	return m.installs.Replace(text)
}

func (m machine) store() string {
	return "RINGFENCE_STORE=sqlite://" + filepath.Join(m.dir, "leases.db")
}

// tick runs a job on as many machines at once, which end well, and returns how often it
// has run so far.
func (m machine) tick(t *testing.T, cmds ...*exec.Cmd) int {
	t.Helper()
	for _, cmd := range cmds {
		cmd.Env = append(cmd.Env, m.store(), "HOME="+m.dir, "GORACE="+os.Getenv("GORACE"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", cmd.Args, err, out)
		}
	}
	runs, _ := os.ReadFile(filepath.Join(m.dir, "runs"))
	return strings.Count(string(runs), "x")
}

// job is one line of a crontab in /etc/cron.d.
var job = regexp.MustCompile(`(?m)^((?:[0-9*,/-]+ +){5})([a-z]+) +(.+)$`)

// TestCronExample runs the line as cron does: by sh, with next to no environment.
func TestCronExample(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	line := job.FindStringSubmatch(m.example(t, "nightly-report"))
	if line == nil {
		t.Fatalf("there is no job in %q", m.examples["nightly-report"])
	}
	command := line[3]
	if strings.Contains(strings.ReplaceAll(command, `\%`, ""), "%") {
		t.Errorf("cron ends the command at the %%: %s", command)
	}
	cron := func(command string) *exec.Cmd {
		cmd := exec.Command("/bin/sh", "-c", command)
		cmd.Dir, cmd.Env = "/", []string{"PATH=" + m.dir + ":/usr/bin:/bin", "SHELL=/bin/sh", "LOGNAME=report"}
		return cmd
	}
	if n := m.tick(t, cron(command), cron(command), cron(command)); n != 1 {
		t.Errorf("three machines ran the job %d times", n)
	}
	log, _ := os.ReadFile(filepath.Join(m.dir, "log"))
	if strings.Count(string(log), "skipped") != 2 || strings.Count(string(log), "by token") != 1 {
		t.Errorf("the log says:\n%s", log)
	}
	twice := strings.NewReplacer("--min-hold 10m", "", "nightly-report --timeout", "other --timeout").Replace(command)
	if n := m.tick(t, cron(twice), cron(twice)); n != 3 {
		t.Errorf("without --min-hold two machines ran the job %d times", n-1)
	}
}

func TestSystemdExample(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const service, timer = "nightly-report.service", "nightly-report.timer"
	units := filepath.Join(m.dir, "units")
	if err := os.Mkdir(units, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{service, timer} {
		if err := os.WriteFile(filepath.Join(units, name), []byte(m.example(t, name)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, command, _ := strings.Cut(m.example(t, service), "\nExecStart=")
	command, _, _ = strings.Cut(command, "\n")
	words := strings.Fields(command)
	run := func() *exec.Cmd { return &exec.Cmd{Path: words[0], Args: words} }
	if n := m.tick(t, run(), run()); n != 1 {
		t.Errorf("two machines ran the job %d times", n)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("the units are not verified: install systemd")
	}
	out, err := exec.Command(analyze, "verify", "--man=no", filepath.Join(units, service), filepath.Join(units, timer)).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// cronJob has those fields of batch/v1 that the example uses, where Kubernetes has them.
type cronJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Schedule                string
		TimeZone                string `yaml:"timeZone"`
		ConcurrencyPolicy       string `yaml:"concurrencyPolicy"`
		StartingDeadlineSeconds int64  `yaml:"startingDeadlineSeconds"`
		JobTemplate             struct {
			Spec struct {
				BackoffLimit          int   `yaml:"backoffLimit"`
				ActiveDeadlineSeconds int64 `yaml:"activeDeadlineSeconds"`
				Template              struct{ Spec podSpec }
			}
		} `yaml:"jobTemplate"`
	}
}

type podSpec struct {
	RestartPolicy                 string `yaml:"restartPolicy"`
	TerminationGracePeriodSeconds int64  `yaml:"terminationGracePeriodSeconds"`
	Containers                    []struct {
		Name, Image string
		Command     []string
		Env         []struct {
			Name      string
			ValueFrom struct {
				FieldRef struct {
					FieldPath string `yaml:"fieldPath"`
				} `yaml:"fieldRef"`
				SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
			} `yaml:"valueFrom"`
		}
	}
}

func TestKubernetesExample(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	var c cronJob
	reader := yaml.NewDecoder(strings.NewReader(m.example(t, "yaml")))
	reader.KnownFields(true)
	if err := reader.Decode(&c); err != nil {
		t.Fatal(err)
	}
	spec := c.Spec.JobTemplate.Spec
	pod := spec.Template.Spec
	if c.APIVersion != "batch/v1" || c.Kind != "CronJob" || pod.RestartPolicy != "Never" || len(pod.Containers) != 1 {
		t.Fatalf("got %+v", c)
	}
	words := pod.Containers[0].Command
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "$(POD)", "nightly-report-29401-x7k2p")
	}
	run := func() *exec.Cmd {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env = []string{"PATH=" + m.dir + ":/usr/bin:/bin"}
		return cmd
	}
	if n := m.tick(t, run(), run()); n != 1 {
		t.Errorf("two pods ran the job %d times", n)
	}
	command := strings.Join(words, " ")
	if !strings.Contains(command, "--timeout 30m") || strings.Contains(command, "--grace") {
		t.Fatalf("the other figures belong to --timeout 30m and the default grace, not to %s", command)
	}
	if least := int64(30*60 + 10); spec.ActiveDeadlineSeconds <= least || pod.TerminationGracePeriodSeconds <= 10 {
		t.Errorf("the pod is ended before ringfence has ended the job: after %d s, %d s after TERM",
			spec.ActiveDeadlineSeconds, pod.TerminationGracePeriodSeconds)
	}
}
