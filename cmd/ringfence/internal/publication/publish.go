package publication

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
	"github.com/ringfence-go/ringfence/guard/fileguard"
)

// Order is one publication.
type Order struct {
	Source    Source
	Rule      guard.Rule
	Write     guard.Write
	Establish bool // the term, before the publication
}

// CheckPath reports why o can't be published at a path, or nil.
func (o Order) CheckPath(path string) error {
	parent, err := os.Stat(filepath.Dir(filepath.Clean(path)))
	switch {
	case err != nil:
		return fmt.Errorf("the folder that it is to lie in: %w", err)
	case !parent.IsDir():
		return fmt.Errorf("%s is no folder", filepath.Dir(path))
	case !o.Source.Folder && strings.HasSuffix(path, string(filepath.Separator)):
		return fmt.Errorf("%s names a folder; name the file that is to be replaced", path)
	}
	there, err := os.Stat(path)
	if err != nil { // nothing yet
		return nil
	}
	source, err := os.Stat(o.Source.Path)
	switch {
	case err != nil:
		return err
	case os.SameFile(there, source):
		return errors.New("it is what is to be published; write to another file, and publish that")
	case there.IsDir() && !o.Source.Folder:
		return fmt.Errorf("%s is a folder; name the file that is to be replaced", path)
	case !there.IsDir() && o.Source.Folder:
		return fmt.Errorf("%s is a file, and can't be replaced by a folder; move it away", path)
	}
	return nil
}

// ToPath publishes o at a path.
func (o Order) ToPath(ctx context.Context, path string) (fence.Verdict, error) {
	g, err := fileguard.New(path, o.Rule, &fileguard.Options{Mode: o.Source.mode})
	if err != nil {
		return fence.Verdict{}, err
	}
	if o.Establish {
		if v, err := g.Establish(ctx, o.Write.Fence); err != nil {
			return v, err
		}
	}
	if o.Source.Folder {
		return g.PublishFolder(ctx, o.Write, func(dir string) error {
			return o.filled(path, os.CopyFS(dir, os.DirFS(o.Source.Path)))
		})
	}
	return g.Publish(ctx, o.Write, func(w io.Writer) error {
		return o.filled(path, copyFrom(w, o.Source.Path))
	})
}

// filled is what the failure to make the new content means: unless the source could
// not be read, the place for it could not be written.
func (o Order) filled(path string, err error) error {
	if err == nil || IsSource(err) {
		return err
	}
	return &guard.Error{Kind: guard.ErrUnavailable, Resource: path, Fence: o.Write.Fence, Err: err, Hint: "nothing is published"}
}

// ToObject publishes o, which is a file, in the object that g guards.
func (o Order) ToObject(ctx context.Context, g *casguard.Guard) (fence.Verdict, error) {
	data, err := o.Source.read()
	if err != nil {
		return fence.Verdict{}, err
	}
	if o.Establish {
		if v, err := g.Establish(ctx, o.Write.Fence); err != nil {
			return v, err
		}
	}
	return g.Write(ctx, o.Write, data)
}

// read reads as much of the file as tells that it is too large.
func (s Source) read() ([]byte, error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, sourceError{err}
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(reader{f}, casguard.MaxBytes+1))
}
