package open

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCheckFileLeavesLocksAlone: a process that closes any descriptor of a file
// loses its record locks on it, and so the locks of a database that is open.
func TestCheckFileLeavesLocksAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "leases.db")
	if err := checkFile(path); err != nil { // it is created
		t.Fatal(err)
	}
	held, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	other, err := os.OpenFile(path, os.O_RDWR, 0) // closed only at the end
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: unix.SEEK_SET, Len: 1}
	if err := unix.FcntlFlock(held.Fd(), unix.F_SETLK, &lock); err != nil {
		t.Fatal(err)
	}
	if err := checkFile(path); err != nil {
		t.Fatal(err)
	}
	// a lock of the open file description meets those of its own process, too
	found := unix.Flock_t{Type: unix.F_WRLCK, Whence: unix.SEEK_SET, Len: 1}
	if err := unix.FcntlFlock(other.Fd(), unix.F_OFD_GETLK, &found); err != nil {
		t.Fatal(err)
	}
	if found.Type == unix.F_UNLCK {
		t.Error("the check took the lock away")
	}
}

func TestCheckFileLeavesALinkToSQLite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(filepath.Join(dir, "leases.db"), link); err != nil {
		t.Fatal(err)
	}
	store, err := FromFile(link).Store(t.Context())
	if err != nil {
		t.Fatalf("a link to a file that isn't there yet: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}
