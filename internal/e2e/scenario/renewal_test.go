package scenario

import (
	"context"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// renewed is a lease that its locker keeps alive.
type renewed struct {
	*ringfence.Lease
	store driver.Store
}

func holdRenewed(t *testing.T, s driver.Store, ttl time.Duration) renewed {
	t.Helper()
	locker := newLocker(t, s, &ringfence.Options{RequestTimeout: ttl / 8})
	return renewed{acquire(t, locker, "leader", ringfence.Hold{TTL: ttl, Renew: true}), s}
}

// wantKept waits for a renewal that the store has carried out since now, and
// checks that it is one of the same term.
func (r renewed) wantKept(t *testing.T, after string) {
	t.Helper()
	last := r.TrustedUntil()
	system.Await(t, "a renewal after "+after, func() bool {
		return r.TrustedUntil().After(last) || r.Context().Err() != nil
	})
	if err := context.Cause(r.Context()); err != nil {
		t.Fatalf("%s cost the lease: %v", after, err)
	}
	rec, err := r.store.Inspect(t.Context(), "leader")
	if err != nil || rec.State != driver.Held || rec.Token != r.Fence().Token {
		t.Errorf("after %s the store says %+v (error %v); the lease has token %s", after, rec, err, r.Fence().Token)
	}
}

// TestScenario_R09_SerializationFailure: PostgreSQL aborts the first renewal.
func TestScenario_R09_SerializationFailure(t *testing.T) {
	t.Parallel()
	d := system.Postgres(t)
	lease := holdRenewed(t, d.Store(t), 3*time.Second)
	d.Exec(t, `CREATE SEQUENCE renewals`, // counts also what is rolled back
		`CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF nextval('renewals') = 1 THEN RAISE 'could not serialize access' USING ERRCODE = '40001'; END IF;
			RETURN NEW;
		END $$`,
		`CREATE TRIGGER fail_once BEFORE UPDATE ON ringfence.lease FOR EACH ROW EXECUTE FUNCTION fail_once()`)
	lease.wantKept(t, "a serialization failure")
	var renewals int
	if err := d.Open(t).QueryRowContext(t.Context(), `SELECT last_value FROM renewals`).Scan(&renewals); err != nil || renewals < 2 {
		t.Errorf("%d renewals reached the row (error %v); the first one was to fail", renewals, err)
	}
}

// TestScenario_R09_BusyDatabase: another program keeps the SQLite file locked
// for longer than one renewal waits.
func TestScenario_R09_BusyDatabase(t *testing.T) {
	t.Parallel()
	d := system.SQLite(t)
	lease := holdRenewed(t, d.Store(t), 4*time.Second)
	c, err := d.Open(t).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	last := lease.TrustedUntil()
	system.Pass(2 * time.Second) // a third of the lease, and a renewal's patience
	if !lease.TrustedUntil().Equal(last) {
		t.Fatal("a renewal got through a locked file")
	}
	if _, err := c.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	lease.wantKept(t, "a busy database")
}

// TestScenario_R09_RestartAndFailover: the server restarts, and then another
// takes its place, each within a lease.
func TestScenario_R09_RestartAndFailover(t *testing.T) {
	t.Parallel()
	primary := realserver.NewPostgres(t, nil)
	d := system.Database{Postgres: true, URL: primary.URL("postgres")}
	proxy := realserver.NewProxy(t, primary.Addr())
	lease := holdRenewed(t, d.At(proxy.Addr()).Store(t), 10*time.Second)
	primary.Restart()
	lease.wantKept(t, "a restart")
	standby := primary.Standby(t)
	primary.CatchUp(standby)
	primary.Kill()
	standby.Promote()
	proxy.Retarget(standby.Addr())
	proxy.Cut()
	lease.wantKept(t, "a fail-over")
}
