package proof

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// proveLateRelease lets the lease of one party run out, has another take the
// name, and the first release what it no longer has.
func proveLateRelease(first, second, third system.Party) error {
	const name = "job"
	brief := system.Ask{Op: system.Acquire, Name: name, TTL: 400 * time.Millisecond}
	long := system.Ask{Op: system.Acquire, Name: name, TTL: time.Minute}
	if err := want("granted", "the first", first.Do(brief)); err != nil {
		return err
	}
	var taken system.Answer
	err := system.Poll(func() (bool, error) {
		taken = second.Do(long)
		return taken.Outcome == "granted", nil
	})
	if err != nil {
		return errors.Join(err, want("granted", "the second", taken))
	}
	late := first.Do(system.Ask{Op: system.Release, Name: name})
	if other := third.Do(long); other.Outcome != "held" || other.Token != taken.Token {
		return harmful(errStolen, "the release said %s, and then a third party was answered %s with token %s beside %s",
			late, other, other.Token, taken.Token)
	}
	if late.Outcome != "ended" || late.Cause != string(driver.EndSuperseded) {
		return errors.New("the late release was not told that its term is superseded: " + late.String())
	}
	return want("done", "a renewal by the second", second.Do(system.Ask{Op: system.Renew, Name: name}))
}

// releasesByName is the twin: it frees the name, whoever holds it.
func releasesByName(s *sqlstore.Store, db *sql.DB, c system.Config) driver.Store {
	return byName{s, db, c.Database}
}

type byName struct {
	*sqlstore.Store
	db *sql.DB
	at system.Database
}

func (b byName) Release(ctx context.Context, t driver.Term) error {
	_, err := b.db.ExecContext(ctx, b.at.SQL("UPDATE "+b.at.LeaseTable()+" SET state = 'released' WHERE name = $1"), t.Name)
	return err
}

func TestProof2_LateReleaseDoesNotSteal(t *testing.T) {
	t.Parallel()
	for fault, harm := range map[string]error{"": nil, "releases by name": errStolen} {
		t.Run("store that "+cmp.Or(fault, "is right"), func(t *testing.T) {
			t.Parallel()
			system.Each(t, func(t *testing.T, d system.Database) {
				// One label, as of two processes on one host: it is proof of nothing.
				c := system.Config{Database: d, Holder: "host", Fault: fault}
				prove(t, harm, proveLateRelease(agent(t, c), agent(t, c), agent(t, c)))
			})
		})
	}
}
