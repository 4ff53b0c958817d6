package runner

import (
	"bytes"
	"fmt"
	"os"
	"slices"
)

// Fix makes the edits that findings carry, and returns the files that it changed.
// Files that have changed since they were read are left alone.
func Fix(findings []Finding) (changed []string, err error) {
	byFile := map[string][]Finding{}
	for _, f := range findings {
		if f.Edit != nil {
			byFile[f.File.Path] = append(byFile[f.File.Path], f)
		}
	}
	for name, list := range byFile {
		if err := fixFile(name, list); err != nil {
			return changed, err
		}
		changed = append(changed, list[0].Path)
	}
	slices.Sort(changed)
	return changed, nil
}

func fixFile(name string, list []Finding) error {
	src := list[0].File.Source
	now, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, src) {
		return fmt.Errorf("%s has changed since it was read: run the review again", list[0].Path)
	}
	slices.SortFunc(list, func(a, b Finding) int { return int(b.Edit.From - a.Edit.From) })
	end := len(src)
	out := slices.Clone(src)
	for _, f := range list {
		if int(f.Edit.To) <= end {
			out = slices.Replace(out, int(f.Edit.From), int(f.Edit.To), []byte(f.Edit.Text)...)
			end = int(f.Edit.From)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, out, info.Mode().Perm())
}
