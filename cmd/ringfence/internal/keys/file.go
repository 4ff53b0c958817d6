//go:build linux || darwin

package keys

import (
	"context"
	"fmt"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/private"
	"github.com/ringfence-go/ringfence/fence"
)

var keyFile = private.Kind{
	Noun:    "key file",
	Absent:  "ringfence keys new makes one",
	Present: "rotate its key, or name another file",
	Exposed: "rotate its key where somebody may have read it",
}

// Load reads the file at path. One that others than its owner may read, or that
// isn't what [Create] has written, is fence.ErrInvalid.
func Load(path string) (fence.KeySet, error) {
	text, err := keyFile.Read(path)
	if err != nil {
		return fence.KeySet{}, err
	}
	return parse(path, text)
}

func parse(path string, text []byte) (fence.KeySet, error) {
	s, err := fence.ParseKeySet(text)
	if err != nil {
		return fence.KeySet{}, fmt.Errorf("key file %q: %w", path, err)
	}
	return s, nil
}

// Create writes a file that must not be there yet, whole or not at all.
func Create(path string, s fence.KeySet) error { return keyFile.Create(path, s.Text()) }

// Change replaces the set in the file by what change makes of it, and returns that. Two
// at once follow each other: the second one changes what the first has made. On an
// error the file is as it was.
func Change(ctx context.Context, path string, change func(fence.KeySet) (fence.KeySet, error)) (fence.KeySet, error) {
	f, err := keyFile.Lock(ctx, path)
	if err != nil {
		return fence.KeySet{}, err
	}
	defer f.Close()
	text, err := f.Read()
	if err != nil {
		return fence.KeySet{}, err
	}
	s, err := parse(path, text)
	if err != nil {
		return s, err
	}
	if s, err = change(s); err != nil {
		return s, err
	}
	return s, f.Replace(s.Text())
}
