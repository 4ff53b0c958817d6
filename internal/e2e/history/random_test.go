package history

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

var (
	seedFlag = flag.Uint64("seed", 0, "replay the choices of this seed; 0 draws one")
	forFlag  = flag.Duration("for", 6*time.Second, "how long a random run goes on")
)

var errLost = errors.New("the register is not linearizable: a write was lost, or an older value came back")

// TestRandom runs five clients against each store under faults.
func TestRandom(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	for seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("replay with -seed %d -for %s", seed, *forFlag)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		d := system.SQLite(t)
		run(t, d, d, seed, lockingFaults(t, d))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		d := system.Postgres(t)
		proxy := realserver.NewProxy(t, d.Upstream())
		run(t, d, d.At(proxy.Addr()), seed, networkFaults(proxy))
	})
}

// run lets clients loose on the database, which they reach at clients, and checks
// what they saw.
func run(t *testing.T, d, clients system.Database, seed uint64, fault func(*rand.Rand)) {
	report, store, seen := d.NewReport(t), d.Store(t), newRecord()
	report.Add(t, name)
	audited(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() {
		defer cancel()
		system.Pass(*forFlag)
		if err := system.Poll(func() (bool, error) { return seen.enough(), nil }); err != nil {
			t.Errorf("too little came about: %v", err)
		}
	})
	for id := range 5 {
		c := newClient(t, clients, id, seed, seen)
		all.Go(func() { c.run(ctx) })
	}
	all.Go(func() { disturb(ctx, store, rand.New(rand.NewPCG(seed, 100)), fault) })
	all.Wait()
	reads := &client{id: 5, report: report, seen: seen}
	reads.read(seen.now())
	changes := readAudit(t, report.DB, name)
	for what, err := range map[string]error{
		"register": seen.linearizable(), "tokens": seen.tokensRise(), "terms": oneLiveTerm(changes),
	} {
		if err != nil {
			t.Errorf("%s, with seed %d: %v", what, seed, err)
		}
	}
	t.Logf("%d grants, %d operations, %d changes of the lease", len(seen.grants), len(seen.ops), len(changes))
}

func newClient(t *testing.T, d system.Database, id int, seed uint64, seen *record) *client {
	t.Helper()
	g, err := sqlguard.New(d.GuardDialect(), name, guard.Sequenced, nil)
	if err != nil {
		t.Fatal(err)
	}
	locker, err := ringfence.New(d.Store(t), &ringfence.Options{RequestTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = locker.Close(t.Context()) })
	return &client{
		id: id, random: rand.New(rand.NewPCG(seed, uint64(id))), locker: locker,
		report: system.Report{DB: d.Open(t), Database: d}, guard: g, seen: seen,
	}
}

// disturb breaks something again and again until ctx ends, and sometimes ends a
// term by force or cleans up.
func disturb(ctx context.Context, s interface {
	driver.Breaker
	driver.Pruner
}, random *rand.Rand, fault func(*rand.Rand)) {
	for ctx.Err() == nil {
		system.Pass(time.Duration(100+random.IntN(300)) * time.Millisecond)
		switch random.IntN(5) {
		case 0:
			_, _ = s.Break(ctx, name, "disturb")
		case 1:
			_, _ = s.Prune(ctx, 0, 10)
		default:
			fault(random)
		}
	}
}

// networkFaults cut the clients off, or lose what is sent or answered.
func networkFaults(p *realserver.Proxy) func(*rand.Rand) {
	return func(random *rand.Rand) {
		switch random.IntN(4) {
		case 0:
			p.Cut()
			return
		case 1:
			p.DropReplies()
		case 2:
			p.Blackhole()
		case 3:
			p.Refuse()
		}
		system.Pass(time.Duration(random.IntN(150)) * time.Millisecond)
		p.Heal()
	}
}

// lockingFaults keep everybody else out of a SQLite file for a while.
func lockingFaults(t *testing.T, d system.Database) func(*rand.Rand) {
	db := d.Open(t)
	return func(random *rand.Rand) {
		c, err := db.Conn(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if _, err := c.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
			return // somebody else is quicker, for long
		}
		system.Pass(time.Duration(random.IntN(200)) * time.Millisecond)
		if _, err := c.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
	}
}
