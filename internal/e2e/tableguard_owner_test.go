package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// TestTableGuardTakesNothingOfOthersForItsOwn refuses a schema, a function or a table that
// somebody made before the guard, and takes what a role that is trusted has made.
func TestTableGuardTakesNothingOfOthersForItsOwn(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	stranger := fmt.Sprintf("stranger_%d", time.Now().UnixNano())
	d.must("CREATE ROLE "+stranger, "CREATE SCHEMA ringfence AUTHORIZATION "+stranger)
	t.Cleanup(func() { _, _ = d.Exec("DROP OWNED BY " + stranger + "; DROP ROLE " + stranger) })
	install := func(what string) {
		t.Helper()
		for _, err := range []error{
			d.on().Install(t.Context(), tableguard.Table{Name: "report", Lease: "nightly"}),
			d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "report"}),
		} {
			if what == "" && err != nil || what != "" && (err == nil || !strings.Contains(err.Error(), what+" is of "+stranger)) {
				t.Errorf("%v; want a refusal of %q", err, what)
			}
		}
	}
	install("the schema ringfence")
	d.must("ALTER SCHEMA ringfence OWNER TO CURRENT_USER")
	for what, make := range map[string]string{
		"the function ringfence.guard_lock(text)": "CREATE FUNCTION ringfence.guard_lock(bound text) RETURNS bigint LANGUAGE sql AS 'SELECT 1'; ALTER FUNCTION ringfence.guard_lock OWNER TO " + stranger,
		"the relation ringfence.guard_mark":       "CREATE TABLE ringfence.guard_mark (); ALTER TABLE ringfence.guard_mark OWNER TO " + stranger,
		"the relation ringfence.lease":            "CREATE VIEW ringfence.lease AS SELECT 1; ALTER VIEW ringfence.lease OWNER TO " + stranger,
	} {
		d.must(make)
		install(what)
		d.must("DROP OWNED BY " + stranger)
	}
	d.must("ALTER SCHEMA ringfence OWNER TO "+stranger, "ALTER TABLE report OWNER TO "+stranger)
	if err := d.on().Install(t.Context(), tableguard.Table{Name: "report", Lease: "nightly"}); err != nil {
		t.Errorf("%v; want the owner of the table to be trusted with it", err)
	}
	if err := d.on().RequireSigned(t.Context(), tableguard.Signed{Table: "report"}); err == nil {
		t.Error("the owner of a table is trusted with the signatures that it demands")
	}
	d.must("ALTER TABLE report OWNER TO CURRENT_USER", "DROP SCHEMA ringfence CASCADE", "CREATE SCHEMA ringfence AUTHORIZATION "+stranger, fmt.Sprintf("DO $$ BEGIN EXECUTE format('GRANT %s TO %%I', current_user); END $$", stranger))
	install("")
}

// TestTableGuardRunsNothingOfOthers installs where operators lie in public that fit better than
// PostgreSQL's own: they would run with the rights of whoever installs.
func TestTableGuardRunsNothingOfOthers(t *testing.T) {
	t.Parallel()
	d := newTables(t)
	for left, rights := range map[string][]string{"text ||": {"integer", "name", "regclass", "regprocedure"}, "smallint &": {"integer"}} {
		kind, operator, _ := strings.Cut(left, " ")
		for _, right := range rights {
			d.must(fmt.Sprintf("CREATE FUNCTION public.grab(%[1]s, %[2]s) RETURNS %[1]s LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''grabbed''; END'", kind, right),
				fmt.Sprintf("CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.grab)", operator, kind, right))
		}
	}
	d.must("CREATE TABLE item (shop text) PARTITION BY LIST (shop)", "CREATE TABLE item_a PARTITION OF item FOR VALUES IN ('a')")
	for _, table := range []string{"report", "item"} {
		d.guard(tableguard.Table{Name: table, Lease: "nightly"})
		if err := d.on().RequireSigned(t.Context(), tableguard.Signed{Table: table}); err != nil {
			t.Error(err)
		}
	}
	if err := d.on().Install(t.Context(), tableguard.Table{Name: "item_a", Lease: "nightly"}); err == nil || !strings.Contains(err.Error(), "it is a partition") {
		t.Errorf("a partition: %v", err)
	}
	_, err1 := d.on().List(t.Context())
	_, err2 := d.on().SignedTables(t.Context())
	if err := errors.Join(err1, err2, d.on().Remove(t.Context(), "report")); err != nil {
		t.Error(err)
	}
	var loose string
	const look = `SELECT coalesce(string_agg(oid::regprocedure::text, ', '), '') FROM pg_proc
		WHERE pronamespace = 'ringfence'::regnamespace AND prosecdef AND NOT 'search_path=pg_catalog, pg_temp' = ANY (coalesce(proconfig, '{}'))`
	if err := d.QueryRow(look).Scan(&loose); err != nil || loose != "" {
		t.Errorf("functions look up names where their callers say: %s, %v", loose, err)
	}
}
