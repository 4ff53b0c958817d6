package zkstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

// TestOneServer holds what needs a server and does not harm it: each has a path of
// its own there.
func TestOneServer(t *testing.T) {
	t.Parallel()
	z := realserver.NewZooKeeper(t, &realserver.ZooKeeperOptions{Settings: []string{"tickTime=200"}})
	for name, test := range map[string]func(*testing.T, *site){
		"RoundTrips":            roundTrips,
		"LostReplies":           lostReplies,
		"ReplyLostOnce":         replyLostOnce,
		"AnotherConnection":     anotherConnection,
		"LeaseOutlivesSession":  leaseOutlivesSession,
		"VersionsThatMeet":      versionsThatMeet,
		"RemovedRecord":         removedRecord,
		"ForeignRecord":         foreignRecord,
		"Rights":                rightsOfOthers,
		"Batch":                 batch,
		"LineWakesOne":          lineWakesOne,
		"LineSparesAReading":    lineSparesAReading,
		"LineMeetsAGrant":       lineMeetsAGrant,
		"LineAndPrune":          lineGuardsARecordThatIsPruned,
		"LineSkipsACorpse":      lineSkipsACorpse,
		"LineAfterAnExpiry":     lineAfterAnExpiry,
		"LineKeepsNoLostWaiter": lineKeepsNoLostWaiter,
		"ManyNames":             manyNames,
		"Findings":              findings,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, &site{z.Endpoints()[0], "tests-" + name})
		})
	}
}

// patient is for a busy machine.
var patient = &zkstore.Options{AnswerWithin: 20 * time.Second}

// site is where one test keeps its leases.
type site struct{ address, prefix string }

func (s *site) open(t *testing.T, o zkstore.Options) *zkstore.Store {
	t.Helper()
	return s.openAt(t, s.address, o)
}

func (s *site) openAt(t *testing.T, address string, o zkstore.Options) *zkstore.Store {
	t.Helper()
	o.Prefix = s.prefix
	return open(t, address, &o)
}

func open(t *testing.T, address string, o *zkstore.Options) *zkstore.Store {
	t.Helper()
	if o == nil {
		o = &zkstore.Options{}
	}
	if o.AnswerWithin == 0 {
		o.AnswerWithin = patient.AnswerWithin
	}
	var s *zkstore.Store
	until(t, "an ensemble that answers", func() (opened bool) {
		var err error
		if s, err = zkstore.Open(t.Context(), address, o); err != nil && !errors.Is(err, driver.ErrUnavailable) {
			t.Fatal(err)
		}
		return err == nil
	})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// conn is a session of the test's own.
func (s *site) conn(t *testing.T) *zk.Conn { return connect(t, s.address) }

func connect(t *testing.T, address string) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{address}, 10*time.Second, zk.WithLogger(silent{}), zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// counter counts the requests of a connection, pings aside: the client writes each
// in one piece.
type counter struct{ n atomic.Int64 }

type counted struct {
	net.Conn
	c *counter
}

func (c *counter) dial(network, address string, timeout time.Duration) (net.Conn, error) {
	conn, err := net.DialTimeout(network, address, timeout)
	return counted{conn, c}, err
}

func (c counted) Write(b []byte) (int, error) {
	const ping = 12
	if len(b) > ping {
		c.c.n.Add(1)
	}
	return c.Conn.Write(b)
}

// of is how many requests f makes.
func (c *counter) of(f func()) int64 {
	before := c.n.Load()
	f()
	return c.n.Load() - before
}

func request(name string, ttl time.Duration) driver.Request {
	return driver.Request{Name: name, Attempt: rand.Text(), Holder: "a test", TTL: ttl}
}

func acquire(t *testing.T, s driver.Store, r driver.Request) driver.Term {
	t.Helper()
	term, err := s.Acquire(context.Background(), r)
	if err != nil {
		t.Fatalf("acquire %q: %v", r.Name, err)
	}
	return term
}

func take(t *testing.T, s driver.Store, name string) driver.Term {
	t.Helper()
	return acquire(t, s, request(name, time.Minute))
}

func release(t *testing.T, s driver.Store, term driver.Term) {
	t.Helper()
	if err := s.Release(context.Background(), term); err != nil {
		t.Fatalf("release %s: %v", term.Fence, err)
	}
}

func wants(t *testing.T, err, want error, what string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v; want %v", what, err, want)
	}
}

// until polls what a server decides.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited for %s", what)
		}
	}
}
