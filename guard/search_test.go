package guard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// The search visits every state that a resource can reach when three terms of
// one lease, each with an establish step and three writes, meet deliveries that
// are delayed, reordered, duplicated and interleaved in every way. Every message
// may be delivered at any time, any number of times: a superset of what any
// network and any pause can do. A rival key stands for a second holder of the
// same term; a stranger and an inventor send fences that must never count.

const (
	terms  = 3
	writes = 3
	limit  = fence.Token(terms + 1)
)

// machine is the code under search: the real functions, or a mutant of one.
type machine struct {
	decide    func(guard.Rule, guard.Mark, guard.Write, fence.Token) (guard.Mark, fence.Verdict)
	establish func(guard.Mark, fence.Fence, fence.Token) (guard.Mark, fence.Verdict)
	landed    func(fence.Verdict, guard.Write, uint64, string) fence.Verdict
	// ages are the times of inputs that writes come with, for a resource that limits
	// their age; otherwise there is one, and it is none.
	ages []time.Time
}

func sound() machine {
	return machine{guard.Decide, guard.Establish, guard.Landed, []time.Time{{}}}
}

type message struct {
	establish bool
	guard.Write
}

func (m message) String() string {
	if m.establish {
		return fmt.Sprintf("establish %s:%d", m.Fence.Name, m.Fence.Token)
	}
	s := fmt.Sprintf("write %s:%d/%d/%s", m.Fence.Name, m.Fence.Token, m.Seq, m.Key)
	if !m.AsOf.IsZero() {
		s += " of inputs of " + m.AsOf.Format(time.StampMilli)
	}
	return s
}

// last is the durable row of one term: its last write and that write's key.
type last struct {
	seq uint64
	key string
}

// world is one state: what the resource keeps (mark, last), and what only the
// search knows: the highest token that was ever answered with admitted, and how
// often each write was applied. Under Once and Latest, the index of a write
// stands in for the seq that its message does not carry.
type world struct {
	mark    guard.Mark
	last    [terms + 2]last
	high    fence.Token
	applied [terms + 2][writes + 1]tally
}

// tally counts applications by key: the holder's own and the rival's.
type tally struct{ own, rival uint8 }

func (c tally) total() uint8 { return c.own + c.rival }

func (c *tally) of(key string) *uint8 {
	if key[0] == 'r' {
		return &c.rival
	}
	return &c.own
}

// op is the number of a write within its term, also where it carries no seq.
func op(w guard.Write) int { return int(w.Key[len(w.Key)-1] - '0') }

func messages(r guard.Rule, ages []time.Time) []message {
	var all []message
	add := func(name string, token fence.Token) {
		f := fence.Fence{Name: name, Token: token}
		all = append(all, message{establish: true, Write: guard.Write{Fence: f}})
		for _, who := range []string{"own", "rival"} {
			for n := 1; n <= writes; n++ {
				w := guard.Write{Fence: f, Key: fmt.Sprintf("%s%d", who, n)}
				if r == guard.Sequenced {
					w.Seq = uint64(n)
				}
				for _, w.AsOf = range ages {
					all = append(all, message{Write: w})
				}
			}
		}
	}
	for token := fence.Token(1); token <= terms; token++ {
		add("job", token)
	}
	add("stranger", terms) // a fence of another lease, as high as any
	add("job", terms+2)    // a number that nobody can have issued
	return all
}

// search explores breadth first from a resource without a mark, and returns the
// number of states and the first broken invariant with the shortest path to it.
func search(r guard.Rule, m machine) (states int, broken error) {
	type step struct {
		from world
		by   message
	}
	start := world{mark: guard.Mark{Lease: "job"}}
	came := map[world]step{start: {}}
	queue := []world{start}
	all := messages(r, m.ages)
	for ; len(queue) > 0; queue = queue[1:] {
		for _, msg := range all {
			from := queue[0]
			to, err := deliver(r, m, from, msg)
			if err != nil {
				path := msg.String()
				for w := from; w != start; w = came[w].from {
					path = came[w].by.String() + "; " + path
				}
				return len(came), fmt.Errorf("%w, after: %s", err, path)
			}
			if _, seen := came[to]; !seen {
				came[to] = step{from, msg}
				queue = append(queue, to)
			}
		}
	}
	return len(came), nil
}

// deliver is one atomic step of the resource, and checks every invariant on it.
func deliver(r guard.Rule, m machine, w world, msg message) (world, error) {
	before := w
	var v fence.Verdict
	if msg.establish {
		w.mark, v = m.establish(w.mark, msg.Fence, limit)
	} else {
		w.mark, v = m.decide(r, w.mark, msg.Write, limit)
		row := &w.last[min(msg.Fence.Token, terms+1)]
		if v.Outcome == fence.Admitted {
			*row = last{w.mark.Seq, w.mark.Key}
			if r != guard.Latest { // it promises nothing about counts, which would grow without end
				*w.applied[min(msg.Fence.Token, terms+1)][op(msg.Write)].of(msg.Key)++
			}
		}
		if r == guard.Sequenced {
			v = m.landed(v, msg.Write, row.seq, row.key)
		}
	}
	if v.Outcome == fence.Admitted {
		w.high = max(w.high, msg.Fence.Token)
	}
	return w, check(r, before, w, msg, v)
}

func TestSearchHolds(t *testing.T) {
	t.Parallel()
	for _, r := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		states, err := search(r, sound())
		if err != nil {
			t.Errorf("%s: %v", r, err)
		}
		t.Logf("%s: %d states", r, states)
		if states < 4 {
			t.Errorf("%s: only %d states: the search explores nothing", r, states)
		}
	}
}
