package fileguard_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/fileguard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
)

// published is a file that holds one text.
type published struct {
	*fileguard.Guard
	path string
}

var errUnwritable = errors.New("unwritable")

func (p published) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return p.Publish(ctx, w, func(file io.Writer) error {
		if value == "unwritable" {
			return errUnwritable
		}
		_, err := io.WriteString(file, value)
		return err
	})
}

func (p published) Read(context.Context) (string, error) { return read(p.path) }

// folder is a folder whose one file holds one text.
type folder struct{ published }

func (f folder) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return f.PublishFolder(ctx, w, func(dir string) error {
		if value == "unwritable" {
			return errUnwritable
		}
		return os.WriteFile(filepath.Join(dir, "text"), []byte(value), 0o644)
	})
}

func (f folder) Read(context.Context) (string, error) { return read(filepath.Join(f.path, "text")) }

func read(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return string(text), err
}

func TestGuard(t *testing.T) {
	for _, kind := range []string{"file", "folder"} {
		for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
			t.Run(kind+"/"+rule.String(), func(t *testing.T) {
				guardtest.Run(t, guardtest.Target{
					Rule: rule, Establishes: true, Keys: true, Unwritable: "unwritable",
					Open: func(_ context.Context, lease string) (guardtest.Resource, error) {
						path := filepath.Join(t.TempDir(), "today's report.csv")
						g, err := fileguard.New(path, rule, &fileguard.Options{Lease: lease})
						p := published{g, path}
						if kind == "folder" {
							return folder{p}, err
						}
						return p, err
					},
				})
			})
		}
	}
}
