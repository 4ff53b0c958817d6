package stores

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

var (
	forFlag  = flag.Duration("for", 0, "how long TestHistory goes on; 0 leaves it out")
	seedFlag = flag.Uint64("seed", 0, "replay the choices of this seed; 0 draws one")
)

// TestHistory lets contenders loose on every store, cuts them off or takes their answers
// away, and checks what they saw. It is a campaign: make soak runs it.
func TestHistory(t *testing.T) {
	if *forFlag == 0 {
		t.Skip("a campaign: give it a time, such as -for 1m")
	}
	seed := *seedFlag
	for seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("replay with -seed %d -for %s", seed, *forFlag)
	for _, c := range columns {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			campaign(t, c.start(t)(t, false), seed)
		})
	}
}

// campaign is one run at a site.
func campaign(t *testing.T, at *site, seed uint64) {
	h := &history{begun: time.Now()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var contenders sync.WaitGroup
	var faults [][2]func()
	for i := range uint64(4) {
		fault := at.stall
		if i%2 == 1 && at.lossy != nil {
			fault = at.lossy
		}
		s, stop, goOn := fault(t)
		faults = append(faults, [2]func(){stop, goOn})
		c := &contender{history: h, random: rand.New(rand.NewPCG(seed, i)), ttl: brief(s),
			locker: newLocker(t, s, &ringfence.Options{RequestTimeout: brief(s)})}
		contenders.Go(func() { c.run(ctx) })
	}
	random := rand.New(rand.NewPCG(seed, 100))
	for time.Since(h.begun) < *forFlag {
		fault := faults[random.IntN(len(faults))]
		pass(random, 300)
		fault[0]()
		pass(random, 300)
		fault[1]()
	}
	until(t, "ten terms", func() bool { return h.count() >= 10 })
	cancel()
	contenders.Wait()
	if err := h.check(); err != nil {
		t.Errorf("with seed %d: %v", seed, err)
	}
	t.Logf("%d terms, %d admitted and %d refused writes", len(h.terms), h.admitted, h.refused)
}

// pass lets up to so many milliseconds go by.
func pass(random *rand.Rand, most int) {
	<-time.After(time.Duration(random.IntN(most)) * time.Millisecond)
}

// contender holds the name again and again, and adds one to what the register has.
type contender struct {
	*history
	random *rand.Rand
	ttl    time.Duration
	locker *ringfence.Locker
}

func (c *contender) run(ctx context.Context) {
	for ctx.Err() == nil {
		asked := c.now()
		lease, err := c.locker.Acquire(ctx, "history", 5*time.Second, ringfence.Hold{TTL: c.ttl})
		if err != nil {
			continue // cut off, or another's for long
		}
		ended := term{lease.Fence().Token, asked, c.now(), 0}
		for seq := range uint64(1 + c.random.IntN(2)) {
			if !c.write(lease.Fence(), seq+1) {
				break
			}
		}
		ended.trusted = min(c.now(), lease.TrustedUntil().Sub(c.begun))
		if c.random.IntN(4) == 0 {
			ended.trusted = lease.TrustedUntil().Sub(c.begun)
			lease.Abandon() // it runs out
		} else {
			_ = lease.Release(context.WithoutCancel(ctx))
		}
		c.add(ended)
	}
}

// write establishes, reads, stands still for a while, sometimes for longer than the lease
// lasts, and writes what follows from what was read.
func (c *contender) write(f fence.Fence, seq uint64) bool {
	read, ok := c.establish(f)
	if !ok {
		return false
	}
	switch n := c.random.IntN(20); {
	case n < 2:
		<-time.After(c.ttl) // and as long again for others to take over
		pass(c.random, int(c.ttl.Milliseconds()))
	case n < 10:
		pass(c.random, 20)
	}
	return c.put(guard.Write{Fence: f, Seq: seq, Key: fmt.Sprint(read)}, read+1)
}

// history is what came about, and the register that the contenders write to, which has
// a guard.
type history struct {
	begun time.Time

	mu                sync.Mutex
	terms             []term
	mark              guard.Mark
	value             int
	admitted, refused int
}

// term is one grant, in times since the history began.
type term struct {
	token          fence.Token
	asked, granted time.Duration
	trusted        time.Duration // until when its holder trusted it, or until it began to release
}

func (h *history) now() time.Duration { return time.Since(h.begun) }

func (h *history) add(t term) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.terms = append(h.terms, t)
}

func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.terms)
}

func (h *history) establish(f fence.Fence) (read int, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	mark, v := guard.Establish(h.mark, f, fence.MaxToken)
	if v.OK() {
		h.mark = mark
	}
	return h.value, v.OK()
}

func (h *history) put(w guard.Write, value int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	mark, v := guard.Decide(guard.Sequenced, h.mark, w, fence.MaxToken)
	if v.Outcome != fence.Admitted {
		h.refused++
		return false
	}
	h.mark, h.value, h.admitted = mark, value, h.admitted+1
	return true
}

// check finds what must not have come about.
func (h *history) check() error {
	slices.SortFunc(h.terms, func(a, b term) int { return cmp.Compare(a.token, b.token) })
	for i, now := range h.terms {
		for _, before := range h.terms[:i] {
			switch {
			case now.token == before.token:
				return fmt.Errorf("the token %s was granted twice", now.token)
			case now.granted < before.asked:
				return fmt.Errorf("the token %s was granted before %s was asked for", now.token, before.token)
			case now.granted < before.trusted:
				return fmt.Errorf("the token %s was granted %s before the holder of %s stopped trusting its lease", now.token, before.trusted-now.granted, before.token)
			}
		}
	}
	if h.value != h.admitted {
		return fmt.Errorf("%d writes were admitted, and the register has counted %d: one was made from what was no longer so", h.admitted, h.value)
	}
	return nil
}

// TestHistoryBites: the check finds a token twice, one that falls, two holders at once
// and a lost write.
func TestHistoryBites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		history *history
		ok      bool
	}{
		"in turn":     {&history{terms: []term{{1, 0, 1, 5}, {2, 3, 6, 9}}, value: 2, admitted: 2}, true},
		"twice":       {&history{terms: []term{{1, 0, 1, 2}, {1, 3, 4, 5}}}, false},
		"falling":     {&history{terms: []term{{2, 0, 1, 2}, {1, 3, 4, 5}}}, false},
		"two holders": {&history{terms: []term{{1, 0, 1, 5}, {2, 3, 4, 9}}}, false},
		"lost write":  {&history{value: 1, admitted: 2}, false},
	} {
		if err := c.history.check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
