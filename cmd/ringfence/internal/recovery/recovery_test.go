package recovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// log notes what was done, in order.
type log []string

func (l *log) add(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

type fakeStore struct{ *log }

func (s fakeStore) Raise(_ context.Context, above fence.Token) (fence.Token, error) {
	s.add("open above %s", above)
	return above, nil
}

// fake is a destination with one mark.
type fake struct {
	*log
	name   string
	mark   fence.Token
	closed bool
	// rises is what a holder brings while the floor is established, once.
	rises fence.Token
	stuck bool
	fails error // to be read
	lost  error // to be raised
}

func (d *fake) Marks(context.Context, string) (guard.Marks, error) {
	if d.fails != nil || d.mark == 0 {
		return guard.Marks{}, d.fails
	}
	return guard.Marks{Count: 1, Highest: d.mark}, nil
}

func (d *fake) Raise(_ context.Context, _ string, to fence.Token) (int, error) {
	if d.lost != nil {
		return 0, d.lost
	}
	d.add("raise %s", d.name)
	if d.mark != 0 && d.mark < to && !d.stuck {
		d.mark = to
	}
	d.mark, d.rises = max(d.mark, d.rises), 0
	return 1, nil
}

func (d *fake) Close() error { d.closed = true; return nil }

func place(d *fake, risk bool) Place {
	return Place{Label: d.name, Risk: risk, Open: func(context.Context) (Destination, error) { return d, nil }}
}

func TestRun(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	for name, c := range map[string]struct {
		one, two fake
		risk     bool
		above    fence.Token
		dry      bool
		want     log
		failure  string
	}{
		"the marks before the store":       {one: fake{mark: 5}, two: fake{mark: 9}, want: log{"raise one", "raise two", fmt.Sprint("open above ", 9+Room)}},
		"above wins":                       {one: fake{mark: 5}, above: 2 * Room, want: log{"raise one", "raise two", fmt.Sprint("open above ", 2*Room)}},
		"no mark at all":                   {want: log{"open above 0"}},
		"no mark, and a number":            {above: 7, want: log{"raise one", "raise two", "open above 7"}},
		"a dry run":                        {one: fake{mark: 5}, dry: true},
		"one can't be read":                {one: fake{mark: 5}, two: fake{fails: down}, failure: "two: down"},
		"the risk is accepted":             {one: fake{mark: 5}, two: fake{fails: down}, risk: true, want: log{"raise one", fmt.Sprint("open above ", 5+Room)}},
		"one is lost between":              {one: fake{mark: 5}, two: fake{mark: 9, lost: down}, risk: true, want: log{"raise one"}, failure: "two: down"},
		"a mark rises above the floor":     {one: fake{mark: 5, rises: 2 * Room}, want: log{"raise one", "raise two", "raise one", "raise two", fmt.Sprint("open above ", 3*Room)}},
		"a guard that refuses the floor":   {one: fake{mark: 5, stuck: true}, want: log{"raise one"}, failure: "a day behind the floor"},
		"a mark that leaves no room":       {one: fake{mark: fence.MaxToken}, failure: "too high"},
		"a number that leaves no room":     {above: fence.MaxToken, failure: "too high"},
		"a floor no mark may be raised to": {one: fake{mark: fence.MaxToken - Room}, two: fake{mark: 1}, failure: "too high"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var done log
			c.one.log, c.one.name, c.two.log, c.two.name = &done, "one", &done, "two"
			report, floor, err := Run(t.Context(), fakeStore{&done}, Plan{
				Places: []Place{place(&c.one, false), place(&c.two, c.risk)}, Above: c.above, DryRun: c.dry, Limit: time.Minute,
				Check: func(floor fence.Token) error {
					if floor >= fence.MaxToken {
						return errors.New("too high")
					}
					return nil
				},
			})
			if !slices.Equal(done, c.want) {
				t.Errorf("it did %q; want %q", done, c.want)
			}
			failed := err != nil && errors.Is(err, ErrClosed) && strings.Contains(err.Error(), c.failure)
			if c.failure == "" && err != nil || c.failure != "" && !failed {
				t.Errorf("error %v; want %q", err, c.failure)
			}
			if err == nil && !c.dry && floor != report.Floor {
				t.Errorf("floor %s, report %+v", floor, report)
			}
			if !c.one.closed || !c.two.closed {
				t.Error("a destination is left open")
			}
		})
	}
}
