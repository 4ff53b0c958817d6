package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// step is one operation on the register, as its model takes it.
//
// A client's write is a change from the value that it had read to a new one that
// nobody else writes. So a change based on a value that was not the last one any
// more, which is what a stale holder makes, fits into no order.
type step struct {
	Write bool
	From  string // of a write
	To    string // of a write: the new value; of a read: what it returned
	// Unknown: the write may have happened, now or later or never.
	Unknown bool
}

var register = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, _ any) (bool, any) {
		s := input.(step)
		switch {
		case !s.Write:
			return state == s.To, state
		case state == s.From:
			return true, s.To
		}
		return s.Unknown, state // one that never happened changes nothing
	},
	DescribeOperation: func(input, _ any) string {
		s := input.(step)
		if !s.Write {
			return fmt.Sprintf("read %q", s.To)
		}
		return fmt.Sprintf("%q to %q, unknown %t", s.From, s.To, s.Unknown)
	},
}

// record is what all clients saw. Its methods may be called by many goroutines.
type record struct {
	begun time.Time

	mu     sync.Mutex
	ops    []porcupine.Operation
	grants []grant
}

// grant is a token and the time in which it was asked for and given.
type grant struct {
	token     int64
	call, end time.Duration
}

func newRecord() *record { return &record{begun: time.Now()} }

func (r *record) now() time.Duration { return time.Since(r.begun) }

// add records an operation of a client that began at call and ends now. One whose
// outcome is unknown never ends.
func (r *record) add(client int, call time.Duration, s step) {
	end := int64(r.now())
	if s.Unknown {
		end = math.MaxInt64
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, porcupine.Operation{ClientId: client, Input: s, Call: int64(call), Return: end})
}

func (r *record) granted(token int64, call time.Duration) {
	end := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grants = append(r.grants, grant{token, call, end})
}

// enough reports whether the run has brought something about.
func (r *record) enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.grants) >= 10 && len(r.ops) >= 20
}

// linearizable checks the register's operations.
func (r *record) linearizable() error {
	switch porcupine.CheckOperationsTimeout(register, r.ops, time.Minute) {
	case porcupine.Ok:
		return nil
	case porcupine.Illegal:
		return errLost
	}
	return fmt.Errorf("the check of %d operations took more than a minute", len(r.ops))
}

// tokensRise checks that a grant which was asked for after another had been given
// has a higher token, and that no two have the same.
func (r *record) tokensRise() error {
	byCall := slices.SortedFunc(slices.Values(r.grants), func(a, b grant) int { return cmp.Compare(a.call, b.call) })
	byEnd := slices.SortedFunc(slices.Values(r.grants), func(a, b grant) int { return cmp.Compare(a.end, b.end) })
	given, seen := int64(0), map[int64]bool{}
	for _, g := range byCall {
		for len(byEnd) > 0 && byEnd[0].end < g.call {
			given, byEnd = max(given, byEnd[0].token), byEnd[1:]
		}
		if g.token <= given || seen[g.token] {
			return fmt.Errorf("token %d was granted at %s to %s, after %d", g.token, g.call, g.end, given)
		}
		seen[g.token] = true
	}
	return nil
}

// TestChecksBite: each check finds what it is there for.
func TestChecksBite(t *testing.T) {
	t.Parallel()
	change := func(from, to string) step { return step{Write: true, From: from, To: to} }
	unknown := func(from, to string) step { return step{Write: true, From: from, To: to, Unknown: true} }
	read := func(value string) step { return step{To: value} }
	for name, c := range map[string]struct {
		steps []step // one after the other
		ok    bool
	}{
		"in order":                          {[]step{change("", "a"), change("a", "b"), read("b")}, true},
		"lost update":                       {[]step{change("", "a"), change("", "b")}, false},
		"stale read":                        {[]step{change("", "a"), read("")}, false},
		"unknown, happened":                 {[]step{unknown("", "a"), read("a")}, true},
		"unknown, never happened":           {[]step{unknown("", "a"), read(""), change("", "b"), read("b")}, true},
		"unknown, later":                    {[]step{unknown("", "a"), read(""), read("a")}, true},
		"unknown, over another's":           {[]step{unknown("", "a"), change("", "b"), read("a")}, false},
		"unknown, and undone as if by none": {[]step{unknown("", "a"), read("a"), read("")}, false},
	} {
		r := newRecord()
		for i, s := range c.steps {
			end := int64(2*i + 1)
			if s.Unknown {
				end = math.MaxInt64
			}
			r.ops = append(r.ops, porcupine.Operation{ClientId: i, Input: s, Call: int64(2 * i), Return: end})
		}
		if err := r.linearizable(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		grants []grant
		ok     bool
	}{
		"rising":              {[]grant{{1, 0, 1}, {2, 2, 3}}, true},
		"together, any order": {[]grant{{2, 0, 5}, {1, 1, 4}}, true},
		"falling":             {[]grant{{2, 0, 1}, {1, 2, 3}}, false},
		"twice":               {[]grant{{1, 0, 5}, {1, 1, 4}}, false},
	} {
		if err := (&record{grants: c.grants}).tokensRise(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
