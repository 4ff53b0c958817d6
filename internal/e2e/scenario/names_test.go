package scenario

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

var goodNames = []string{
	"a//b", "a/b", "file:///x", "../x", "x", "Router-A", "router-a", "a b", "a  b", ":", "{}", "*", "%", "_", "a:b", "{a}b", "%41", "A",
	"\u00e1", "a\u0301", "🚦", "'; DROP TABLE report; --", "\\", `"`, "$1", "?1", strings.Repeat("n", 512), strings.Repeat("n", 511),
}

var badNames = []string{"", "a\x00b", "\x00", "a\n", " a", "a ", "\xff", strings.Repeat("n", 513), strings.Repeat("n", 1<<20)}

// TestScenario_R30_Names: all good names are held at once, each by its own lease,
// and guard as many resources: two that were one would be refused.
func TestScenario_R30_Names(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		ctx, report := t.Context(), d.NewReport(t)
		locker, db := newLocker(t, d.Store(t), nil), sqlguard.On(report.DB, d.GuardDialect())
		for _, name := range goodNames {
			lease, err := locker.TryAcquire(ctx, name, long)
			if err != nil {
				t.Errorf("%q: %v", name, err)
				continue
			}
			t.Cleanup(lease.Abandon)
			report.Add(t, name)
			err = sqlguard.InTx(ctx, db, lease.Fence(), name, func(tx *sql.Tx) error { return report.Put(ctx, tx, name, "by "+name) })
			if err != nil {
				t.Errorf("resource %q: %v", name, err)
			}
			if back, err := fence.Parse(lease.Fence().String()); err != nil || back != lease.Fence() {
				t.Errorf("the fence of %q reads back as %+v (error %v)", name, back, err)
			}
		}
		for _, name := range goodNames {
			if rec, err := locker.Inspect(ctx, name); err != nil || rec.Name != name {
				t.Errorf("the record of %q is %+v (error %v)", name, rec, err)
			}
			if body, err := report.Body(ctx, name); err != nil || body != "by "+name {
				t.Errorf("the report of %q reads %q (error %v)", name, body, err)
			}
		}
	})
}

// TestScenario_R30_BadNames: refused in the same words on every store, before
// anything is sent.
func TestScenario_R30_BadNames(t *testing.T) {
	t.Parallel()
	databases := []system.Database{system.SQLite(t), system.Postgres(t)}
	said := map[string]string{}
	for _, d := range databases {
		locker, db := newLocker(t, d.Store(t), nil), sqlguard.On(d.Open(t), d.GuardDialect())
		for _, name := range badNames {
			_, err := locker.TryAcquire(t.Context(), name, long)
			if !errors.Is(err, ringfence.ErrInvalid) || len(err.Error()) > 500 {
				t.Errorf("%s: %.20q: %v", d, name, err)
				continue
			}
			if before, twice := said[name]; twice && before != err.Error() {
				t.Errorf("%.20q: one store says %q, the other %q", name, before, err)
			}
			said[name] = err.Error()
			err = sqlguard.InTx(t.Context(), db, fence.Fence{Name: "job", Token: 7}, name, func(*sql.Tx) error {
				t.Errorf("%s: wrote to the resource %.20q", d, name)
				return nil
			})
			if !errors.Is(err, ringfence.ErrInvalid) {
				t.Errorf("%s: resource %.20q: %v", d, name, err)
			}
		}
	}
}
