package memstore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
)

// This file searches the states of a recovery by hand: a store without a clock
// refuses after a loss, until somebody has read the marks of the destinations and
// raised its floor. docs/recovery.md tells the steps that are found safe here, and
// why each of the others is not enough.

// recovering is one state: a store of one name, two destinations, and the tokens
// that holders still have in their hands.
type recovering struct {
	last, floor fence.Token
	copies      [][2]fence.Token // every last and floor that there was
	refusing    bool             // a loss was noticed
	marks       [2]fence.Token
	held        []fence.Token // granted, and on their way to a destination
	chosen      fence.Token   // the floor that a recovery under way has chosen
	granted     []fence.Token
	path        []string
}

// policy is how the floor is chosen, and what is done with it in which order.
type policy struct {
	marks     bool        // above the marks of the destinations; else above the copy's own floor
	unread    bool        // the second destination could not be reached
	room      fence.Token // how far above them
	establish bool        // at the destinations
	last      bool        // the store is opened last; else first
	many      bool        // more grants than there is room for may be made, the last of which arrives
	burst     bool        // and may not arrive
}

const (
	mostRoom    = 16 // more than the grants of one search, but for a burst
	mostActions = 8  // as many as the longest way below has
)

func (p policy) next(s recovering) (all []recovering) {
	add := func(n recovering, step string) {
		n.path = append(slices.Clone(s.path), step)
		if pair := [2]fence.Token{n.last, n.floor}; !slices.Contains(n.copies, pair) {
			n.copies = append(slices.Clone(n.copies), pair)
		}
		all = append(all, n)
	}
	if !s.refusing && len(s.granted) < mostGrants {
		add(s.grant(1), "grant")
		if p.burst {
			add(s.grant(2*mostRoom), "burst")
		}
		if p.many {
			n := s.grant(2 * mostRoom)
			add(n.arrive(1, n.last), "burst at 1")
		}
	}
	for _, token := range s.held {
		for d := range s.marks {
			add(s.arrive(d, token), fmt.Sprint("arrive at ", d))
		}
	}
	for i, old := range s.copies {
		n := s
		n.last, n.floor, n.refusing, n.chosen = old[0], old[1], true, 0
		add(n, fmt.Sprint("restore ", i))
	}
	switch { // a recovery may end after its first half, and begin anew
	case s.chosen != 0 && p.last:
		add(p.open(s), "open")
	case s.chosen != 0:
		add(p.reach(s), "establish")
	}
	if s.refusing {
		n := s
		n.chosen = p.floor(s)
		if p.last {
			add(p.reach(n), "choose and establish")
		} else {
			add(p.open(n), "choose and open")
		}
	}
	return all
}

func (s recovering) grant(n fence.Token) recovering {
	s.last = max(s.last, s.floor) + n
	s.granted = append(slices.Clone(s.granted), s.last)
	s.held = append(slices.Clone(s.held), s.last)
	return s
}

func (s recovering) arrive(d int, token fence.Token) recovering {
	s.marks[d] = max(s.marks[d], token)
	s.held = slices.DeleteFunc(slices.Clone(s.held), func(t fence.Token) bool { return t == token })
	return s
}

func (p policy) floor(s recovering) fence.Token {
	switch {
	case p.marks && p.unread:
		return s.marks[0] + p.room
	case p.marks:
		return max(s.marks[0], s.marks[1]) + p.room
	}
	return s.floor + p.room
}

// reach establishes the chosen floor where the destinations can be reached.
func (p policy) reach(s recovering) recovering {
	for d := range s.marks {
		if p.establish && !(p.unread && d == 1) {
			s.marks[d] = max(s.marks[d], s.chosen)
		}
	}
	if !p.last {
		s.chosen = 0
	}
	return s
}

func (p policy) open(s recovering) recovering {
	s.floor, s.refusing = max(s.floor, s.chosen), false
	if p.last {
		s.chosen = 0
	}
	return s
}

// search returns the shortest way to a number that does not rise, or nil.
func (p policy) search() (states int, bad *recovering) {
	key := func(s recovering) string { s.path = nil; return fmt.Sprint(s) }
	start := recovering{copies: [][2]fence.Token{{}}}
	seen := map[string]bool{key(start): true}
	for level := []recovering{start}; len(level) > 0; {
		var below []recovering
		for _, s := range level {
			for _, n := range p.next(s) {
				k := key(n)
				if len(n.path) > mostActions || seen[k] {
					continue
				}
				if !rising(n.granted) {
					return len(seen), &n
				}
				seen[k] = true
				below = append(below, n)
			}
		}
		level = below
	}
	return len(seen), nil
}

func TestRecoveryIsSafe(t *testing.T) {
	t.Parallel()
	states, bad := policy{marks: true, room: mostRoom, establish: true, last: true, many: true}.search()
	t.Logf("%d states", states)
	if bad != nil {
		t.Errorf("after %v the tokens are %v", bad.path, bad.granted)
	}
	if states < 5_000 {
		t.Errorf("the search saw %d states; it should see thousands", states)
	}
}

// TestRecoveryNeedsEachStep: each step that is left out is missed.
func TestRecoveryNeedsEachStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy
		path string
	}{
		"the copy as it is":      {policy{}, "grant, restore 0, choose and open, grant"},
		"above the copy's floor": {policy{room: mostRoom}, "restore 0, choose and open, grant, restore 0, choose and open, grant"},
		"no room above the marks": {policy{marks: true, establish: true, last: true},
			"grant, grant, arrive at 0, restore 0, choose and establish, open, grant"},
		"nothing established": {policy{marks: true, room: mostRoom, last: true},
			"restore 0, choose and establish, open, grant, restore 0, choose and establish, open, grant"},
		"opened first": {policy{marks: true, room: mostRoom, establish: true},
			"restore 0, choose and open, grant, restore 0, choose and open, grant"},
		"a destination left out": {policy{marks: true, room: mostRoom, establish: true, last: true, unread: true, many: true},
			"burst at 1, restore 0, choose and establish, open, grant"},
		"more on the way than room": {policy{marks: true, room: mostRoom, establish: true, last: true, burst: true},
			"burst, restore 0, choose and establish, open, grant"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, bad := c.search()
			if bad == nil {
				t.Fatal("no number came again")
			}
			if got := strings.Join(bad.path, ", "); got != c.path {
				t.Errorf("the shortest way is %q; want %q (tokens %v)", got, c.path, bad.granted)
			}
		})
	}
}
