//go:build linux || darwin

// Package private keeps secrets in files that nobody but their owner may read, and that
// are there whole or not at all.
package private

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/ringfence-go/ringfence/fence"
)

// MaxBytes is how large a file may be.
const MaxBytes = 1 << 20

// Kind says for people what the files are about. Its methods' errors name the file, and
// are fence.ErrInvalid where it isn't what it should be.
type Kind struct {
	Noun    string // what a file is called
	Absent  string // what to do where it is missing
	Present string // what to do where it must not be there yet
	Exposed string // what to do, beyond taking others' rights away, where somebody may have read it
}

// Read returns what is in the file. One that others than its owner have rights to is
// refused.
func (k Kind) Read(path string) ([]byte, error) {
	f, err := k.open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return k.read(f)
}

// Exists reports whether there is a file. Its folder must be there.
func (k Kind) Exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return false, k.failure(path, err)
		}
		return true, nil
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return false, k.noFolder(path)
	}
	return false, nil
}

func (k Kind) noFolder(path string) error {
	return fmt.Errorf("%w %s %q: its folder is not there", fence.ErrInvalid, k.Noun, path)
}

// Create writes a file that must not be there yet.
func (k Kind) Create(path string, text []byte) error {
	err := k.write(path, text, nil, os.Link) // unlike a rename, replaces nothing
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w %s %q: it is there already; %s", fence.ErrInvalid, k.Noun, path, k.Present)
	case errors.Is(err, fs.ErrNotExist):
		return k.noFolder(path)
	}
	return err
}

// open opens a file that only its owner may read. It doesn't wait for the other end of a
// pipe.
func (k Kind) open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w %s %q: it is not there; %s", fence.ErrInvalid, k.Noun, path, k.Absent)
	}
	if err != nil {
		return nil, k.failure(path, err)
	}
	if err := k.check(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%w %s %q: %w", fence.ErrInvalid, k.Noun, path, err)
	}
	return f, nil
}

func (k Kind) check(f *os.File) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return reason(err)
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others than its owner have rights to it (mode %04o): chmod 600 it, and %s", info.Mode().Perm(), k.Exposed)
	case info.Size() > MaxBytes:
		return fmt.Errorf("it has %d bytes, too many for a %s", info.Size(), k.Noun)
	}
	return nil
}

func (k Kind) read(f *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes))
	if err != nil {
		return nil, k.failure(f.Name(), err)
	}
	return text, nil
}

// write writes text beside path, synced, and then has place give it that name. It keeps
// the owner and the mode of the file that it replaces.
func (k Kind) write(path string, text []byte, old *os.File, place func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return k.failure(path, err)
	}
	defer os.Remove(f.Name()) // where it still has that name
	_, err = f.Write(text)
	if err == nil && old != nil {
		err = resemble(f, old)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return k.failure(path, err)
	}
	if err := place(f.Name(), path); err != nil {
		return k.failure(path, err)
	}
	return k.syncFolder(path)
}

// syncFolder makes what happened to the name of path outlast a crash of the machine.
func (k Kind) syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return k.failure(path, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return k.failure(path, err)
	}
	return nil
}

func (k Kind) failure(path string, err error) error {
	return fmt.Errorf("%s %q: %w", k.Noun, path, reason(err))
}

// reason leaves out the path, which stands before it or is that of a file beside it.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
