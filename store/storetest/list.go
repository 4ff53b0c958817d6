package storetest

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/driver"
)

func (e *env) list(prefix, after string, limit int) []string {
	e.Helper()
	page, err := ability[driver.Lister](e, "a list").List(e.ctx, prefix, after, limit)
	if err != nil {
		e.Fatalf("list %d names with prefix %q after %q: %v", limit, prefix, after, err)
	}
	var names []string
	for _, rec := range page {
		names = append(names, rec.Name)
	}
	return names
}

// leave leaves records of names behind, which nobody holds.
func (e *env) leave(prefix string, suffixes ...string) []string {
	e.Helper()
	ability[driver.Lister](e, "a list")
	var names []string
	for _, suffix := range suffixes {
		t := e.take(prefix + suffix)
		e.release(t)
		names = append(names, t.Name)
	}
	return names
}

func listInByteOrder(e *env) {
	prefix := e.name("")
	want := e.leave(prefix, "b", "B", "a", "Z", "z", "10", "9", "é", "e", "f", "~", "🔒", "\uffee")
	slices.Sort(want)
	e.leave(e.scope, "outside")
	if got := e.list(prefix, "", 100); !slices.Equal(got, want) {
		e.Errorf("list gave %q; want %q, in byte order", got, want)
	}
	page, err := e.store.(driver.Lister).List(e.ctx, prefix, "", 1)
	if rec := e.inspect(want[0]); err != nil || len(page) != 1 || page[0].State != rec.State || page[0].Token != rec.Token || page[0].Holder != rec.Holder {
		e.Errorf("list shows %+v, %v; want what inspect shows: %+v", page, err, rec)
	}
}

func listInPages(e *env) {
	prefix := e.name("")
	want := e.leave(prefix, "0", "1", "2", "3", "4", "5", "6")
	for _, limit := range []int{1, 2, 3, 7, 8} {
		var got []string
		after := ""
		for range len(want) + 1 {
			page := e.list(prefix, after, limit)
			got = append(got, page...)
			if len(page) > limit {
				e.Errorf("a page of at most %d has %d names", limit, len(page))
			}
			if len(page) < limit {
				break
			}
			after = page[len(page)-1]
		}
		if !slices.Equal(got, want) {
			e.Errorf("pages of %d gave %q; want %q", limit, got, want)
		}
	}
	if got := e.list(prefix, prefix+"2x", 2); !slices.Equal(got, want[3:5]) {
		e.Errorf("after a name that does not exist: %q; want %q", got, want[3:5])
	}
}

func listPrefixIsLiteral(e *env) {
	scope := e.name("")
	all := e.leave(scope, "a%b", "a_b", "axb", "axxb", `a\b`, "A_b", "a*b", "a[x]b", "a?b")
	for _, prefix := range []string{"a%", "a_", "ax", `a\`, "A", "a*", "a[x]", "a[", "a?", "", "%", "_", "ab", "a%b"} {
		var want []string
		for _, name := range all {
			if strings.HasPrefix(name, scope+prefix) {
				want = append(want, name)
			}
		}
		got := e.list(scope+prefix, "", 100)
		if !equalSets(got, want) {
			e.Errorf("names with prefix %q: %q; want %q", scope+prefix, got, want)
		}
	}
}

func listNamesExactly(e *env) {
	prefix := e.scope + "/"
	want := e.leave("", e.names(prefix)...)
	if got := e.list(prefix, "", len(want)+1); !equalSets(got, want) {
		e.Errorf("list gave\n%+q\nwant\n%+q", got, want)
	}
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
