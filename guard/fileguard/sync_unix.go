//go:build unix

package fileguard

import (
	"errors"
	"os"
)

// syncFolder brings the names in a folder to the disk.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
