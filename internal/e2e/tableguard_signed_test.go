package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// authority makes keys and signs with them.
func authority(t *testing.T, id, name string) fence.Key {
	t.Helper()
	k, err := fence.NewKey(id, name, fence.HMACSHA256)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func signedBy(t *testing.T, k fence.Key, c fence.Claim) string {
	t.Helper()
	s, err := k.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newSigned(t *testing.T, keys ...fence.Key) tables {
	t.Helper()
	d := newTables(t)
	if err := d.on().Trust(t.Context(), "reports-db", keys...); err != nil {
		t.Fatal(err)
	}
	d.guard(tableguard.Table{Name: "report", Lease: "nightly"})
	if err := d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "report"}); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTableGuardSigned takes what a trusted key has signed, and nothing else: no
// session without it moves the mark or the data.
func TestTableGuardSigned(t *testing.T) {
	t.Parallel()
	first, second, stranger := authority(t, "k1", "lab"), authority(t, "k2", "lab"), authority(t, "k1", "lab")
	d := newSigned(t, first, second)
	soon, claim := time.Now().Add(time.Hour), func(token fence.Token) fence.Claim {
		return fence.Claim{Fence: fence.Fence{Name: "nightly", Token: token}, Holder: "host-1", Audience: "reports-db", NotAfter: time.Now().Add(time.Hour)}
	}
	s := d.session(rf("nightly", 10))
	s.set("signature", signedBy(t, first, claim(10)))
	admitted(t, "establish", s.establish("report"))
	for _, k := range []fence.Key{first, second} {
		s.set("signature", signedBy(t, k, claim(10)))
		for _, w := range writes {
			admitted(t, k.ID+": "+w, s.exec(w))
		}
	}

	good, expired, elsewhere := signedBy(t, first, claim(11)), claim(11), claim(11)
	expired.NotAfter, elsewhere.Audience = soon.Add(-2*time.Hour), "other-db"
	s.set("fence", rf("nightly", 11))
	for what, signature := range map[string]string{
		"none": "", "of another token": signedBy(t, first, claim(10)), "of a stranger": signedBy(t, stranger, claim(11)), "of an unknown key": signedBy(t, authority(t, "k3", "lab"), claim(11)),
		"of another authority": signedBy(t, fence.Key{ID: first.ID, Authority: "den", Algorithm: first.Algorithm, Secret: first.Secret}, claim(11)),
		"expired":              signedBy(t, first, expired), "for elsewhere": signedBy(t, first, elsewhere), "padded": good + "=", "cut": good[:len(good)-1], "spaced": " " + good,
		"of two": good + good, "longer": good + ":", "later": strings.Replace(good, ":1", ":2", 1), "of a holder": strings.Replace(good, ":aG9", ":aG8", 1),
		"huge": strings.Repeat("9", 1<<20), "empty parts": "rs1::::", "no number": "rs1:k1:x::", "a huge number": "rs1:k1:99999999999999999999::",
	} {
		s.set("signature", signature)
		for _, w := range writes {
			refused(t, what+": "+w, s.exec(w), fence.Invalid)
		}
		refused(t, what+": establish", s.establish("report"), fence.Invalid)
	}
	for i := range good {
		s.set("signature", good[:i]+string(good[i]^1)+good[i+1:])
		if err := s.exec(writes[0]); err == nil {
			t.Fatalf("byte %d of a signature was altered: %s", i, good[:i]+string(good[i]^1)+good[i+1:])
		}
	}
	var mark int64
	if err := d.QueryRow("SELECT token FROM ringfence.guard_mark").Scan(&mark); err != nil || mark != 10 {
		t.Errorf("the mark is %d, %v; want 10", mark, err)
	}
	if err := d.on().Trust(t.Context(), "reports-db", second); err != nil {
		t.Fatal(err)
	}
	s.set("signature", good)
	refused(t, "a key that was taken away", s.exec(writes[0]), fence.Invalid)
	s.set("signature", signedBy(t, second, claim(11)))
	admitted(t, "the other key", s.exec(writes[0]))
	if err := d.on().AllowUnsigned(t.Context(), "report"); err != nil {
		t.Fatal(err)
	}
	s.set("signature", "")
	admitted(t, "unsigned", s.exec(writes[0]))
	if err := errors.Join(d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "report"}), d.on().Remove(t.Context(), "report")); err != nil {
		t.Fatal(err)
	}
	admitted(t, "of a table without a guard", d.session("").exec(writes[0]))
}

// TestTableGuardVerifiesWhatIsSigned compares the text that PostgreSQL puts together
// with the one that was signed.
func TestTableGuardVerifiesWhatIsSigned(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("!~", 24)
	keys := []fence.Key{authority(t, long, long[:47]+"a"), authority(t, "+/=-_.%'\"\\$$", "a")}
	for _, audience := range []string{"d", long, `'"\%s$1`} {
		d := newTables(t)
		if err := d.on().Trust(t.Context(), audience, keys...); err != nil {
			t.Fatal(err)
		}
		d.must("CREATE TABLE piece (name text)")
		d.guard(tableguard.Table{Name: "piece", Lease: "{name}"})
		if err := d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "piece"}); err != nil {
			t.Fatal(err)
		}
		s := d.session("")
		for _, name := range []string{"n", "a b", "%41", "ü/🔒", `'"\$1`, "a:b:c", strings.Repeat("x", 512), strings.Repeat("🔒", 128)} {
			for _, holder := range []string{"", "h", "ho", "hol", strings.Repeat("ü", 40), "a:b\n?>~"} {
				for _, k := range keys {
					f := fence.Fence{Name: name, Token: fence.TickOf(time.Now()).First()}
					signature := signedBy(t, k, fence.Claim{Fence: f, Holder: holder, Audience: audience, NotAfter: time.Now().Add(time.Hour)})
					if _, err := s.ExecContext(t.Context(), establishSigned, f.String(), signature); err != nil {
						t.Fatal(err)
					}
					admitted(t, fmt.Sprintf("%s, holder %q, %s, for %s", fence.Quote(name), holder, k, audience), s.exec("DELETE FROM piece WHERE false"))
				}
			}
		}
	}
}

const establishSigned = `SELECT set_config('ringfence.fence', $1, false), set_config('ringfence.signature', $2, false), set_config('ringfence.establish', 'on', false)`

// TestTableGuardSignedRoles exempts roles by who has logged in, and shows the keys to
// none of them.
func TestTableGuardSignedRoles(t *testing.T) {
	t.Parallel()
	d := newSigned(t, authority(t, "k1", "lab"))
	suffix := strings.ToLower(authority(t, "x", "y").ID + fmt.Sprint(time.Now().UnixNano()))
	trusted, member, outsider := `"t '`+suffix+`"`, "m_"+suffix, "o_"+suffix
	d.must("CREATE ROLE "+trusted, "CREATE ROLE "+member+" LOGIN IN ROLE "+trusted, "CREATE ROLE "+outsider+" LOGIN", "GRANT ALL ON report TO "+member+", "+outsider)
	t.Cleanup(func() {
		_, _ = d.Exec("DROP OWNED BY " + member + ", " + outsider + "; DROP ROLE " + member + ", " + outsider + ", " + trusted)
	})
	want := tableguard.Signed{Table: "report", Exempt: []string{"nobody '", strings.Trim(trusted, `"`)}}
	if err := d.on().RequireSigned(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if list, err := d.on().SignedTables(t.Context()); err != nil || len(list) != 1 || list[0].Table != "report" || len(list[0].Exempt) != 2 || list[0].Exempt[1] != want.Exempt[1] {
		t.Errorf("%+v, %v", list, err)
	}
	s := d.session(rf("nightly", 10))
	as := func(role string) {
		t.Helper()
		admitted(t, role, s.exec("RESET SESSION AUTHORIZATION; SET SESSION AUTHORIZATION "+role))
	}
	as(member)
	admitted(t, "exempt", s.establish("report"))
	admitted(t, "exempt", s.exec(writes[0]))
	as(outsider)
	refused(t, "not exempt", s.exec(writes[0]), fence.Invalid)
	for _, statement := range []string{
		"SELECT * FROM ringfence.guard_key", "DELETE FROM ringfence.guard_key", "SELECT ringfence.guard_hmac('', '', '')", "SET ROLE " + trusted,
		"DROP TRIGGER ringfence_authority ON report", "ALTER TABLE report DISABLE TRIGGER ringfence_authority",
	} {
		if err := s.exec(statement); err == nil {
			t.Errorf("%s was allowed", statement)
		}
	}
}

// TestTableGuardSignedPartitions verifies what is written to a partition directly, also
// to one that was attached later.
func TestTableGuardSignedPartitions(t *testing.T) {
	t.Parallel()
	d := newSigned(t, authority(t, "k1", "lab"))
	d.must("CREATE TABLE item (shop text) PARTITION BY LIST (shop)", "CREATE TABLE item_a PARTITION OF item FOR VALUES IN ('a')")
	for _, lease := range []string{"nightly", "shop/{shop}"} {
		d.guard(tableguard.Table{Name: "item", Lease: lease})
		if err := d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "item"}); err != nil {
			t.Fatal(err)
		}
		d.must("DROP TABLE IF EXISTS item_b", "CREATE TABLE item_b PARTITION OF item FOR VALUES IN ('b')")
		s := d.session(rf(strings.Replace(lease, "{shop}", "a", 1), 10))
		refused(t, "establish", s.establish("item"), fence.Invalid)
		for _, w := range []string{"INSERT INTO item VALUES ('a')", "INSERT INTO item_a VALUES ('a')", "INSERT INTO item_b VALUES ('b')", "TRUNCATE item", "TRUNCATE item_a"} {
			err := s.exec(w)
			if refused(t, lease+": "+w, err, fence.Invalid); err != nil && !strings.Contains(err.Error(), "signature") {
				t.Errorf("%s: %s was refused for another reason: %v", lease, w, err)
			}
		}
	}
}

// TestTableGuardSignedHeirs verifies what is written by the name of the table that another
// one inherits from.
func TestTableGuardSignedHeirs(t *testing.T) {
	t.Parallel()
	d := newSigned(t, authority(t, "k1", "lab"))
	d.must("CREATE TABLE whole (id bigint)", "CREATE TABLE heir () INHERITS (whole)", "INSERT INTO heir VALUES (1)")
	d.guard(tableguard.Table{Name: "heir", Lease: "nightly"})
	if err := d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "heir"}); err != nil {
		t.Fatal(err)
	}
	s := d.session(rf("nightly", 10))
	for _, w := range []string{"UPDATE whole SET id = 2", "DELETE FROM whole", "TRUNCATE whole"} {
		if err := s.exec(w); err == nil || !strings.Contains(err.Error(), "signature") {
			t.Errorf("%s: %v; want a refusal for want of a signature", w, err)
		}
	}
}

// TestTableGuardSignedOff tells of each table whose demand something goes past, and of no
// other: one became an heir or a partition, or a trigger of it was disabled or dropped.
func TestTableGuardSignedOff(t *testing.T) {
	t.Parallel()
	d := newSigned(t, authority(t, "k1", "lab"))
	d.must("CREATE TABLE item (shop text) PARTITION BY LIST (shop)", "CREATE TABLE item_a PARTITION OF item FOR VALUES IN ('a')")
	off := func() bool {
		t.Helper()
		list, err := d.on().SignedTables(t.Context())
		names := slices.DeleteFunc(slices.Clone(list), func(s tableguard.SignedStatus) bool { return s.Table != "report" && s.Table != "item" })
		if err != nil || len(list) != len(names) || len(names) == 0 {
			t.Fatalf("%+v, %v", list, err)
		}
		return slices.ContainsFunc(list, func(s tableguard.SignedStatus) bool { return s.Off })
	}
	require := func(table string) {
		t.Helper()
		if err := d.on().RequireSigned(t.Context(), tableguard.Signed{Table: table}); err != nil {
			t.Fatal(err)
		}
		if off() {
			t.Fatalf("%s demands signatures, and shows as off", table)
		}
	}
	require("item")
	for _, step := range []struct{ table, past, back string }{
		{"item", "ALTER TABLE item_a DISABLE TRIGGER zz_ringfence_authority", ""},
		{"item", "ALTER TABLE item_a ENABLE REPLICA TRIGGER zz_ringfence_authority", ""},
		{"item", "DROP TRIGGER zz_ringfence_authority ON item", ""},
		{"item", "ALTER TABLE item DISABLE TRIGGER ringfence_authority", ""},
		{"report", "ALTER TABLE report ENABLE TRIGGER ringfence_authority", ""},
		{"report", "CREATE TABLE whole (); ALTER TABLE report INHERIT whole", ""},
		{"report", "ALTER TABLE report NO INHERIT whole; ALTER TABLE report RENAME TO item_b; ALTER TABLE item_b RENAME TO report", "fine"},
	} {
		d.must(step.past)
		if got := off(); got != (step.back == "") {
			t.Errorf("%s: off is %v", step.past, got)
		}
		require(step.table)
	}
	require("report")
	d.must("CREATE TABLE reports (id bigint, body text) PARTITION BY LIST (id)", "ALTER TABLE reports ATTACH PARTITION report FOR VALUES IN (7)")
	if !off() {
		t.Error("report became a partition, and does not show as off")
	}
	admitted(t, "past the demand", d.session("").exec("INSERT INTO reports VALUES (7, '')"))
}

func TestTableGuardTrustsNothingElse(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	public, err := fence.NewKey("k", "lab", fence.Ed25519)
	if err != nil {
		t.Fatal(err)
	}
	good := authority(t, "k", "lab")
	for what, err := range map[string]error{
		"Ed25519": d.on().Trust(t.Context(), "db", public), "two of one id": d.on().Trust(t.Context(), "db", good, good), "no audience": d.on().Trust(t.Context(), "", good),
		"no table": d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "nothing"}), "no role": d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "report", Exempt: []string{""}}),
	} {
		if !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := tableguard.On(d.DB, tableguard.SQLite).Trust(t.Context(), "db", good); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("SQLite: %v", err)
	}
}
