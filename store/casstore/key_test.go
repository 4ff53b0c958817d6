package casstore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
)

func TestKeysSortAsNamesDo(t *testing.T) {
	t.Parallel()
	k := keys{strings.Repeat("p", 200)}
	r := rand.New(rand.NewPCG(1, 2))
	var names []string
	for range 3000 {
		b := make([]byte, 1+r.IntN(fence.MaxNameBytes))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		n := r.IntN(len(b) + 1)
		names = append(names, string(b), string(b[:n])+"a", strings.Repeat("z", len(b)))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, name := range names {
		key := k.lease(name)
		if len(key) > 1024 {
			t.Fatalf("the key of %d bytes has %d", len(name), len(key))
		}
		if i > 0 && k.lease(names[i-1]) >= key {
			t.Fatalf("%q comes before %q, and its key does not", names[i-1], name)
		}
		if cut := name[:r.IntN(len(name)+1)]; !strings.HasPrefix(key, k.leases(cut)) {
			t.Fatalf("the key of %q does not begin as keys with the prefix %q do", name, cut)
		}
		for _, part := range strings.Split(strings.TrimPrefix(key, k.prefix), "/") {
			if len(part) > 255 {
				t.Fatalf("a part of %d bytes", len(part))
			}
		}
	}
}

// TestKeysAreFiles: a service that keeps objects as files can't have one that is
// both a file and a folder.
func TestKeysAreFiles(t *testing.T) {
	t.Parallel()
	k := keys{"ringfence/"}
	all := map[string]bool{}
	for n := 1; n <= fence.MaxNameBytes; n++ {
		all[k.lease(strings.Repeat("n", n))] = true
	}
	for key := range all {
		for i, c := range key {
			if c == '/' && all[key[:i]] {
				t.Errorf("%s is a file and a folder", key[:i])
			}
		}
	}
}
