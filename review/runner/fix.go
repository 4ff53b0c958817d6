package runner

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/ringfence-go/ringfence/review/lang"
)

// Fix makes the edits that findings carry, and returns the files that it changed. A
// file is left alone, which the error says, if it has changed since it was read, or
// if it could not be read any more with the edits in it.
func Fix(findings []Finding) (changed []string, err error) {
	byFile := map[string][]Finding{}
	for _, f := range findings {
		if f.Edit != nil {
			byFile[f.File.Path] = append(byFile[f.File.Path], f)
		}
	}
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		if err := fixFile(name, byFile[name]); err != nil {
			failed = append(failed, err)
			continue
		}
		changed = append(changed, byFile[name][0].Path)
	}
	slices.Sort(changed)
	return changed, errors.Join(failed...)
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
	language := list[0].File.Language
	if after := lang.Parse(language, name, out).Faults; len(after) > len(lang.Parse(language, name, src).Faults) {
		return fmt.Errorf("%s is left as it is: it could not be read with the changes in it: %s", list[0].Path, after[0].Text)
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, out, info.Mode().Perm())
}
