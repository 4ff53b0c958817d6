package e2e

import (
	"errors"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// TestSQLGuardMarksOfARecovery sums up and raises the marks of some leases, and leaves
// those of others.
func TestSQLGuardMarksOfARecovery(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db guarded) {
		establish := func(resource, lease string, token fence.Token) error {
			g, err := sqlguard.New(db.dialect, resource, guard.Sequenced, nil)
			if err == nil {
				_, err = g.Establish(t.Context(), db.DB, fence.Fence{Name: lease, Token: token})
			}
			return err
		}
		for resource, f := range map[string]fence.Fence{
			"a": {Name: "job%/a", Token: 7}, "b": {Name: "job%/b", Token: 900}, "c": {Name: "job-/c", Token: 3}, "d": {Name: "Job%/d", Token: 3},
		} {
			if err := establish(resource, f.Name, f.Token); err != nil {
				t.Fatal(err)
			}
		}
		if m, err := sqlguard.Marks(t.Context(), db.DB, db.dialect, "job%/"); err != nil || m != (guard.Marks{Count: 2, Highest: 900}) {
			t.Errorf("%+v, %v", m, err)
		}
		if m, err := sqlguard.Marks(t.Context(), db.DB, db.dialect, ""); err != nil || m != (guard.Marks{Count: 4, Highest: 900}) {
			t.Errorf("all: %+v, %v", m, err)
		}
		if n, err := sqlguard.RaiseMarks(t.Context(), db.DB, db.dialect, "job%/", 100); err != nil || n != 1 {
			t.Errorf("raised %d, %v; want the one that is lower", n, err)
		}
		if err := establish("a", "job%/a", 99); !errors.Is(err, fence.ErrRefused) {
			t.Errorf("an older token after the floor: %v", err)
		}
		if err := errors.Join(establish("a", "job%/a", 101), establish("b", "job%/b", 900), establish("c", "job-/c", 3), establish("d", "Job%/d", 3)); err != nil {
			t.Error(err)
		}
		if n, err := sqlguard.RaiseMarks(t.Context(), db.DB, db.dialect, "", fence.MaxToken); err != nil || n != 0 {
			t.Errorf("raised %d to the end of all numbers (error %v)", n, err)
		}
		if _, err := sqlguard.RaiseMarks(t.Context(), db.DB, db.dialect, "", 0); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("raised to 0: %v", err)
		}
	})
}

func TestTableGuardMarksOfARecovery(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	if m, err := tableguard.On(d.DB, tableguard.Postgres).Marks(t.Context(), ""); err != nil || m.Count != 0 {
		t.Errorf("where nothing was ever guarded: %+v, %v", m, err)
	}
	d.must(`CREATE TABLE other (id bigint PRIMARY KEY)`)
	d.guard(tableguard.Table{Name: "report", Lease: "job/a"})
	d.guard(tableguard.Table{Name: "other", Lease: "other"})
	holder := d.session(rf("job/a", 7))
	admitted(t, "establish", errors.Join(holder.establish("report"), d.session(rf("other", 3)).establish("other")))
	if m, err := tableguard.On(d.DB, tableguard.Postgres).Marks(t.Context(), "job/"); err != nil || m != (guard.Marks{Count: 1, Highest: 7}) {
		t.Errorf("%+v, %v", m, err)
	}
	if n, err := tableguard.On(d.DB, tableguard.Postgres).RaiseMarks(t.Context(), "job/", 100); err != nil || n != 1 {
		t.Errorf("raised %d, %v", n, err)
	}
	refused(t, "a write in the older term", holder.exec("INSERT INTO report VALUES (1, 'x')"), fence.Superseded)
	admitted(t, "a write of another lease", d.session(rf("other", 3)).exec("INSERT INTO other VALUES (1)"))
	next := d.session(rf("job/a", 101))
	admitted(t, "a newer term", errors.Join(next.establish("report"), next.exec("INSERT INTO report VALUES (1, 'x')")))
}
