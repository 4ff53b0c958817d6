package sqlstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func TestBindWritesTextsThatNothingCanRead(t *testing.T) {
	t.Parallel()
	got := bind("SELECT $1, $2, $3 FROM ($4) a", `'; DROP -- \ $2`, int64(-7), 8, table([]*call{{name: "n", attempt: "a", holder: "", token: 3}}))
	want := "SELECT x'273b2044524f50202d2d205c202432', -7, 8 FROM (SELECT x'6e' AS name, x'61' AS attempt, x'' AS holder, 3 AS token, 0 AS ttl) a"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestMySQLStatementsAreWhole: every mark was filled in, and the constants are those
// of package fence.
func TestMySQLStatementsAreWhole(t *testing.T) {
	t.Parallel()
	for _, texts := range []map[string]string{loadMySQL(), loadMariaDB()} {
		for name, text := range texts {
			if strings.Contains(text, "/*now*/") || strings.Contains(text, "/*identity*/") || strings.Contains(strings.ReplaceAll(text, "x''", ""), "''") {
				t.Errorf("%s: %s", name, text)
			}
			if strings.Contains(name, "acquire") && name != "acquire_why" && !strings.Contains(text, "- 1704067200000) * 4096") {
				t.Errorf("%s makes no token by the clock", name)
			}
			if utc := strings.Contains(text, "time_zone = '+00:00'"); name != "now" && strings.Contains(text, "00', SYSDATE(6)") != utc {
				t.Errorf("%s reads a clock that is not for its time zone: %s", name, text)
			}
		}
	}
	if fence.EpochUnixMilli != 1704067200000 || fence.TokensPerTick != 4096 || fence.MaxToken != 9007199254740991 {
		t.Error("the statements have other constants than package fence")
	}
}

// TestPreparationsAreKeptApart: what a session keeps under a name is one statement, for one database.
func TestPreparationsAreKeptApart(t *testing.T) {
	t.Parallel()
	one := preparations("one", map[string]string{"renew_one": "SET a = $2, b = $1 WHERE c = 'd' AND e = $2"})["renew_one"]
	if want := "PREPARE " + one.name + " FROM 'SET a = ?, b = ? WHERE c = ''d'' AND e = ?'"; one.prepare != want {
		t.Errorf("got %s, want %s", one.prepare, want)
	}
	if got, want := one.execute([]any{int64(1), "2", int64(3)}), "EXECUTE "+one.name+" USING x'32', 1, x'32'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	names := map[string]bool{one.name: true}
	for _, texts := range []map[string]string{loadMySQL(), loadMariaDB()} {
		for _, database := range []string{"one", "two"} {
			names[preparations(database, texts)["renew_one"].name] = true
		}
	}
	if len(names) != 5 {
		t.Errorf("five statements go by the names %v", names)
	}
}

func TestMySQLVersions(t *testing.T) {
	t.Parallel()
	for version, recent := range map[string]bool{
		"10.11.19-MariaDB-0+deb12u1": true, "5.5.5-10.6.4-MariaDB": true, "11.8.2-MariaDB": true, "10.5.20-MariaDB": false,
		"8.0.36": true, "8.4.0-commercial": true, "9.1.0": true, "5.7.44-log": false, "": false,
	} {
		if got := (mysqlServer{version: version}).recent(); got != recent {
			t.Errorf("%q: %t", version, got)
		}
	}
}

// TestErrorAfterWriting: what a server says of the second statement of a batch is no
// word about what the first one has changed.
func TestErrorAfterWriting(t *testing.T) {
	t.Parallel()
	refused := errors.New("Error 1205 (HY000): Lock wait timeout exceeded")
	if r := MySQL.judge(afterWriting(1, refused)); r.kind != driver.ErrUnknown || !errors.Is(r, refused) {
		t.Errorf("after a write: %v", r.kind)
	}
	if r := MySQL.judge(afterWriting(0, refused)); r.kind != driver.ErrUnavailable {
		t.Errorf("without one: %v", r.kind)
	}
}
