package tableguard

import "testing"

func TestNamesOfAPattern(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lease, name string
		want        bool
	}{
		{"nightly", "nightly", true},
		{"nightly", "nightly2", false},
		{"n.*", "nightly", false},
		{"report/{id}", "report/7", true},
		{"report/{id}", "report/a\u2028b/c", true},
		{"report/{id}", "a report/7", false},
		{"{shop}/{day}.csv", "7/8.csv", true},
		{"{shop}/{day}.csv", "7/8_csv", false},
		{"{{x}}", "{x}", true},
	} {
		p, err := Table{Name: "t", Lease: c.lease}.lease()
		if err != nil || p.matches(c.name) != c.want {
			t.Errorf("%s takes %s: %t, %v", c.lease, c.name, !c.want, err)
		}
	}
}
