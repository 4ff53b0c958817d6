package fileguard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A folder is filled as new-RANDOM.d, by whoever wants to publish it, and becomes
// is-RANDOM.d under the lock.
const (
	filling      = "new-"
	placing      = "is-"
	folderSuffix = ".d"
)

// placed is where the folder that was filled beside temporary is put.
func placed(temporary string) string {
	dir, name := filepath.Split(temporary)
	return filepath.Join(dir, placing+strings.TrimPrefix(name, filling)+folderSuffix)
}

// placeFolder puts the folder in its place, where there is one to be published.
func (s *state) placeFolder(temporary string) error {
	err := os.Rename(temporary+folderSuffix, placed(temporary))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncFolder(s.g.dir)
}

// forgetFolders removes the folders that were published before, but for those two
// that the path led to last. What can't be removed now goes the next time.
func (s *state) forgetFolders(keep ...string) {
	there, _ := os.ReadDir(s.g.dir) // no pattern: names may have brackets
	for _, e := range there {
		name := e.Name()
		kept := slices.ContainsFunc(keep, func(target string) bool { return filepath.Base(target) == name })
		if strings.HasPrefix(name, placing) && strings.HasSuffix(name, folderSuffix) && !kept {
			_ = os.RemoveAll(s.file(name))
		}
	}
}

// discard removes what was made to be published and was not.
func discard(temporary string) {
	_ = os.Remove(temporary)
	_ = os.RemoveAll(temporary + folderSuffix)
}

// syncTree brings a folder and all in it to the disk.
func syncTree(folder string) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return syncFolder(path)
		case !e.Type().IsRegular():
			return nil
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	})
}
