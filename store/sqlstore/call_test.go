package sqlstore

import "testing"

// TestSettle: a statement tells of a name that it took twice, first as it saw it.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		rows []verdict
		want verdict
	}{
		{[]verdict{locked, done}, done},
		{[]verdict{again, expired}, expired},
		{[]verdict{again, expired, done}, done},
		{[]verdict{done, again}, done},
		{[]verdict{held, locked}, held},
		{[]verdict{locked}, locked},
	} {
		var got call
		for _, v := range c.rows {
			got.settle(answer{verdict: v})
		}
		if got.answer.verdict != c.want {
			t.Errorf("%v: %s; want %s", c.rows, got.answer.verdict, c.want)
		}
	}
}
