package filejournal

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/journaltest"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	journaltest.Run(t, func(t *testing.T) journal.Journal { return Open(filepath.Join(t.TempDir(), "journal"), nil) })
}

func granted(token fence.Token) []journal.Event {
	return []journal.Event{{Kind: journal.Granted, Name: "job", Token: token, At: time.Now()}}
}

func add(t *testing.T, j *Journal, token fence.Token) {
	t.Helper()
	if err := j.Append(t.Context(), granted(token)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, j *Journal) (tokens []fence.Token, faults []error) {
	for e, err := range j.Read(t.Context(), journal.Query{Name: "job"}) {
		if err != nil {
			faults = append(faults, err)
			continue
		}
		tokens = append(tokens, e.Token)
	}
	return tokens, faults
}

func TestTornAndForeignLinesAreReportedAndLeftOut(t *testing.T) {
	t.Parallel()
	j := Open(filepath.Join(t.TempDir(), "journal"), nil)
	add(t, j, 1)
	for _, rest := range []string{`{"kind":"gran`, "\x00\xff\n", `{"kind":"granted","token":"1e3","at":"2026-11-29T00:00:00Z"}` + "\n", "{}\n"} {
		f, err := os.OpenFile(j.path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString(rest)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	add(t, j, 2)
	f, _ := os.OpenFile(j.path, os.O_APPEND|os.O_WRONLY, 0)
	_, _ = f.WriteString(`{"kind":"rel`)
	_ = f.Close()
	add(t, j, 3)
	tokens, faults := read(t, j)
	if len(tokens) != 3 || tokens[0] != 3 || tokens[2] != 1 || len(faults) != 4 {
		t.Fatalf("%v, %v", tokens, faults)
	}
	for _, err := range faults {
		if !errors.Is(err, journal.ErrCorrupt) {
			t.Error(err)
		}
	}
	if last := faults[3].Error(); !strings.HasSuffix(last, "journal, line 2: corrupt entry") {
		t.Error(last)
	}
}

func TestFileIsRotatedBySize(t *testing.T) {
	t.Parallel()
	j := Open(filepath.Join(t.TempDir(), "journal"), &Options{MaxBytes: 300})
	for i := range 10 {
		add(t, j, fence.Token(i+1))
	}
	tokens, faults := read(t, j)
	if len(faults) > 0 || len(tokens) < 3 || len(tokens) > 8 || tokens[0] != 10 {
		t.Errorf("%v, %v", tokens, faults)
	}
	for _, path := range []string{j.path, j.older()} {
		info, err := os.Stat(path)
		if err != nil || info.Size() > 300 {
			t.Errorf("%v, %v", info, err)
		}
		if err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s may be read by others: %s", path, info.Mode())
		}
	}
}

func TestWhatCannotBeAJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("root:x:0:0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		other: "no journal", dir: "no regular file", filepath.Join(dir, "none", "journal"): "create its folder", filepath.Join(other, "x"): "journal",
	} {
		err := Open(path, nil).Append(t.Context(), granted(1))
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, driver.ErrUnfit) && path != filepath.Join(other, "x") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, _ := os.ReadFile(other); string(text) != "root:x:0:0\n" {
		t.Errorf("it was changed: %q", text)
	}
}
