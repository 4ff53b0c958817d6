package e2e

import (
	"database/sql"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/tableguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

func (d tables) on() *tableguard.DB { return tableguard.On(d.DB, tableguard.Postgres) }

// TestTableGuardReset moves a poisoned lease to a new incarnation: nothing lands in it
// before a term has established itself, and nobody at or below the bar does.
func TestTableGuardReset(t *testing.T) {
	t.Parallel()
	for _, rule := range []tableguard.Rule{tableguard.Latest, tableguard.Once, tableguard.Sequenced} {
		t.Run(string(rule), func(t *testing.T) {
			t.Parallel()
			d := newTables(t)
			d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: rule})
			poisoned := fence.TickOf(time.Now().Add(20 * time.Hour)).First()
			s := d.session(rf("nightly", poisoned))
			s.set("seq", "1")
			s.set("key", "k")
			admitted(t, "an invented number", s.establish("report"))
			admitted(t, "its write", s.exec(writes[0]))

			last := fence.Token(100)
			high, err := d.on().Above(t.Context(), last)
			if err != nil || len(high) != 1 || high[0].Lease != "nightly" || high[0].Token != poisoned {
				t.Fatalf("marks above %s: %+v, %v", last, high, err)
			}
			why := guard.Reset{Reason: "made up by a script", By: "alice", Above: last - 1}
			ended, err := d.on().Reset(t.Context(), "nightly", why)
			if err != nil || ended.Number != 1 || ended.Token != poisoned || ended.Reset != why || ended.Role == "" || ended.At.IsZero() {
				t.Fatalf("reset: %+v, %v", ended, err)
			}
			refused(t, "the invented number again", s.exec(writes[0]), fence.NotEstablished)
			for _, token := range []fence.Token{last, last + 1} {
				s.set("fence", rf("nightly", token))
				refused(t, "a term that has not begun", s.exec(writes[0]), fence.NotEstablished)
			}
			s.set("fence", rf("nightly", last-1))
			refused(t, "a term at the bar", s.establish("report"), fence.Superseded)
			s.set("fence", rf("nightly", last))
			admitted(t, "the term above it", s.establish("report"))
			admitted(t, "its write", s.exec(writes[0]))

			if _, err := d.on().Reset(t.Context(), "nightly", guard.Reset{Reason: "again", By: "bob"}); err != nil {
				t.Fatal(err)
			}
			kept, err := d.on().Resets(t.Context(), "night")
			if err != nil || len(kept) != 2 || kept[1] != ended || kept[0].Number != 2 || kept[0].Token != last || kept[0].By != "bob" {
				t.Errorf("the record holds %+v, %v", kept, err)
			}
		})
	}
}

func TestTableGuardResetOfNothing(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	good := guard.Reset{Reason: "r", By: "b"}
	if _, err := d.on().Reset(t.Context(), "nightly", good); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("where no table was ever guarded: %v", err)
	}
	if high, err := d.on().Above(t.Context(), 1); err != nil || len(high) != 0 {
		t.Errorf("marks where no table was ever guarded: %+v, %v", high, err)
	}
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	for lease, r := range map[string]guard.Reset{
		"nightly": good, "": good, "a": {By: "b"}, "b": {Reason: "r"}, "c": {Reason: "r", By: "b\x00"}, "d": {Reason: "r", By: "b", Above: -1},
		"e": {Reason: "r", By: "b", Above: fence.MaxToken}, "f": {Reason: "r", By: "b", Above: fence.MaxToken - 1},
	} {
		if _, err := d.on().Reset(t.Context(), lease, r); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%q, %+v: %v", lease, r, err)
		}
	}
}

// TestTableGuardResetWaits moves nothing from under a write that is under way.
func TestTableGuardResetWaits(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	s := d.session(rf("nightly", 10))
	admitted(t, "establish", s.establish("report"))
	admitted(t, "begin", s.exec("BEGIN; "+writes[0]))
	done := make(chan error, 1)
	go func() {
		_, err := d.on().Reset(t.Context(), "nightly", guard.Reset{Reason: "r", By: "b"})
		done <- err
	}()
	d.waits("pg_advisory_xact_lock")
	admitted(t, "the write goes on", s.exec(writes[1]))
	admitted(t, "commit", s.exec("COMMIT"))
	if err := <-done; err != nil {
		t.Error(err)
	}
	refused(t, "the next write", s.exec(writes[1]), fence.NotEstablished)

	// The other way round: a write that has seen the mark before a reset waits for it, and
	// finds the same number in an incarnation in which no term has begun.
	admitted(t, "establish again", s.establish("report"))
	operator := d.session("")
	admitted(t, "a reset begins", operator.exec("BEGIN; SELECT pg_advisory_xact_lock(ringfence.guard_lock('nightly'))"))
	go func() { done <- s.exec(writes[1]) }()
	d.waits("UPDATE report")
	admitted(t, "it ends", operator.exec("UPDATE ringfence.guard_mark SET home = NULL, path = NULL, started = NULL; COMMIT"))
	refused(t, "the write that has waited", <-done, fence.NotEstablished)
}

// waits returns once a statement with that text waits for a lock.
func (d tables) waits(text string) {
	d.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		var n int
		err := d.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'", text).Scan(&n)
		if err != nil || time.Now().After(deadline) {
			d.t.Fatalf("no %s waits: %v", text, err)
		}
		if n > 0 {
			return
		}
	}
}

// TestTableGuardNoticesACopy establishes no term by restoring a dump, copying a
// database or promoting a standby; a restart is none of these.
func TestTableGuardNoticesACopy(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, &realserver.PostgresOptions{Settings: []string{"max_prepared_transactions=1"}})
	d := openTables(t, pg.URL("postgres"))
	d.must(`CREATE TABLE report (id bigint PRIMARY KEY, body text)`)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: tableguard.Sequenced})
	d.must(`CREATE TABLE item (id bigint)`)
	d.guard(tableguard.Table{Name: "item", Lease: "items"})
	d.must(`CREATE TABLE shelf (id bigint)`)
	d.guard(tableguard.Table{Name: "shelf", Lease: "shelf/{id}"})
	for _, c := range copied {
		admitted(t, "establish", d.session(rf(c.lease, c.mark)).establish(c.table))
	}
	goesOn(t, "at first", d, "1")
	prepared(t, d)

	pg.Restart()
	d = openTables(t, pg.URL("postgres"))
	goesOn(t, "after a restart", d, "2")
	var known int
	if err := d.QueryRow("SELECT count(*) FROM ringfence.guard_mark WHERE started = pg_postmaster_start_time()").Scan(&known); err != nil || known != len(copied) {
		t.Errorf("%d of the used marks are known again after the restart, %v; want %d", known, err, len(copied))
	}

	dump := filepath.Join(t.TempDir(), "dump.sql")
	bin := filepath.Dir(realserver.Psql(t))
	run(t, filepath.Join(bin, "pg_dump"), "-f", dump, pg.URL("postgres"))
	d.must("CREATE DATABASE restored", "CREATE DATABASE spare")
	run(t, realserver.Psql(t), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", dump, pg.URL("restored"))
	mustBeginAgain(t, "in a restored dump", openTables(t, pg.URL("restored")))
	_ = d.Close()
	pg.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postgres' AND pid <> pg_backend_pid()")
	spare := openTables(t, pg.URL("spare"))
	spare.must("CREATE DATABASE twin TEMPLATE postgres")
	mustBeginAgain(t, "in a copied database", openTables(t, pg.URL("twin")))

	standby := pg.Standby(t)
	pg.CatchUp(standby)
	pg.Kill()
	standby.Promote()
	promoted := openTables(t, standby.URL("postgres"))
	if err := promoted.on().TrustPromotions(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	goesOn(t, "on a standby that is trusted", promoted, "3")
	promoted.must("UPDATE ringfence.guard_mark SET started = NULL") // as a server that was started anew
	if err := promoted.on().TrustPromotions(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	mustBeginAgain(t, "on a promoted standby", promoted)
}

// copied are the tables that are copied, judged by place, once a statement and once a row.
var copied = []struct {
	table, lease string
	mark         fence.Token
	write        string
}{
	{"report", "nightly", 10, writes[0]}, {"item", "items", 20, "INSERT INTO item VALUES (1)"}, {"shelf", "shelf/1", 30, "INSERT INTO shelf VALUES (1)"},
}

// goesOn writes in each term; seq is the place of the next write.
func goesOn(t *testing.T, when string, d tables, seq string) {
	t.Helper()
	for _, c := range copied {
		s := d.session(rf(c.lease, c.mark))
		s.set("seq", seq)
		s.set("key", "k"+seq)
		admitted(t, when+", "+c.table, s.exec(c.write))
	}
}

func mustBeginAgain(t *testing.T, when string, d tables) {
	t.Helper()
	for _, c := range copied {
		what := when + ", " + c.table
		s := d.session(rf(c.lease, c.mark))
		s.set("seq", "1")
		s.set("key", "k")
		refused(t, what+", the term before", s.exec(c.write), fence.NotEstablished)
		s.set("fence", rf(c.lease, c.mark-1))
		refused(t, what+", an older term", s.establish(c.table), fence.Superseded)
		s.set("fence", rf(c.lease, c.mark+1))
		refused(t, what+", a newer term", s.exec(c.write), fence.NotEstablished)
		admitted(t, what+", established", s.establish(c.table))
		admitted(t, what+", its write", s.exec(c.write))
	}
}

func run(t *testing.T, command string, args ...string) {
	t.Helper()
	if out, err := exec.Command(command, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(command), err, out)
	}
}

// TestTableGuardResetElsewhere moves a poisoned lease in MySQL and SQLite.
func TestTableGuardResetElsewhere(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]func(*testing.T) guarded{"sqlite": guardedSQLite, "mysql": guardedMySQL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := g(t)
			on := tableguard.On(db.DB, map[string]tableguard.Dialect{"sqlite": tableguard.SQLite, "mysql": tableguard.MySQL}[name])
			good := guard.Reset{Reason: "made up by a script", By: "alice"}
			if _, err := on.Reset(t.Context(), "nightly", good); !errors.Is(err, fence.ErrInvalid) {
				t.Errorf("where no table was ever guarded: %v", err)
			}
			if err := on.Install(t.Context(), tableguard.Table{Name: "report", Lease: "nightly"}); err != nil {
				t.Fatal(err)
			}
			poisoned := fence.TickOf(time.Now().Add(20 * time.Hour)).First()
			if _, err := on.Establish(t.Context(), fence.Fence{Name: "nightly", Token: poisoned}); err != nil {
				t.Fatal(err)
			}
			high, err := on.Above(t.Context(), 100)
			if err != nil || len(high) != 1 || high[0].Lease != "nightly" || high[0].Token != poisoned || time.Since(high[0].At) > time.Hour {
				t.Fatalf("marks above 100: %+v, %v", high, err)
			}
			if _, err := on.Reset(t.Context(), "nightly", guard.Reset{Reason: "r", By: "b", Above: 1}); !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("a bar: %v", err)
			}
			ended, err := on.Reset(t.Context(), "nightly", good)
			if err != nil || ended.Number != 1 || ended.Token != poisoned || ended.Reset != good || time.Since(ended.At) > time.Hour {
				t.Fatalf("reset: %+v, %v", ended, err)
			}
			next := guard.Write{Fence: fence.Fence{Name: "nightly", Token: 100}}
			write := func() error {
				_, err := on.InTx(t.Context(), next, func(tx *sql.Tx) error {
					_, err := tx.ExecContext(t.Context(), "INSERT INTO report (day, body) VALUES (1, 'x')")
					return err
				})
				return err
			}
			answers(t, "a term that has not begun", write(), fence.NotEstablished)
			if _, err := on.Establish(t.Context(), next.Fence); err != nil {
				t.Fatal(err)
			}
			answers(t, "a term that has", write(), fence.NoCause)
			if kept, err := on.Resets(t.Context(), ""); err != nil || len(kept) != 1 || kept[0] != ended {
				t.Errorf("the record holds %+v, %v", kept, err)
			}
		})
	}
}
