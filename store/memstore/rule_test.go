package memstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
)

// This file searches every state that a small store of one name reaches in a
// bounded number of steps, to see what the rule of tokens (fence.Next) promises
// when records are lost, and what it does not: by restores of any older copy, any
// number of them, also several in one tick, and by promotions of a standby whose
// clock lags. Leases play no part: however a term ends, a grant may follow it.

// durable is what a loss can take away and an older copy can bring back.
type durable struct {
	kept  bool        // the name has a record
	last  fence.Token // its token
	floor fence.Token
}

// model is one state of the search.
type model struct {
	durable
	tick    fence.Tick
	latest  fence.Tick // the highest that tick has been
	noticed fence.Tick // the tick in which a loss was noticed, until the store grants again; else -1
	copies  []durable  // every version that there was
	fresh   int        // how many promotions there were
	granted []fence.Token
	path    []string
}

// rules says what may happen to the model, and how the store defends itself.
type rules struct {
	loss    bool // an older copy may come back
	notice  bool // the store notices that, and grants nothing until a later tick
	setBack bool // the clock may be set back
	behind  bool // a loss may come while the clock is behind where it has been
	burst   bool // more grants may happen in a tick than it has numbers

	// A standby may be promoted that has an older copy, and whose clock lags by up to
	// lag ticks, up to promotions times.
	lag        fence.Tick
	promotions int
	beyond     fence.Tick // how far above the clock the store begins anew after a loss

	forgetful bool // a clean-up does not raise the floor
	flat      bool // nor does granting again after a loss
}

const (
	mostTicks  = 2
	mostGrants = 4
	mostSteps  = 9 // as many as the longest way to a limit below has
)

// next is every state that one step leads to.
func (r rules) next(m model) []model {
	var all []model
	add := func(n model, step string) {
		n.path = append(slices.Clone(m.path), step)
		all = append(all, n)
	}
	if m.noticed >= 0 && m.tick > m.noticed {
		add(r.reopen(m), "reopen")
	}
	if len(m.granted) < mostGrants && m.noticed < 0 {
		add(m.grant(1), "grant")
		if r.burst {
			add(m.grant(2*fence.TokensPerTick), "burst")
		}
	}
	if m.tick < mostTicks {
		n := m
		n.tick++
		n.latest = max(n.latest, n.tick)
		add(n, "tick")
	}
	if r.setBack && m.tick > 0 {
		n := m
		n.tick--
		add(n, "set back")
	}
	if m.kept {
		add(r.prune(m), "prune")
	}
	for i, old := range m.copies {
		if r.loss && old != m.durable && (r.behind || m.tick == m.latest) {
			add(r.lose(m, old, 0), fmt.Sprint("restore ", i))
		}
		for lag := range r.lag + 1 {
			if m.fresh < r.promotions && lag <= m.tick {
				n := r.lose(m, old, lag)
				n.fresh++
				add(n, fmt.Sprintf("promote %d %d behind", i, lag))
			}
		}
	}
	return all
}

// lose puts an older copy in the place of the record, under a clock that lags.
func (r rules) lose(m model, old durable, lag fence.Tick) model {
	m.durable = old
	m.tick -= lag
	if r.notice {
		m.noticed = m.tick
	}
	return m
}

// reopen goes on after a loss, with a floor above all that can have been lost.
func (r rules) reopen(m model) model {
	m.noticed = -1
	if !r.flat {
		m.floor = max(m.floor, (m.tick+r.beyond).First()-1)
	}
	return m.remember()
}

// prune forgets the row. Its number stays as the floor.
func (r rules) prune(m model) model {
	floor := m.floor
	if !r.forgetful {
		floor = max(floor, m.last)
	}
	m.durable = durable{floor: floor}
	return m.remember()
}

// grant makes n grants, one after the other, in the present tick.
func (m model) grant(n int) model {
	m.last = fence.Next(m.last, m.floor, m.tick)
	m.granted = append(slices.Clone(m.granted), m.last)
	if n > 1 {
		m.last += fence.Token(n - 1)
		m.granted = append(m.granted, m.last)
	}
	m.kept = true
	return m.remember()
}

func (m model) remember() model {
	if !slices.Contains(m.copies, m.durable) {
		m.copies = append(slices.Clone(m.copies), m.durable)
	}
	return m
}

// rising reports whether every number is above all that were granted before it.
func rising(granted []fence.Token) bool {
	for i := 1; i < len(granted); i++ {
		if granted[i] <= granted[i-1] {
			return false
		}
	}
	return true
}

func (m model) key() string {
	key := make([]byte, 0, 128)
	number := func(n int64) { key = append(strconv.AppendInt(key, n, 36), ' ') }
	for _, d := range append(m.copies, m.durable) { // a record is kept exactly when it has a token
		number(int64(d.last))
		number(int64(d.floor))
	}
	for _, k := range []fence.Tick{m.tick, m.latest, m.noticed, fence.Tick(m.fresh)} {
		number(int64(k))
	}
	for _, token := range m.granted {
		number(int64(token))
	}
	return string(key)
}

// search visits the states breadth first. It returns how many there are, and the
// shortest path to one where a number did not rise, or nil.
func (r rules) search() (states int, bad *model) {
	start := model{noticed: -1, copies: []durable{{}}}
	seen := map[string]bool{start.key(): true}
	for level := []model{start}; len(level) > 0; {
		var below []model
		for _, m := range level {
			for _, n := range r.next(m) {
				if len(n.path) > mostSteps || seen[n.key()] {
					continue
				}
				if !rising(n.granted) {
					return len(seen), &n
				}
				seen[n.key()] = true
				below = append(below, n)
			}
		}
		level = below
	}
	return len(seen), nil
}

func TestRuleIsSafe(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]rules{
		"losses are noticed and the clock goes forward":                             {loss: true, notice: true},
		"nothing is lost and the clock goes anywhere":                               {setBack: true, burst: true},
		"losses come when the clock is where it was, and it is set back afterwards": {loss: true, notice: true, setBack: true},
		"a standby is promoted whose clock lags by no more than the floor lies above it": {
			notice: true, lag: 1, promotions: 1, beyond: 1},
		"standbys are promoted one after the other, with clocks that agree": {
			notice: true, promotions: 3, beyond: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, bad := r.search()
			t.Logf("%d states", states)
			if bad != nil {
				t.Errorf("after %v the tokens are %v; want each above all before", bad.path, bad.granted)
			}
			if states < 1000 {
				t.Errorf("the search saw %d states; it should see thousands", states)
			}
		})
	}
}

// TestRuleHasLimits shows what the documentation names as remaining: each is
// the shortest way in which a number comes again.
func TestRuleHasLimits(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]struct {
		rules
		path string
	}{
		"a loss that nobody notices, and a grant in the same tick": {
			rules{loss: true}, "grant, restore 0, grant",
		},
		"a noticed loss after the clock was set back": {
			rules{loss: true, notice: true, setBack: true, behind: true}, "tick, grant, set back, restore 0, tick, reopen, grant",
		},
		"a noticed loss while the counter runs ahead of the clock": {
			rules{loss: true, notice: true, burst: true}, "burst, restore 0, tick, reopen, grant",
		},
		"a clean-up that would not raise the floor": {
			rules{forgetful: true}, "grant, prune, grant",
		},
		"a promotion of a standby whose clock lags by more than the floor lies above it": {
			rules{notice: true, lag: 1, promotions: 1}, "tick, grant, promote 0 1 behind, tick, reopen, grant",
		},
		"a second promotion while the clock is behind where the first was noticed": {
			rules{notice: true, lag: 1, promotions: 2, beyond: 1}, "tick, tick, grant, promote 0 1 behind, promote 0 1 behind, tick, reopen, grant",
		},
		"a restore, and a promotion whose clock is behind where that was noticed": {
			rules{notice: true, loss: true, lag: 1, promotions: 1, beyond: 1}, "grant, restore 0, tick, reopen, grant, promote 0 1 behind, tick, reopen, grant",
		},
		"a promotion that nobody notices": {
			rules{lag: 1, promotions: 1, beyond: 1}, "grant, promote 0 0 behind, grant",
		},
		"going on after a loss without a new floor, and a clock that is set back then": {
			rules{loss: true, notice: true, setBack: true, flat: true}, "grant, restore 0, tick, reopen, set back, grant",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, bad := limit.search()
			if bad == nil {
				t.Fatal("no number came again: the documented limit is none")
			}
			if got := strings.Join(bad.path, ", "); got != limit.path {
				t.Errorf("the shortest way to a number that does not rise is %q; want %q (tokens %v)", got, limit.path, bad.granted)
			}
		})
	}
}

// TestRuleWithoutNotice: a loss that nobody notices does harm only in the tick of
// the last grant. That is why a store which notices one waits for a later tick.
func TestRuleWithoutNotice(t *testing.T) {
	t.Parallel()
	_, bad := rules{loss: true}.search()
	if bad == nil {
		t.Fatal("no number came again")
	}
	again := bad.granted[len(bad.granted)-1]
	if again.Tick() != bad.tick {
		t.Errorf("token %s came again in tick %d; want that only in its own tick", again, bad.tick)
	}
}
