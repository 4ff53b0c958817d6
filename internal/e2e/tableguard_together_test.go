package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// TestTableGuardOrdersWriters lets sixteen terms write at once: once a newer one has
// written, nothing of an older one comes after it.
func TestTableGuardOrdersWriters(t *testing.T) {
	t.Parallel()
	for _, rule := range []tableguard.Rule{tableguard.Latest, tableguard.Once} {
		t.Run(string(rule), func(t *testing.T) {
			t.Parallel()
			d := newTables(t)
			d.must("CREATE TABLE log (id bigserial, token bigint)")
			d.guard(tableguard.Table{Name: "log", Lease: "nightly", Rule: rule})
			admitted(t, "establish", d.session(rf("nightly", 1)).establish("log"))
			const writers, each = 16, 8
			var all sync.WaitGroup
			for n := range writers {
				token := fence.Token(n + 2)
				s := d.session(rf("nightly", token))
				all.Go(func() {
					for range each {
						err := s.exec(fmt.Sprintf("INSERT INTO log (token) VALUES (%d)", token))
						if err != nil && !strings.Contains(err.Error(), "RF001") && !strings.Contains(err.Error(), "RF003") {
							t.Errorf("token %s: %v", token, err)
						}
					}
				})
			}
			all.Wait()
			var backward, highest int
			row := d.QueryRow("SELECT count(*) FILTER (WHERE token < before), max(token) FROM (SELECT token, lag(token) OVER (ORDER BY id) AS before FROM log) AS l")
			if err := row.Scan(&backward, &highest); err != nil || backward != 0 || highest != writers+1 {
				t.Errorf("%d writes came after one of a newer term, the last is of %d (%v); want 0 and %d", backward, highest, err, writers+1)
			}
		})
	}
}

// TestTableGuardDeadlock has two transactions write under two leases each, in opposite
// orders: the database ends one of them, mark and data, and its second try goes through.
func TestTableGuardDeadlock(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.must("CREATE TABLE a (n int)", "CREATE TABLE b (n int)", "INSERT INTO a VALUES (0)", "INSERT INTO b VALUES (0)")
	for _, name := range []string{"a", "b"} {
		d.guard(tableguard.Table{Name: name, Lease: name, Rule: tableguard.Sequenced})
		admitted(t, "establish", d.session(rf(name, 5)).establish(name))
	}
	write := func(s *session, table string, seq int) error {
		return s.exec(fmt.Sprintf("SET ringfence.fence = '%s'; SET ringfence.seq = %d; SET ringfence.key = 'k%d'; UPDATE %s SET n = n + 1", rf(table, 5), seq, seq, table))
	}
	first, second := d.session(""), d.session("")
	for _, s := range []*session{first, second} {
		admitted(t, "begin", s.exec("SET deadlock_timeout = '50ms'; BEGIN"))
	}
	admitted(t, "a", write(first, "a", 1))
	admitted(t, "b", write(second, "b", 1))
	crossed := make(chan error, 1)
	go func() { crossed <- write(first, "b", 1) }()
	mine, theirs := write(second, "a", 1), <-crossed
	won, again, lost := second, first, theirs
	if mine != nil {
		won, again, lost = first, second, mine
	}
	if mine != nil && theirs != nil || lost == nil || !strings.Contains(lost.Error(), "40P01") {
		t.Fatalf("crossed writes: %v, %v; want one of them ended as a deadlock", mine, theirs)
	}
	admitted(t, "commit", won.exec("COMMIT"))
	admitted(t, "begin again", again.exec("ROLLBACK; BEGIN"))
	admitted(t, "a again", write(again, "a", 2))
	admitted(t, "b again", write(again, "b", 2))
	admitted(t, "commit again", again.exec("COMMIT"))
	var n, seq int
	if err := d.QueryRow("SELECT (SELECT sum(n) FROM (TABLE a UNION ALL TABLE b) AS t), (SELECT sum(seq) FROM ringfence.guard_mark)").Scan(&n, &seq); err != nil || n != 4 || seq != 4 {
		t.Errorf("the data counts %d writes, the marks %d (%v); want 4", n, seq, err)
	}
}

// TestTableGuardSavepoints rolls the mark back with the data.
func TestTableGuardSavepoints(t *testing.T) {
	t.Parallel()
	for _, rule := range []tableguard.Rule{tableguard.Once, tableguard.Sequenced} {
		d := newTables(t)
		d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: rule})
		s := d.session(rf("nightly", 5))
		admitted(t, "establish", s.establish("report"))
		s.set("seq", "1")
		s.set("key", "first")
		admitted(t, "a write that is taken back", s.exec("BEGIN; SAVEPOINT a; "+writes[0]+"; ROLLBACK TO a"))
		s.set("key", "second")
		admitted(t, "another in its place", s.exec(writes[0]+"; "+writes[1]+"; COMMIT"))
		var key string
		if err := d.QueryRow("SELECT key FROM ringfence.guard_mark").Scan(&key); err != nil || key != "second" {
			t.Errorf("%s: the mark keeps %q, %v", rule, key, err)
		}
		s.set("key", "third")
		refused(t, string(rule), s.exec(writes[1]), fence.Conflict)
	}
	d := newTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	s := d.session(rf("nightly", 5))
	admitted(t, "establish", s.establish("report"))
	admitted(t, "a newer term, taken back", s.exec("BEGIN; SAVEPOINT a; SET LOCAL ringfence.fence = '"+rf("nightly", 6)+"'; "+writes[0]+"; ROLLBACK TO a; "+writes[0]+"; COMMIT"))
	admitted(t, "the term goes on", s.exec(writes[0]))
}

// TestTableGuardTellsEscapedNamesApart writes rows whose lease is spelled as the text form
// of another one's name.
func TestTableGuardTellsEscapedNamesApart(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.must("CREATE TABLE piece (lease text)")
	d.guard(tableguard.Table{Name: "piece", Lease: "{lease}"})
	names := []string{"a/b", "a%2Fb", "a b", "a%20b", "a"}
	for _, name := range names {
		admitted(t, "establish "+name, d.session(rf(name, 5)).establish("piece"))
	}
	for _, name := range names {
		s := d.session(rf(name, 5))
		for _, lease := range append(names, "") {
			err := s.exec("INSERT INTO piece VALUES ('" + lease + "')")
			if lease == name {
				admitted(t, name, err)
			} else {
				refused(t, "under "+name+" a row of "+lease, err, fence.Invalid)
			}
		}
	}
}

// TestTableGuardRowsHoldOffASuccessor lets nobody establish while rows of the term before
// are being written.
func TestTableGuardRowsHoldOffASuccessor(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.must("CREATE TABLE piece (lease text)")
	d.guard(tableguard.Table{Name: "piece", Lease: "{lease}"})
	s, next := d.session(rf("a", 5)), d.session(rf("a", 6))
	admitted(t, "establish", s.establish("piece"))
	admitted(t, "begin", s.exec("BEGIN; INSERT INTO piece VALUES ('a')"))
	admitted(t, "set", next.exec("SET lock_timeout = '100ms'"))
	if err := next.establish("piece"); err == nil || !strings.Contains(err.Error(), "55P03") {
		t.Errorf("established beside an open write: %v", err)
	}
	admitted(t, "commit", s.exec("COMMIT"))
	admitted(t, "establish, after it", next.establish("piece"))
	refused(t, "the term before", s.exec("INSERT INTO piece VALUES ('a')"), fence.Superseded)
}

// TestTableGuardWaitsForAFirstMark: where an older term is making the first mark, a write of a
// newer one waits for it and raises it. Were it to look twice without the lock, it could find
// the older mark the second time only, and leave it.
func TestTableGuardWaitsForAFirstMark(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	older, newer := d.session(rf("nightly", 5)), d.session(rf("nightly", 6))
	admitted(t, "begin", older.exec("BEGIN"))
	admitted(t, "establish", older.establish("report"))
	done := make(chan error, 1)
	go func() { done <- newer.exec(writes[1]) }()
	d.waits(writes[1])
	admitted(t, "commit", older.exec("COMMIT"))
	admitted(t, "the newer write", <-done)
	refused(t, "the older term", older.exec(writes[1]), fence.Superseded)
}

// prepared shows that a prepared transaction holds a newer term off until its end. It
// needs a server that allows them.
func prepared(t *testing.T, d tables) {
	t.Helper()
	d.must(`CREATE TABLE parcel (id bigint)`)
	d.guard(tableguard.Table{Name: "parcel", Lease: "parcels"})
	s, next := d.session(rf("parcels", 5)), d.session(rf("parcels", 6))
	admitted(t, "establish", s.establish("parcel"))
	admitted(t, "prepare", s.exec("BEGIN; INSERT INTO parcel VALUES (1); PREPARE TRANSACTION 'p'"))
	admitted(t, "set", next.exec("SET lock_timeout = '100ms'"))
	if err := next.establish("parcel"); err == nil || !strings.Contains(err.Error(), "55P03") {
		t.Errorf("established beside a prepared transaction: %v", err)
	}
	admitted(t, "commit", s.exec("COMMIT PREPARED 'p'"))
	admitted(t, "establish, after it", next.establish("parcel"))
	refused(t, "the term before", s.exec("INSERT INTO parcel VALUES (2)"), fence.Superseded)
}
