//go:build linux || darwin

package private

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// patience bounds the wait for somebody else who changes the file.
const patience = 10 * time.Second

// Locked is a file that nobody else changes until it is closed.
type Locked struct {
	kind Kind
	path string
	file *os.File
}

// Lock opens the file for a change. Two at once follow each other: the second one sees
// what the first has made. The lock is on the file itself, so whoever got it looks whether
// that is still the one of this name.
func (k Kind) Lock(ctx context.Context, path string) (*Locked, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link stays a link
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		f, err := k.open(path, os.O_RDWR)
		if err != nil {
			return nil, err
		}
		err = await(ctx, f)
		if err == nil && isStill(f, path) {
			return &Locked{k, path, f}, nil
		}
		_ = f.Close()
		if err != nil {
			return nil, k.failure(path, err)
		}
	}
}

// Read returns what is in the file.
func (l *Locked) Read() ([]byte, error) { return l.kind.read(l.file) }

// Replace puts text in the place of the file. On an error that is as it was.
func (l *Locked) Replace(text []byte) error { return l.kind.write(l.path, text, l.file, os.Rename) }

// Remove takes the file away.
func (l *Locked) Remove() error {
	if err := os.Remove(l.path); err != nil {
		return l.kind.failure(l.path, err)
	}
	return l.kind.syncFolder(l.path)
}

// Close lets others change the file.
func (l *Locked) Close() error { return l.file.Close() }

// await waits for the lock on f.
func await(ctx context.Context, f *os.File) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("somebody else is changing it; run it again")
		}
	}
}

func isStill(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(mine, now)
}

// resemble gives f the owner and the mode of old.
func resemble(f, old *os.File) error {
	info, err := old.Stat()
	if err != nil {
		return err
	}
	if is, ok := info.Sys().(*syscall.Stat_t); ok && int(is.Uid) != os.Geteuid() {
		if err := f.Chown(int(is.Uid), int(is.Gid)); err != nil {
			return err
		}
	}
	return f.Chmod(info.Mode().Perm())
}
