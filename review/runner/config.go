package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ConfigName is the file that a project keeps its settings in.
const ConfigName = ".ringfence-review.json"

// A Config is what a project's file says. Options on the command line add to it.
type Config struct {
	Disable  []string `json:"disable"`  // rules that are not run, by name or number
	Exclude  []string `json:"exclude"`  // paths that are left out, as in .gitignore
	Strict   bool     `json:"strict"`   // also show what is only possible
	Baseline string   `json:"baseline"` // a file of known findings, relative to this one
}

// FindConfig reads the nearest file of that name from a folder upwards, up to the
// root of the repository. Without one it returns an empty Config and "".
func FindConfig(dir string) (*Config, string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", err
	}
	for d := abs; ; d = filepath.Dir(d) {
		name := filepath.Join(d, ConfigName)
		c, err := ReadConfig(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return c, name, err
		}
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil || d == filepath.Dir(d) {
			return &Config{}, "", nil
		}
	}
}

// ReadConfig reads a file of settings. A setting that is not known is an error.
func ReadConfig(name string) (*Config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c := &Config{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if c.Baseline != "" && !filepath.IsAbs(c.Baseline) {
		c.Baseline = filepath.Join(filepath.Dir(name), c.Baseline)
	}
	return c, nil
}
