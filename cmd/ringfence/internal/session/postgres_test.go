package session

import "testing"

func TestPGOptions(t *testing.T) {
	t.Parallel()
	fence := map[string]string{"ringfence.fence": "rf1:7:a%20b"}
	for base, want := range map[string]string{
		"":                      "-c ringfence.fence=rf1:7:a%20b",
		"  -c work_mem=4MB\t":   "-c work_mem=4MB -c ringfence.fence=rf1:7:a%20b",
		`-c a.b=x\ y\\z\`:       `-c a.b=x\ y\\z -c ringfence.fence=rf1:7:a%20b`, // the last backslash would have taken our space
		`-c a.b=\	`:             "-c a.b=\\\t -c ringfence.fence=rf1:7:a%20b",
		"-c":                    "-c -c ringfence.fence=rf1:7:a%20b",
		"-c ringfence.seq=1":    "-c ringfence.seq=1 -c ringfence.fence=rf1:7:a%20b",
		"-c Ringfence.Fence=x ": "-c ringfence.fence=rf1:7:a%20b",
		"-B 16 --ringfence.fence=x -cringfence.fence=y -c ringfence.fence=z --geqo=off": "-B 16 --geqo=off -c ringfence.fence=rf1:7:a%20b",
	} {
		if got := PGOptions(base, fence); got != want {
			t.Errorf("%q gives %q, want %q", base, got, want)
		}
	}
}

// Without a lease the fence of an outer run goes no further.
func TestPGOptionsWithoutAFence(t *testing.T) {
	t.Parallel()
	got := PGOptions("-c ringfence.fence=rf1:7:outer -c work_mem=4MB", map[string]string{"ringfence.fence": ""})
	if want := "-c work_mem=4MB"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPGOptionsOfOddValues(t *testing.T) {
	t.Parallel()
	const odd = " a\\b\t\u00e1'$"
	words := splitOptions(PGOptions("", map[string]string{"ringfence.fence": odd}))
	if len(words) != 2 || words[1] != "ringfence.fence="+odd {
		t.Errorf("the server reads %q", words)
	}
}
