package proof

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// survivor is one client, with a database of its own, that lives through a
// fail-over. It notes every number it was handed.
type survivor struct {
	db      *sql.DB
	store   *sqlstore.Store
	locker  *ringfence.Locker
	before  driver.Identity
	highest fence.Token
}

func newSurvivor(t *testing.T, url, fault string) *survivor {
	t.Helper()
	d := system.Database{Postgres: true, URL: url}
	s := &survivor{db: d.Open(t)}
	s.db.SetMaxOpenConns(1)
	s.store = d.StoreOn(t, s.db)
	var store driver.Store = s.store
	if fault != "" {
		store = faults[fault](s.store, s.db, system.Config{Database: d})
	}
	var err error
	if s.locker, err = ringfence.New(store, &ringfence.Options{RequestTimeout: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if s.before, err = s.store.Identity(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// handOut acquires and releases a few times.
func (s *survivor) handOut(ctx context.Context) error {
	for range 4 {
		lease, err := s.locker.TryAcquire(ctx, "job", ringfence.Hold{TTL: time.Minute})
		if err != nil {
			return err
		}
		if err := s.note(lease.Fence().Token); err != nil {
			return err
		}
		if err := lease.Release(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *survivor) note(token fence.Token) error {
	if token <= s.highest {
		return harmful(errRepeated, "token %s after %s", token, s.highest)
	}
	s.highest = token
	return nil
}

// proveGoingOn goes on after the fail-over, which was promoted after since.
func (s *survivor) proveGoingOn(ctx context.Context, since time.Time) error {
	var lease *ringfence.Lease
	err := system.Poll(func() (_ bool, err error) {
		lease, err = s.locker.TryAcquire(ctx, "job", ringfence.Hold{TTL: time.Minute})
		if errors.Is(err, ringfence.ErrUnfit) || errors.Is(err, ringfence.ErrInvalid) {
			return true, err
		}
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("work does not go on: %w", err)
	}
	if err := errors.Join(s.note(lease.Fence().Token), lease.Release(ctx), s.handOut(ctx)); err != nil {
		return err
	}
	id, err := s.store.Identity(ctx)
	if err != nil {
		return err
	}
	if id.Current == s.before.Current || id.Previous != s.before.Current ||
		id.ChangedAt.Before(since.Truncate(time.Millisecond)) || id.ChangedAt.After(time.Now()) {
		return fmt.Errorf("before the fail-over of %s the store was %+v, and now it says %+v", since, s.before, id)
	}
	return nil
}

// countsFromItsRecord is the twin: a token is the last one on record plus one.
func countsFromItsRecord(s *sqlstore.Store, db *sql.DB, _ system.Config) driver.Store {
	return counts{s, db}
}

type counts struct {
	*sqlstore.Store
	db *sql.DB
}

func (c counts) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	term := driver.Term{Fence: fence.Fence{Name: r.Name}, Attempt: r.Attempt, Remaining: r.TTL}
	err := c.db.QueryRowContext(ctx, `
		INSERT INTO ringfence.lease AS l (name, token, attempt, holder, state, granted_at, expires_at)
		VALUES ($1, 1, $2, '', 'held', clock_timestamp(), clock_timestamp() + $3 * interval '1 millisecond')
		ON CONFLICT (name) DO UPDATE SET token = l.token + 1, attempt = excluded.attempt, state = 'held',
			granted_at = excluded.granted_at, expires_at = excluded.expires_at
		WHERE l.state <> 'held' OR l.expires_at <= clock_timestamp()
		RETURNING token`, r.Name, r.Attempt, r.TTL.Milliseconds()).Scan(&term.Token)
	if err != nil {
		err = &driver.Fault{Kind: driver.ErrUnavailable, Err: err}
	}
	return term, err
}

// pair is a primary, its standby, and the ways that lead to whichever is in charge.
type pair struct {
	primary, standby *realserver.PG
	proxy            *realserver.Proxy
	pooler           *realserver.Pooler
}

func newPair(t *testing.T, databases ...string) pair {
	t.Helper()
	p := pair{primary: realserver.NewPostgres(t, nil)}
	for _, database := range databases {
		p.primary.Exec("CREATE DATABASE " + database)
	}
	p.standby = p.primary.Standby(t)
	p.proxy = realserver.NewProxy(t, p.primary.Addr())
	p.pooler = realserver.NewPooler(t, p.primary)
	return p
}

// direct is the address of a database, whichever server is in charge.
func (p pair) direct(database string) string {
	return system.Database{Postgres: true, URL: p.primary.URL(database)}.At(p.proxy.Addr()).URL
}

// failOver kills the primary and puts the standby in charge.
func (p pair) failOver() {
	p.primary.Kill()
	p.standby.Promote()
	p.proxy.Retarget(p.standby.Addr())
	p.proxy.Cut()
	p.pooler.Retarget(p.standby)
}

// handOutUnreceived has grants made that the standby never receives.
func (p pair) handOutUnreceived(t *testing.T, all map[string]*survivor) {
	t.Helper()
	handOut := func() {
		for database, s := range all {
			if err := s.handOut(t.Context()); err != nil {
				t.Fatalf("%s: %v", database, err)
			}
		}
	}
	handOut()
	p.primary.CatchUp(p.standby)
	p.primary.PauseReplication()
	handOut()
	for database, s := range all {
		d := system.Database{Postgres: true, URL: p.standby.URL(database)}
		var received fence.Token
		err := d.Open(t).QueryRowContext(t.Context(), "SELECT token FROM ringfence.lease WHERE name = 'job'").Scan(&received)
		if err != nil || received >= s.highest {
			t.Fatalf("%s: the standby has token %s of %s (error %v): no grant would be lost", database, received, s.highest, err)
		}
	}
}

// TestProof5_FailOverRepeatsNoNumber kills a primary right after grants that its
// standby has not received, and promotes the standby. One client reaches it at
// the address of the first; one through a pooler that keeps its connection open.
func TestProof5_FailOverRepeatsNoNumber(t *testing.T) {
	t.Parallel()
	p := newPair(t, "direct", "pooled", "twin")
	all := map[string]*survivor{
		"direct": newSurvivor(t, p.direct("direct"), ""),
		"pooled": newSurvivor(t, p.pooler.URL(p.primary, "pooled"), ""),
		"twin":   newSurvivor(t, p.direct("twin"), "counts from its record"),
	}
	p.handOutUnreceived(t, all)
	since, connection := time.Now(), all["pooled"].address(t)
	p.failOver()
	for database, harm := range map[string]error{"direct": nil, "pooled": nil, "twin": errRepeated} {
		prove(t, harm, all[database].proveGoingOn(t.Context(), since))
	}
	if now := all["pooled"].address(t); now != connection {
		t.Errorf("the pooler did not keep the connection open: it was %s and is %s", connection, now)
	}
}

// address is the client's end of the one connection in the pool.
func (s *survivor) address(t *testing.T) (local string) {
	t.Helper()
	c, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.Raw(func(dc any) error {
		local = dc.(*stdlib.Conn).Conn().PgConn().Conn().LocalAddr().String()
		return nil
	})
	return local
}
