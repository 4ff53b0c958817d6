//go:build linux || darwin

package child

import (
	"slices"
	"testing"
)

func TestEnv(t *testing.T) {
	t.Parallel()
	base := []string{"HOME=/root", "RINGFENCE_STORE=postgres://u:secret@h/d", "RINGFENCE_TOKEN=1", "RINGFENCE=kept",
		"PGOPTIONS=-c a=b", "SECRET=x", "EMPTY="}
	before := slices.Clone(base)
	got := Env(base, map[string]string{"RINGFENCE_TOKEN": "2", "PGOPTIONS": "-c a=c=d"}, "SECRET")
	want := []string{"HOME=/root", "RINGFENCE=kept", "EMPTY=", "PGOPTIONS=-c a=c=d", "RINGFENCE_TOKEN=2"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if !slices.Equal(base, before) {
		t.Error("the base was changed")
	}
}
