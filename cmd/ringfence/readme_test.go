package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeCommands runs each command line of the README, in the order in which
// a newcomer meets them. The lines that build something else are looked up.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	reader := newcomer(t)
	ran := 0
	for _, line := range shellLines(string(readme)) {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "ringfence":
			ran++
			reader.run(t, alone(line))
		case "go":
			checkGo(t, line)
		case "make":
			checkMake(t, rest)
		}
	}
	if ran == 0 {
		t.Error("the README shows no command of ringfence")
	}
}

// shellLines are the lines indented by four spaces, without comments; those that go on
// are one.
func shellLines(text string) (lines []string) {
	before := ""
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(line, "    ")
		if !ok {
			continue
		}
		command, _, _ = strings.Cut(command, " #")
		command = before + strings.TrimSpace(command)
		if goesOn(command) {
			before = strings.TrimSuffix(command, "\\") + " "
			continue
		}
		lines, before = append(lines, command), ""
	}
	return lines
}

func goesOn(command string) bool {
	return strings.HasPrefix(command, "ringfence ") && (strings.HasSuffix(command, "\\") || strings.Count(command, "'")%2 == 1)
}

// alone is a command as far as it can be run here: of one that asks somebody's server,
// or never ends, its flags are read.
func alone(line string) string {
	if !strings.Contains(line, "://") && !strings.HasPrefix(line, "ringfence elect") {
		return line
	}
	own, child, _ := strings.Cut(line, " -- ")
	return own + " --help -- " + child
}

// folder is where a newcomer stands.
type folder struct {
	path string
	env  []string
}

func newcomer(t *testing.T) folder {
	f := folder{path: t.TempDir()}
	path := buildReviewer(t) + string(filepath.ListSeparator) + os.Getenv("PATH")
	f.env = append(os.Environ(), "HOME="+f.path, "XDG_STATE_HOME="+filepath.Join(f.path, "state"), "RINGFENCE_STORE=", "PATH="+path)
	report := "#!/bin/sh\necho report by $RINGFENCE_TOKEN\n"
	for _, program := range []string{"make-report", "worker"} {
		if err := os.WriteFile(filepath.Join(f.path, program), []byte(report), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f folder) run(t *testing.T, line string) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = f.path, f.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the README says %q: %v\n%s", line, err, out)
	}
	t.Logf("$ %s\n%s", line, out)
}

// checkGo finds the package that a go command names.
func checkGo(t *testing.T, line string) {
	for word := range strings.FieldsSeq(line) {
		if dir, ok := strings.CutPrefix(word, "./"); ok {
			if _, err := os.Stat(filepath.Join("../..", dir)); err != nil {
				t.Errorf("the README says %q: %v", line, err)
			}
		}
	}
	if _, args, ok := strings.Cut(line, "go run ./cmd/ringfence "); ok {
		newcomer(t).run(t, "ringfence "+args+" --help")
	}
}

func checkMake(t *testing.T, target string) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).Match(makefile) {
		t.Errorf("the README says make %s, which the Makefile has not", target)
	}
}
