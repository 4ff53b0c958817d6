package filejournal

import (
	"context"
	"errors"

	"github.com/ringfence-go/ringfence/internal/filelock"
)

// locked calls f while no other process writes.
func (j *Journal) locked(ctx context.Context, f func() error) error {
	lock, err := filelock.Take(ctx, j.path+".lock")
	if err != nil {
		return err
	}
	return errors.Join(f(), lock.Close())
}
