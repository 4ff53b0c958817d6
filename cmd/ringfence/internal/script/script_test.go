package script

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/guard/tableguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// bench is an empty database.
type bench struct {
	*testing.T
	db      *sql.DB
	dialect sqlguard.Dialect
}

func onDatabase(t *testing.T, driver, address string, d sqlguard.Dialect) bench {
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return bench{t, db, d}
}

// run runs a text under a fence that nothing supersedes.
func (b bench) run(text string) ([]Result, error) {
	w := Work{Text: text, Resource: "r", Rule: guard.Latest, Establish: true, Write: guard.Write{Fence: fence.Fence{Name: "job", Token: 5}}}
	_, results, err := w.Run(b.Context(), b.db, b.dialect)
	return results, err
}

// gives runs a text that must return these rows, written with | and \N.
func (b bench) gives(text, want string) {
	b.Helper()
	results, err := b.run(text)
	var got []string
	for _, r := range results {
		for _, row := range r.Rows {
			var cells []string
			for _, v := range row {
				if v == nil {
					cells = append(cells, `\N`)
				} else {
					cells = append(cells, *v)
				}
			}
			got = append(got, strings.Join(cells, "|"))
		}
	}
	if text := strings.Join(got, " "); err != nil || text != want {
		b.Errorf("%s\ngives %q, %v; want %q", text, text, err, want)
	}
}

// fails runs a text that a statement on that line must end, with these words.
func (b bench) fails(text string, line int, words string) {
	b.Helper()
	_, err := b.run(text)
	e, ok := errors.AsType[*StatementError](err)
	if !ok || e.Line != line || !strings.Contains(err.Error(), words) {
		b.Errorf("%s\nended with %v; want a failure at line %d: %s", text, err, line, words)
	}
}

// ends runs a text that must be told to have ended the transaction.
func (b bench) ends(text string, applied bool) {
	b.Helper()
	_, err := b.run(text)
	if e, ok := errors.AsType[*EndedError](err); !ok || e.Applied != applied {
		b.Errorf("%s\nended with %v; want it told that the script ended the transaction (applied: %t)", text, err, applied)
	}
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	b := onDatabase(t, "pgx", realserver.SharedPostgres(t), sqlguard.Postgres)
	b.gives(`CREATE TABLE t (id int); CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN 2; END; $f$;
		INSERT INTO t VALUES (1), (two()); /* ; */ SELECT id, NULL FROM t ORDER BY id; -- ;
		SELECT E'\\xff'::bytea`, `1|\N 2|\N \xff`)
	guardsTables(b, tableguard.Postgres)
	b.gives("SAVEPOINT s; INSERT INTO t VALUES (9); ROLLBACK TO SAVEPOINT s; SELECT count(*) FROM t", "2")
	b.fails("INSERT INTO t VALUES (3);\nSELECT 'á';\nSELECT nowhere FROM t", 3, `column "nowhere" does not exist`)
	b.fails("INSERT INTO t VALUES (3); COPY t FROM STDIN", 0, "have nobody to talk to")
	b.fails("INSERT INTO t VALUES (3); COPY t TO STDOUT; INSERT INTO t VALUES (4)", 0, "have nobody to talk to")
	b.gives("SELECT count(*) FROM t", "2")
	for _, text := range []string{"COMMIT", "COMMIT; BEGIN", "COMMIT AND CHAIN", "ROLLBACK", "ROLLBACK; BEGIN", "ROLLBACK AND CHAIN", "COMMIT; SELECT 1/0", "COMMIT; BEGIN; SELECT 1/0"} {
		b.ends(text, true)
	}
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	b := onDatabase(t, "sqlite", filepath.Join(t.TempDir(), "a.db"), sqlguard.SQLite)
	b.gives(`CREATE TABLE t (id int, note text);
		CREATE TRIGGER twice AFTER INSERT ON t WHEN new.note IS NULL BEGIN INSERT INTO t VALUES (new.id, 'x;'); SELECT 1; END;
		INSERT INTO t (id) VALUES (1); /* ; */ SELECT id, note FROM t ORDER BY note; ;
		-- the end`, `1|\N 1|x;`)
	b.fails("INSERT INTO t VALUES (2, ';');\n\n  SELECT nowhere FROM t;", 3, "nowhere")
	b.gives(`SELECT 'it''s;', ";" /*/;*/ FROM (SELECT 1 AS [;], 2 AS "';", 3 AS "`+"`;`"+`"); SELECT 4 - -5 / 1 -- ';
		; SELECT 6`, "it's;|1 9 6")
	b.gives("SELECT length('"+strings.Repeat(";", 1<<21)+"')", "2097152") // which never ended while each was asked about
	b.fails("SELECT 1; SELECT 'open; SELECT 2;", 1, "unrecognized token")
	b.fails("INSERT OR ROLLBACK INTO t VALUES (2, ';'); CREATE TABLE t (id int)", 1, "already exists")
	b.gives("SAVEPOINT s; INSERT INTO t VALUES (9, 'y'); ROLLBACK TO s; RELEASE s; SELECT count(*) FROM t", "2")
	for _, text := range []string{
		"INSERT INTO t VALUES (3, 'z'); COMMIT", "INSERT INTO t VALUES (3, 'z'); END; BEGIN; INSERT INTO t VALUES (4, 'z')",
		"ROLLBACK", "ROLLBACK; INSERT INTO t VALUES (3, 'z'); BEGIN",
	} {
		b.ends(text, false)
		b.gives("SELECT count(*) FROM t", "2")
	}
	guardsTables(b, tableguard.SQLite)
}

// A guarded table refuses, whatever the mark of the script's own resource says.
func guardsTables(b bench, d tableguard.Dialect) {
	b.Helper()
	b.gives("CREATE TABLE guarded (id int)", "")
	tables := tableguard.On(b.db, d)
	if err := tables.Install(b.Context(), tableguard.Table{Name: "guarded", Lease: "job"}); err != nil {
		b.Fatal(err)
	}
	if _, err := tables.Establish(b.Context(), fence.Fence{Name: "job", Token: 5}); err != nil {
		b.Fatal(err)
	}
	b.gives("INSERT INTO guarded VALUES (1); SELECT count(*) FROM guarded", "1")
	w := Work{Text: "INSERT INTO guarded VALUES (2)", Resource: "another", Rule: guard.Latest, Establish: true,
		Write: guard.Write{Fence: fence.Fence{Name: "job", Token: 4}}}
	v, _, err := w.Run(b.Context(), b.db, b.dialect)
	if v.Cause != fence.Superseded || !errors.Is(err, fence.ErrRefused) {
		b.Errorf("an older term's script: %v, %v; want the table to refuse it", v, err)
	}
	b.gives("SELECT count(*) FROM guarded", "1")
}

func TestAScriptWithTooMuchToSayIsTakenBack(t *testing.T) {
	t.Parallel()
	b := onDatabase(t, "sqlite", filepath.Join(t.TempDir(), "a.db"), sqlguard.SQLite)
	_, err := b.run("CREATE TABLE t (id int); SELECT zeroblob(33554432); SELECT zeroblob(33554432)")
	if !errors.Is(err, ErrTooMuch) {
		t.Errorf("got %v", err)
	}
	b.gives("SELECT count(*) FROM sqlite_schema WHERE name = 't'", "0")
}
