package runner

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// lines are the ranges of lines that changed in a file.
type lines [][2]int

func (l lines) has(n int) bool {
	for _, r := range l {
		if n >= r[0] && n < r[1] {
			return true
		}
	}
	return false
}

// all are the lines of a file that is new.
var all = lines{{0, 1 << 30}}

// changes asks git what has changed since the commit; nil if nobody asked.
func (r *run) changes() (map[string]lines, error) {
	if r.Diff == "" {
		return nil, nil
	}
	if strings.HasPrefix(r.Diff, "-") {
		return nil, fmt.Errorf("--diff %s: is no commit", r.Diff)
	}
	out, err := r.git("diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--relative", r.Diff, "--")
	if err != nil {
		return nil, err
	}
	changed := parseDiff(out)
	fresh, err := r.git("ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(fresh), "\x00") {
		if name != "" {
			changed[filepath.ToSlash(name)] = all
		}
	}
	return changed, nil
}

// git runs git so that the repository's own configuration starts no program.
func (r *run) git(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(r.ctx, "git", append([]string{"-c", "core.fsmonitor=", "-c", "core.hooksPath=", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = r.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

func parseDiff(out []byte) map[string]lines {
	changed := map[string]lines{}
	name := ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		if file, ok := strings.CutPrefix(line, "+++ "); ok {
			name = strings.TrimPrefix(strings.Trim(file, "\"\t"), "b/")
		}
		if rest, ok := strings.CutPrefix(line, "@@ "); ok {
			if from, n, ok := hunk(rest); ok {
				changed[name] = append(changed[name], [2]int{from, from + n})
			}
		}
	}
	return changed
}

// hunk reads -a,b +c,d and returns c and d.
func hunk(text string) (from, n int, ok bool) {
	_, after, ok := strings.Cut(text, "+")
	if !ok {
		return 0, 0, false
	}
	after, _, _ = strings.Cut(after, " ")
	first, count, many := strings.Cut(after, ",")
	from, err := strconv.Atoi(first)
	n = 1
	if many {
		n, _ = strconv.Atoi(count)
	}
	return from, n, err == nil
}
