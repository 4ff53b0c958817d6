package fileguard_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/fileguard"
)

func term(token fence.Token, seq uint64) guard.Write {
	return guard.Write{Fence: fence.Fence{Name: "nightly", Token: token}, Seq: seq, Key: "write " + token.String() + "." + string(rune('0'+seq))}
}

func newGuard(t *testing.T, path string) published {
	t.Helper()
	g, err := fileguard.New(path, guard.Sequenced, nil)
	if err != nil {
		t.Fatal(err)
	}
	return published{g, path}
}

func (p published) writer(kind string) interface {
	Write(context.Context, guard.Write, string) (fence.Verdict, error)
	Read(context.Context) (string, error)
} {
	if kind == "folder" {
		return folder{p}
	}
	return p
}

// TestMain is the process that dies in the middle of a publication, when it is told to.
func TestMain(m *testing.M) {
	point, path := os.Getenv("RINGFENCE_CRASH_AT"), os.Getenv("RINGFENCE_CRASH_PATH")
	if point == "" {
		os.Exit(m.Run())
	}
	fileguard.At(func(reached string) {
		if reached+", and the folder is gone" == point {
			_ = os.RemoveAll(filepath.Dir(path))
		}
		if reached+", and its place is taken" == point {
			takePlace(path)
		}
		if reached == point {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
	})
	g, err := fileguard.New(path, guard.Sequenced, nil)
	if err == nil {
		_, err = published{g, path}.writer(os.Getenv("RINGFENCE_CRASH_KIND")).Write(context.Background(), term(5, 2), "second")
	}
	if errors.Is(err, guard.ErrUnknown) {
		os.Exit(3)
	}
	_, _ = io.WriteString(os.Stderr, errors.Join(errors.New("not killed"), err).Error())
	os.Exit(1)
}

// TestKilledWhilePublishing kills a writer at each point. Whatever it leaves: nothing
// older counts, readers see one of both contents whole, and the same write sent again
// says whether it had landed.
func TestKilledWhilePublishing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"file", "folder"} {
		for point, landed := range map[string]bool{"marked": false, "renamed": true, "synced": true} {
			t.Run(kind+"/"+point, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "report")
				p := newGuard(t, path)
				w := p.writer(kind)
				if _, err := p.Establish(t.Context(), term(5, 1).Fence); err != nil {
					t.Fatal(err)
				}
				if _, err := w.Write(t.Context(), term(5, 1), "first"); err != nil {
					t.Fatal(err)
				}
				if out, err := publisher(kind, path, point).CombinedOutput(); err == nil || strings.Contains(string(out), "not killed") {
					t.Fatalf("the child was to be killed: %v: %s", err, out)
				}
				want, outcome := "first", fence.Admitted
				if landed {
					want, outcome = "second", fence.Duplicate
				}
				if text, err := w.Read(t.Context()); err != nil || text != want {
					t.Errorf("readers see %q, %v; want %q", text, err, want)
				}
				if v, err := w.Write(t.Context(), term(4, 1), "stale"); v.Cause != fence.Superseded {
					t.Errorf("an older token: %v, %v", v, err)
				}
				if v, err := w.Write(t.Context(), term(5, 2), "second"); v.Outcome != outcome {
					t.Errorf("the same again: %v, %v; want %v", v, err, outcome)
				}
				if v, err := w.Write(t.Context(), term(5, 3), "third"); v.Outcome != fence.Admitted {
					t.Errorf("the next: %v, %v", v, err)
				}
				if text, err := w.Read(t.Context()); err != nil || text != "third" {
					t.Errorf("readers see %q, %v", text, err)
				}
			})
		}
	}
}

// publisher is a process that publishes the second write, up to a point.
func publisher(kind, path, point string) *exec.Cmd {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "RINGFENCE_CRASH_AT="+point, "RINGFENCE_CRASH_PATH="+path, "RINGFENCE_CRASH_KIND="+kind)
	return child
}

// TestInPlaceButNotOnTheDisk fails after the rename: the content counts already.
func TestInPlaceButNotOnTheDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "reports", "report")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	p := newGuard(t, path)
	if _, err := p.Establish(t.Context(), term(5, 1).Fence); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(t.Context(), term(5, 1), "first"); err != nil {
		t.Fatal(err)
	}
	out, err := publisher("file", path, "renamed, and the folder is gone").CombinedOutput()
	var end *exec.ExitError
	if !errors.As(err, &end) || end.ExitCode() != 3 {
		t.Errorf("got %v, %s; want an unknown outcome", err, out)
	}
}

// takePlace makes what keeps a filled folder from being put where the link will lead.
func takePlace(path string) {
	filled, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".report.ringfence", "new-*.d"))
	for _, folder := range filled {
		place := filepath.Join(filepath.Dir(folder), "is-"+strings.TrimPrefix(filepath.Base(folder), "new-"))
		_ = os.MkdirAll(filepath.Join(place, "full"), 0o755)
	}
}

// TestFolderThatCantBePlaced: the link does not move to a folder that is not there, while
// the caller is told that nothing was published.
func TestFolderThatCantBePlaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "report")
	f := folder{newGuard(t, path)}
	if _, err := f.Establish(t.Context(), term(5, 1).Fence); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(t.Context(), term(5, 1), "first"); err != nil {
		t.Fatal(err)
	}
	out, err := publisher("folder", path, "marked, and its place is taken").CombinedOutput()
	if err == nil || !strings.Contains(string(out), guard.ErrUnavailable.Error()) {
		t.Errorf("got %v, %s; want an error that says that nothing is published", err, out)
	}
	if text, err := f.Read(t.Context()); err != nil || text != "first" {
		t.Errorf("readers see %q, %v; want what was there", text, err)
	}
	if v, err := f.Write(t.Context(), term(5, 2), "second"); v.Outcome != fence.Admitted {
		t.Errorf("the same again: %v, %v", v, err)
	}
}

// TestMarkStaysUntilItsTermIsKept: the note of a term's last write can't be written, so
// the mark may not move on, or "did it land?" would be answered wrongly for ever.
func TestMarkStaysUntilItsTermIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "report")
	p := newGuard(t, path)
	if _, err := p.Establish(t.Context(), term(5, 1).Fence); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(t.Context(), term(5, 1), "first"); err != nil {
		t.Fatal(err)
	}
	inTheWay := filepath.Join(filepath.Dir(path), ".report.ringfence", "term-5.json")
	if err := os.MkdirAll(filepath.Join(inTheWay, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if v, err := p.Establish(t.Context(), term(6, 1).Fence); !errors.Is(err, guard.ErrUnavailable) {
		t.Errorf("establish: %v, %v; want unavailable", v, err)
	}
	if v, err := p.Write(t.Context(), term(6, 1), "newer"); !errors.Is(err, guard.ErrUnavailable) {
		t.Errorf("write: %v, %v; want unavailable", v, err)
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(t.Context(), term(6, 1), "newer"); err != nil {
		t.Fatal(err)
	}
	if v, err := p.Write(t.Context(), term(5, 1), "first"); v.Cause != fence.Superseded || !v.Landed {
		t.Errorf("the write that had landed: %v, landed %t, %v", v, v.Landed, err)
	}
}

// TestLandedIsToldWithoutEstablishing ends a term by the first write of the next.
func TestLandedIsToldWithoutEstablishing(t *testing.T) {
	t.Parallel()
	p := newGuard(t, filepath.Join(t.TempDir(), "report"))
	if _, err := p.Establish(t.Context(), term(5, 1).Fence); err != nil {
		t.Fatal(err)
	}
	for _, w := range []guard.Write{term(5, 1), term(6, 1), term(7, 1)} {
		if _, err := p.Write(t.Context(), w, "x"); err != nil {
			t.Fatal(err)
		}
	}
	for w, want := range map[guard.Write]bool{term(5, 1): true, term(5, 2): false, term(6, 1): true} {
		if v, err := p.Write(t.Context(), w, "x"); v.Cause != fence.Superseded || v.Landed != want {
			t.Errorf("%v: %v, landed %t, %v", w, v, v.Landed, err)
		}
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := newGuard(t, filepath.Join(dir, "report"))
	f := folder{p}
	if _, err := p.Establish(t.Context(), term(5, 1).Fence); err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); seq <= 5; seq++ {
		if _, err := f.Write(t.Context(), term(5, seq), "x"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(t.Context(), term(4, seq), "x"); err == nil {
			t.Fatal("a stale write was admitted")
		}
		if _, err := f.Write(t.Context(), term(5, seq+1), "unwritable"); !errors.Is(err, errUnwritable) {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".report.ringfence", "new-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, ".report.ringfence", "is-*")); len(kept) != 2 {
		t.Errorf("kept: %v; want the folder and the one before", kept)
	}
}

// TestMarkIsOnTheDiskBeforeItsName counts what a power failure could leave empty: the
// content, the mark with its note, and the mark without. It is alone, as it looks into them.
func TestMarkIsOnTheDiskBeforeItsName(t *testing.T) {
	p := newGuard(t, filepath.Join(t.TempDir(), "report"))
	if _, err := p.Establish(t.Context(), term(5, 1).Fence); err != nil {
		t.Fatal(err)
	}
	var flushed []string
	defer fileguard.OnFlush(func(name string) {
		name, _, _ = strings.Cut(filepath.Base(name), "-")
		flushed = append(flushed, name)
	})()
	if _, err := p.Write(t.Context(), term(5, 1), "x"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"new", "mark.json.new", "mark.json.new"}; !slices.Equal(flushed, want) {
		t.Errorf("flushed %v; want %v", flushed, want)
	}
}

// TestFoldersOfOthersStay: a name that would be a pattern for another one removes nothing
// there, and what it published before goes all the same.
func TestFoldersOfOthersStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, odd := folder{newGuard(t, filepath.Join(dir, "report1"))}, folder{newGuard(t, filepath.Join(dir, "report[1]"))}
	for _, f := range []folder{plain, odd} {
		if _, err := f.Establish(t.Context(), term(5, 1).Fence); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := plain.Write(t.Context(), term(5, 1), "theirs"); err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); seq <= 3; seq++ {
		if _, err := odd.Write(t.Context(), term(5, seq), "mine"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "report1")); err != nil {
		t.Errorf("the other folder: %v", err)
	}
	kept := 0
	entries, err := os.ReadDir(filepath.Join(dir, ".report[1].ringfence"))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "is-") {
			kept++
		}
	}
	if err != nil || kept != 2 {
		t.Errorf("%d folders are kept, %v; want 2", kept, err)
	}
}

func TestWhoeverHasTheLockIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := newGuard(t, filepath.Join(t.TempDir(), "report"))
	unlock, err := p.Lock()
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if v, err := p.Establish(short, term(5, 1).Fence); !errors.Is(err, guard.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", v, err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.Establish(t.Context(), term(5, 1).Fence)
		done <- err
	}()
	unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoMarkIsUnfit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"Lease":"nightly","Token":"0"}`, `{"Lease":"","Token":"5"}`, "\x00\x01"} {
		path := filepath.Join(t.TempDir(), "report")
		p := newGuard(t, path)
		if _, err := p.Establish(t.Context(), term(5, 1).Fence); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), ".report.ringfence", "mark.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if v, err := p.Write(t.Context(), term(9, 1), "x"); !errors.Is(err, guard.ErrUnfit) || v.OK() {
			t.Errorf("%q: %v, %v", text, v, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%q: published", text)
		}
	}
}

func TestPathsThatCantBePublished(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{"", "/", dir + "/" + strings.Repeat("n", 201)} {
		if _, err := fileguard.New(path, guard.Latest, nil); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%q: %v", path, err)
		}
	}
	p := newGuard(t, filepath.Join(dir, "missing", "\x00", "report"))
	if v, err := p.Establish(t.Context(), term(5, 1).Fence); !errors.Is(err, guard.ErrUnavailable) {
		t.Errorf("%v, %v", v, err)
	}
	real := newGuard(t, filepath.Join(dir, "folder"))
	if err := os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := real.Establish(t.Context(), term(5, 1).Fence); err != nil {
		t.Fatal(err)
	}
	if _, err := (folder{real}).Write(t.Context(), term(5, 1), "x"); !errors.Is(err, fence.ErrInvalid) {
		t.Error(err)
	}
	if v, err := real.Write(t.Context(), term(5, 1), "x"); !errors.Is(err, guard.ErrUnavailable) {
		t.Errorf("a file in the place of a folder: %v, %v", v, err)
	}
	if v, err := real.Write(t.Context(), term(4, 1), "x"); v.Cause != fence.Superseded {
		t.Errorf("after a failure: %v, %v", v, err)
	}
}
