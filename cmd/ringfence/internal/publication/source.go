package publication

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Source is what is to be published.
type Source struct {
	Path   string
	Folder bool
	mode   fs.FileMode
}

// Look looks at the file or the folder at path, and tells in plain words why it can't
// be published.
func Look(path string) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, err
	}
	s := Source{Path: path, Folder: info.IsDir(), mode: info.Mode().Perm()}
	if !s.Folder && !info.Mode().IsRegular() {
		return s, fmt.Errorf("%s: no regular file, and no folder", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return s, err
	}
	return s, f.Close()
}

// Key is the hash of all that is published: of a folder also the names, the modes and
// where links lead.
func (s Source) Key() (string, error) {
	sum := sha256.New()
	if !s.Folder {
		err := copyFrom(sum, s.Path)
		return hex.EncodeToString(sum.Sum(nil)), err
	}
	err := filepath.WalkDir(s.Path, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return s.hashEntry(sum, path, e)
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

func (s Source) hashEntry(sum hash.Hash, path string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(s.Path, path)
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "%q %s %d\n", name, info.Mode(), info.Size())
	switch {
	case e.Type().IsRegular():
		return copyFrom(sum, path)
	case e.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		fmt.Fprintf(sum, "%q\n", target)
		return err
	}
	return nil
}

// sourceError is a failure to read what is to be published.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }

// IsSource reports whether err is a failure to read what is to be published.
func IsSource(err error) bool {
	_, ok := errors.AsType[sourceError](err)
	return ok
}

// copyFrom copies the file at path, and tells apart which side fails.
func copyFrom(to io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return sourceError{err}
	}
	defer f.Close()
	_, err = io.Copy(to, reader{f})
	return err
}

// reader marks its errors as those of the source. It hides what lets io.Copy go around it.
type reader struct{ from io.Reader }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF {
		err = sourceError{err}
	}
	return n, err
}
