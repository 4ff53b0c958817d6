//go:build linux || darwin

package keys

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/private"
	"github.com/ringfence-go/ringfence/fence"
)

func newFile(t testing.TB) (string, fence.KeySet) {
	t.Helper()
	path, s := filepath.Join(t.TempDir(), "keys.json"), newSet(t)
	if err := Create(path, s); err != nil {
		t.Fatal(err)
	}
	return path, s
}

func rotate(s fence.KeySet) (fence.KeySet, error) { return Rotate(s, "", noon) }

func TestFileIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	path, s := newFile(t)
	after, err := Change(t.Context(), path, rotate)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got, err := Load(path); err != nil || !reflect.DeepEqual(got, after) || len(got.Keys) != len(s.Keys)+1 {
		t.Errorf("%v, %v", got, err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o601} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); !errors.Is(err, fence.ErrInvalid) || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: %v", mode, err)
		}
		if _, err := Change(t.Context(), path, rotate); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("mode %o: changed, %v", mode, err)
		}
	}
}

func TestNoFileIsOverwritten(t *testing.T) {
	t.Parallel()
	path, s := newFile(t)
	if err := Create(path, newSet(t)); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("a second file: %v", err)
	}
	if got, err := Load(path); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%v, %v", got, err)
	}
	onlyFile(t, path)
}

// onlyFile looks for what was left beside it.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestChangesAtOnce: each of them starts from what the one before has made.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	path, s := newFile(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := Change(context.Background(), path, rotate); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := Load(path)
	if err != nil || len(got.Keys) != len(s.Keys)+16 {
		t.Errorf("%d keys, %v", len(got.Keys), err)
	}
	onlyFile(t, path)
}

func TestWaitForAnotherChangeEnds(t *testing.T) {
	t.Parallel()
	path, _ := newFile(t)
	held, err := keyFile.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Change(ctx, path, rotate); err == nil || !strings.Contains(err.Error(), "somebody else is changing it; run it again") {
		t.Errorf("%v", err)
	}
}

func TestFailedChangeLeavesTheFile(t *testing.T) {
	t.Parallel()
	path, s := newFile(t)
	mine := errors.New("mine")
	if _, err := Change(t.Context(), path, func(s fence.KeySet) (fence.KeySet, error) { return s, mine }); !errors.Is(err, mine) {
		t.Errorf("%v", err)
	}
	if got, err := Load(path); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%v, %v", got, err)
	}
	onlyFile(t, path)
}

func TestLinkStaysALink(t *testing.T) {
	t.Parallel()
	path, _ := newFile(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	after, err := Change(t.Context(), link, rotate)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil || !reflect.DeepEqual(got, after) {
		t.Errorf("%v, %v", got, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
}

func TestWhatIsNoKeyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	good := string(newSet(t).Text())
	for what, path := range map[string]string{
		"not there":  filepath.Join(dir, "absent"),
		"a folder":   dir,
		"a pipe":     pipe,
		"empty":      file("empty", ""),
		"half":       file("half", good[:len(good)/2]),
		"a password": file("password", "hunter2\n"),
		"huge":       file("huge", good+strings.Repeat(" ", private.MaxBytes)),
	} {
		_, err := Load(path)
		if !errors.Is(err, fence.ErrInvalid) && what != "a folder" || err == nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, changeErr := Change(t.Context(), path, rotate); changeErr == nil {
			t.Errorf("%s: changed", what)
		}
	}
}
