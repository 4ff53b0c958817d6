package govet

import (
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// A build is what one call of the go command can tell of: a workspace, or a module
// that belongs to none.
type build struct {
	dir  string // the folder of its go.work, or of its go.mod
	work string // its go.work, or "off"
}

func buildOf(root string) build {
	if work := workspaceOf(root); work != "" {
		return build{filepath.Dir(work), work}
	}
	return build{root, "off"}
}

// workspaceOf is the go.work that a module belongs to, "" if it belongs to none.
func workspaceOf(root string) string {
	work := os.Getenv("GOWORK")
	switch {
	case work == "off":
		return ""
	case work == "":
		dir := above(root, "go.work")
		if dir == "" {
			return ""
		}
		work = filepath.Join(dir, "go.work")
	}
	text, err := os.ReadFile(work)
	if err != nil {
		return ""
	}
	file, err := modfile.ParseWork(work, text, nil)
	if err != nil {
		return ""
	}
	for _, u := range file.Use {
		dir := filepath.FromSlash(u.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(work), dir)
		}
		if filepath.Clean(dir) == root {
			return work
		}
	}
	return ""
}

// env keeps the go command from the network, from other versions of itself, and from
// what the environment would have it change.
func (b build) env() []string {
	return append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local", "GOVCS=*:off", "GOFLAGS=-buildvcs=false", "GOWORK="+b.work)
}
