package e2e

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// tables is a database whose tables are guarded, with an owner's pool.
type tables struct {
	*sql.DB
	t *testing.T
}

func newTables(t *testing.T) tables {
	d := openTables(t, realserver.SharedPostgres(t))
	d.must(`CREATE TABLE report (id bigint PRIMARY KEY, body text)`)
	return d
}

func openTables(t *testing.T, url string) tables {
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return tables{db, t}
}

func (d tables) must(statements ...string) {
	d.t.Helper()
	for _, s := range statements {
		if _, err := d.ExecContext(d.t.Context(), s); err != nil {
			d.t.Fatalf("%s: %v", s, err)
		}
	}
}

func (d tables) guard(table tableguard.Table) {
	d.t.Helper()
	if err := tableguard.On(d.DB, tableguard.Postgres).Install(d.t.Context(), table); err != nil {
		d.t.Fatal(err)
	}
}

// session is a connection that carries a fence, as an unchanged program does.
func (d tables) session(f string) *session {
	d.t.Helper()
	c, err := d.Conn(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = c.Close() })
	s := &session{c, d.t}
	s.set("fence", f)
	return s
}

type session struct {
	*sql.Conn
	t *testing.T
}

func (s *session) set(name, value string) {
	s.t.Helper()
	if _, err := s.ExecContext(s.t.Context(), `SELECT set_config('ringfence.' || $1, $2, false)`, name, value); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) establish(table string) error {
	s.set("establish", "on")
	defer s.set("establish", "off")
	return s.exec("DELETE FROM " + table + " WHERE false")
}

func (s *session) exec(statement string) error {
	_, err := s.ExecContext(s.t.Context(), statement)
	return err
}

var stateOf = map[fence.Cause]string{
	fence.Superseded: "RF001", fence.OutOfSequence: "RF002", fence.Conflict: "RF003", fence.Lapsed: "RF004",
	fence.NotEstablished: "RF005", fence.Future: "RF006", fence.Invalid: "RF007",
}

// refused checks that a statement is refused for a cause.
func refused(t *testing.T, what string, err error, want fence.Cause) {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != stateOf[want] || !strings.Contains(e.Message, want.String()) || e.Hint == "" {
		t.Errorf("%s: got %v, want %s", what, err, want)
	}
}

func admitted(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func rf(name string, token fence.Token) string { return fence.Fence{Name: name, Token: token}.String() }

// writes is every kind of statement that changes a table.
var writes = []string{
	"INSERT INTO report VALUES (1, 'new') ON CONFLICT (id) DO UPDATE SET body = excluded.body",
	"UPDATE report SET body = 'changed'",
	"MERGE INTO report USING (VALUES (1)) AS v (id) ON report.id = v.id WHEN MATCHED THEN UPDATE SET body = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (v.id, '')",
	"WITH w AS (UPDATE report SET body = 'with' RETURNING id) SELECT count(*) FROM w",
	"DELETE FROM report",
	"TRUNCATE report",
	"DO $$ BEGIN INSERT INTO report VALUES (7, 'inside'); END $$",
	"DELETE FROM report WHERE false",
}

func TestTableGuardRefusesEveryWayToWrite(t *testing.T) {
	t.Parallel()
	for _, rule := range []tableguard.Rule{tableguard.Latest, tableguard.Once, tableguard.Sequenced} {
		t.Run(string(rule), func(t *testing.T) {
			t.Parallel()
			d := newTables(t)
			d.must("INSERT INTO report VALUES (1, 'old')", "CREATE TABLE parent (id bigint PRIMARY KEY)", "INSERT INTO parent VALUES (1)",
				"ALTER TABLE report ADD FOREIGN KEY (id) REFERENCES parent ON DELETE CASCADE")
			d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: rule})
			first, second := d.session(rf("nightly", 10)), d.session(rf("nightly", 11))
			admitted(t, "establish 10", first.establish("report"))
			admitted(t, "establish 11", second.establish("report"))
			refused(t, "establish 10 again", first.establish("report"), fence.Superseded)
			for what, s := range map[string]*session{"bare": d.session(""), "older": first} {
				want := fence.Superseded
				if what == "bare" {
					want = fence.Invalid
				}
				s.set("seq", "1")
				s.set("key", "k")
				for _, w := range writes {
					refused(t, what+": "+w, s.exec(w), want)
				}
				refused(t, what+": cascade", s.exec("DELETE FROM parent"), want)
			}
			var body string
			if err := d.QueryRow("SELECT body FROM report").Scan(&body); err != nil || body != "old" {
				t.Errorf("the table holds %q, %v", body, err)
			}
		})
	}
}

func TestTableGuardLatest(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	name := `we're "odd": 100% {x} \ ü/🔒`
	d.guard(tableguard.Table{Name: "report", Lease: strings.NewReplacer("{", "{{", "}", "}}").Replace(name)})
	s := d.session(rf(name, 5))
	refused(t, "no mark", s.exec(writes[0]), fence.NotEstablished)
	admitted(t, "establish", s.establish("report"))
	for _, w := range writes {
		admitted(t, w, s.exec(w))
	}
	s.set("fence", rf(name, 7))
	admitted(t, "a newer term without establishing", s.exec(writes[0]))
	s.set("fence", rf(name, 6))
	refused(t, "the term before", s.exec(writes[0]), fence.Superseded)
	s.set("fence", rf("other", 9))
	refused(t, "another lease", s.exec(writes[0]), fence.Invalid)
	s.set("fence", rf(name, fence.MaxToken))
	refused(t, "an invented number", s.exec(writes[0]), fence.Future)
	for _, bad := range []string{"", "x", "5", "rf1:", "rf1:0:x", "rf1:-1:x", "rf1:05:x", "rf1:+5:x", "rf1:1e3:x", "rf1:9007199254740992:x", "rf1:9223372036854775808:x", "rf1:5:", "rf2:5:x", strings.Repeat("9", 1<<20)} {
		s.set("fence", bad)
		refused(t, fence.Quote(bad), s.exec(writes[0]), fence.Invalid)
	}
}

func TestTableGuardOnce(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: tableguard.Once})
	s := d.session(rf("nightly", 5))
	admitted(t, "establish", s.establish("report"))
	admitted(t, "one transaction", s.exec("BEGIN; "+writes[0]+"; SAVEPOINT a; "+writes[1]+"; ROLLBACK TO a; "+writes[1]+"; COMMIT"))
	refused(t, "another transaction", s.exec(writes[0]), fence.Conflict)
	admitted(t, "establish again", s.establish("report"))
	refused(t, "another transaction, after that", s.exec(writes[0]), fence.Conflict)
	s.set("fence", rf("nightly", 6))
	s.set("establish", "on")
	refused(t, "a row of one that establishes", s.exec(writes[0]), fence.Invalid)
	refused(t, "a truncation of one that establishes, after a write", d.truncate(s), fence.Conflict)
}

// truncate truncates twice: the first time is the term's one write.
func (d tables) truncate(s *session) error {
	if err := s.exec("TRUNCATE report"); err != nil {
		return err
	}
	return s.exec("TRUNCATE report")
}

func TestTableGuardSequenced(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly", Rule: tableguard.Sequenced})
	s := d.session(rf("nightly", 5))
	admitted(t, "establish", s.establish("report"))
	write := func(seq, key string) error {
		s.set("seq", seq)
		s.set("key", key)
		return s.exec("BEGIN; " + writes[0] + "; " + writes[1] + "; COMMIT")
	}
	reset := func() { _ = s.exec("ROLLBACK") }
	for _, c := range []struct {
		seq, key string
		want     fence.Cause
	}{
		{"1", "a", fence.NoCause}, {"3", "c", fence.OutOfSequence}, {"2", "b", fence.NoCause}, {"2", "x", fence.Conflict},
		{"", "", fence.Invalid}, {"3", "", fence.Invalid}, {"0", "k", fence.Invalid}, {"1e3", "k", fence.Invalid}, {"3", "c", fence.NoCause},
	} {
		err := write(c.seq, c.key)
		if c.want == fence.NoCause {
			admitted(t, c.seq+c.key, err)
		} else {
			refused(t, c.seq+c.key, err, c.want)
		}
		reset()
	}
	var e *pgconn.PgError
	if err := write("3", "c"); !errors.As(err, &e) || e.Code != "RF000" {
		t.Errorf("the same again: %v", err)
	}
}

func TestTableGuardByColumns(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.must("CREATE TABLE item (shop text, id bigint, price bigint, PRIMARY KEY (shop, id)) PARTITION BY LIST (shop)",
		"CREATE TABLE item_a PARTITION OF item FOR VALUES IN ('a')", "CREATE TABLE item_b PARTITION OF item FOR VALUES IN ('b')")
	d.guard(tableguard.Table{Name: "item", Lease: "shop/{shop}/prices"})
	a := d.session(rf("shop/a/prices", 5))
	admitted(t, "establish", a.establish("item"))
	admitted(t, "own row", a.exec("INSERT INTO item VALUES ('a', 1, 10)"))
	admitted(t, "own row, by its partition", a.exec("INSERT INTO item_a VALUES ('a', 2, 10)"))
	for _, w := range []string{
		"INSERT INTO item VALUES ('b', 1, 10)", "INSERT INTO item_b VALUES ('b', 1, 10)", "UPDATE item SET shop = 'b'", "INSERT INTO item VALUES ('a', 3, 1), ('b', 3, 1)",
		"TRUNCATE item", "TRUNCATE item_a", "TRUNCATE item_b",
	} {
		refused(t, w, a.exec(w), fence.Invalid)
	}
	admitted(t, "own rows", a.exec("UPDATE item SET price = 11"))
	bare := d.session("")
	for _, w := range []string{"UPDATE item SET price = 0", "DELETE FROM item_a", "INSERT INTO item VALUES ('a', 9, 9)"} {
		refused(t, w, bare.exec(w), fence.Invalid)
	}
	a.set("fence", rf("elsewhere", 5))
	refused(t, "establish a lease of no row", a.establish("item"), fence.Invalid)
}

func TestTableGuardCountsRefusals(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	s := d.session(rf("nightly", 5))
	for range 3 {
		refused(t, "no mark", s.exec(writes[0]), fence.NotEstablished)
	}
	counts, err := tableguard.On(d.DB, tableguard.Postgres).Refusals(t.Context())
	if err != nil || len(counts) != 1 || counts[0].Cause != fence.NotEstablished || counts[0].Count != 3 {
		t.Errorf("%+v, %v", counts, err)
	}
}

func TestTableGuardIsInstalledWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	d.must("CREATE VIEW v AS SELECT * FROM report", "CREATE TABLE heir () INHERITS (report)", "CREATE TABLE plain (id bigint)",
		"CREATE TABLE split (id bigint) PARTITION BY LIST (id)", "CREATE TABLE split_1 PARTITION OF split FOR VALUES IN (1)",
		"CREATE TABLE last (id bigint)", "CREATE TRIGGER zzzz BEFORE UPDATE ON last FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
		"CREATE DOMAIN moment AS timestamptz", "CREATE TABLE odd (id bigint, made text GENERATED ALWAYS AS ('x' || id) STORED, at timestamptz, during tstzrange, part double precision, raw bytea, seen moment, ats timestamptz[])")
	for _, bad := range []tableguard.Table{
		{}, {Name: "report"}, {Name: "nothing", Lease: "l"}, {Name: "v", Lease: "l"}, {Name: "report", Lease: "l"}, {Name: "split_1", Lease: "l"},
		{Name: "plain", Lease: "x/{nope}"}, {Name: "plain", Lease: "x/{id"}, {Name: "plain", Lease: "x}"}, {Name: "plain", Lease: "l", Rule: "always"},
		{Name: "plain", Lease: "l", Rule: tableguard.Owned}, {Name: "PLAIN", Lease: "l"}, {Name: "a.b.c", Lease: "l"}, {Name: "pg_catalog.pg_class", Lease: "l", Rule: "x"},
		{Name: "last", Lease: "{id}"},  // whose own trigger has the last word
		{Name: "odd", Lease: "{made}"}, // which would name no lease, for good
		{Name: "odd", Lease: "{at}"}, {Name: "odd", Lease: "{during}"}, {Name: "odd", Lease: "{part}"}, {Name: "odd", Lease: "{raw}"}, {Name: "odd", Lease: "{seen}"}, {Name: "odd", Lease: "{ats}"},
	} {
		if err := tableguard.On(d.DB, tableguard.Postgres).Install(t.Context(), bad); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := tableguard.On(d.DB, tableguard.Postgres).Install(t.Context(), tableguard.Table{Name: "public.plain", Lease: "a{{b}}/{id}"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := tableguard.On(d.DB, tableguard.Postgres).List(t.Context())
	want := tableguard.Status{Table: tableguard.Table{Name: "plain", Lease: "a{{b}}/{id}", Rule: tableguard.Latest}}
	if err != nil || !slices.Equal(list, []tableguard.Status{want}) {
		t.Errorf("%+v, %v", list, err)
	}
	cut, stop := context.WithCancel(t.Context())
	stop()
	if err := tableguard.On(d.DB, tableguard.Postgres).Install(cut, tableguard.Table{Name: "split", Lease: "l"}); err == nil {
		t.Error("installed without a context")
	}
	if err := tableguard.On(d.DB, tableguard.Postgres).Remove(t.Context(), "plain"); err != nil {
		t.Fatal(err)
	}
	d.must("INSERT INTO plain VALUES (1)", "INSERT INTO split VALUES (1)")
	if list, err := tableguard.On(d.DB, tableguard.Postgres).List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
