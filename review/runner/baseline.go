package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Baseline is a list of findings that are known, so that only new ones are shown.
// A finding is known again by its rule, its file, and the text of its line, never by
// the number of the line.
type Baseline struct {
	Version int      `json:"version"`
	Known   []string `json:"known"`
}

// NewBaseline makes a baseline of findings.
func NewBaseline(findings []Finding) *Baseline {
	b := &Baseline{Version: 1, Known: Fingerprints(findings)}
	return b
}

// Write writes a baseline as JSON, one finding a line, so that changes of it can be
// read.
func (b *Baseline) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// ParseBaseline reads what was written as JSON.
func ParseBaseline(text []byte) (*Baseline, error) {
	b := &Baseline{}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	if b.Version != 1 {
		return nil, fmt.Errorf("baseline: version %d is not known; write it again with --write-baseline", b.Version)
	}
	return b, nil
}

// Fingerprints names each finding: its rule, its file, the text of its line, and
// which one of several alike it is.
func Fingerprints(findings []Finding) []string {
	seen := map[string]int{}
	out := make([]string, len(findings))
	for i, f := range findings {
		key := f.Rule.Name + "\x00" + f.Path + "\x00" + strings.Join(strings.Fields(f.Text), " ")
		seen[key]++
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(seen[key])))
		out[i] = hex.EncodeToString(sum[:12])
	}
	return out
}

func (b *Baseline) unknown(findings []Finding) (list []Finding) {
	known := map[string]bool{}
	for _, k := range b.Known {
		known[k] = true
	}
	for i, print := range Fingerprints(findings) {
		if !known[print] {
			list = append(list, findings[i])
		}
	}
	return list
}
