package tableguard

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
)

func TestPatternsOfLeases(t *testing.T) {
	t.Parallel()
	for lease, want := range map[string]struct {
		parts pattern
		like  string
	}{
		"nightly":             {pattern{"nightly"}, "nightly"},
		"report/{id}":         {pattern{"report/", "id", ""}, "report/%"},
		"{shop}":              {pattern{"", "shop", ""}, "%"},
		"a/{b}/{C d}_%\\":     {pattern{"a/", "b", "/", "C d", "_%\\"}, `a/%/%\_\%\\`},
		"{{x}}":               {pattern{"{x}"}, "{x}"},
		"\u00e1 {{{id}}}/x'y": {pattern{"\u00e1 {", "id", "}/x'y"}, "\u00e1 {%}/x'y"},
	} {
		p, err := Table{Name: "t", Lease: lease}.lease()
		if err != nil || !slices.Equal(p, want.parts) || p.like() != want.like {
			t.Errorf("%s: %q, %q, %v; want %q, %q", lease, p, p.like(), err, want.parts, want.like)
		}
		raw := strings.Join(append([]string{"once"}, p...), "\x00") + "\x00"
		if rule, back, err := arguments(hex.EncodeToString([]byte(raw)), false); err != nil || rule != Once || back != lease {
			t.Errorf("%s: read back as %s %s, %v", lease, rule, back, err)
		}
	}
}

func TestBadTables(t *testing.T) {
	t.Parallel()
	for _, bad := range []Table{
		{}, {Name: "t"}, {Lease: "l"}, {Name: "a.b.c", Lease: "l"}, {Name: ".t", Lease: "l"}, {Name: "t\x00", Lease: "l"},
		{Name: "t", Lease: "{"}, {Name: "t", Lease: "}"}, {Name: "t", Lease: "{}"}, {Name: "t", Lease: "{a{b}"}, {Name: "t", Lease: "a\n{b}"},
		{Name: "t", Lease: " l"}, {Name: "t", Lease: "l", Rule: "never"},
	} {
		if err := bad.Check(); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// Quotes and backslashes of a name must not end the literal that it stands in,
// whatever the server's settings are.
func TestLiterals(t *testing.T) {
	t.Parallel()
	if got, want := literals([]string{`it's`, `a\`, `{"x"}`}), `E'it\'s', E'a\\', E'{"x"}'`; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
