package history

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

// audited notes each change of the lease table, by a trigger, in the order in
// which the database makes them: what the store itself saw.
func audited(t *testing.T, d system.Database) {
	t.Helper()
	d.Exec(t, system.Pick(d,
		`CREATE TABLE audit (id bigserial PRIMARY KEY, name text, token bigint, state text, granted_at bigint, expires_at bigint)`,
		`CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, token INTEGER, state TEXT, granted_at INTEGER, expires_at INTEGER)`))
	if d.Postgres {
		d.Exec(t, `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				INSERT INTO audit (name, token, state, granted_at, expires_at) VALUES (NEW.name, NEW.token, NEW.state,
					extract(epoch FROM NEW.granted_at) * 1000000, extract(epoch FROM NEW.expires_at) * 1000000);
				RETURN NEW;
			END $$`,
			`CREATE TRIGGER note AFTER INSERT OR UPDATE ON ringfence.lease FOR EACH ROW EXECUTE FUNCTION note()`)
		return
	}
	for _, event := range []string{"INSERT", "UPDATE"} {
		d.Exec(t, `CREATE TRIGGER note_`+event+` AFTER `+event+` ON ringfence_lease BEGIN
			INSERT INTO audit (name, token, state, granted_at, expires_at)
			VALUES (NEW.name, NEW.token, NEW.state, NEW.granted_at, NEW.expires_at); END`)
	}
}

// change is one row of the audit: a state of a term. Times are the store's own.
type change struct {
	token            int64
	state            string
	granted, expires int64
}

// oneLiveTerm checks the audit of a name: a term begins with a higher token, and
// not before the one before it has ended.
func oneLiveTerm(changes []change) error {
	for i := 1; i < len(changes); i++ {
		before, now := changes[i-1], changes[i]
		switch {
		case now.token < before.token:
			return fmt.Errorf("token %d came after %d", now.token, before.token)
		case now.token == before.token && (before.state != "held" || now.granted != before.granted):
			return fmt.Errorf("the term %+v went on as %+v", before, now)
		case now.token > before.token && before.state == "held" && now.granted < before.expires:
			return fmt.Errorf("two live terms: %+v was granted while %+v lasted", now, before)
		}
	}
	return nil
}

func readAudit(t *testing.T, db *sql.DB, name string) (all []change) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT token, state, granted_at, expires_at FROM audit WHERE name = '`+name+`' ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c change
		if err := rows.Scan(&c.token, &c.state, &c.granted, &c.expires); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestOneLiveTermBites: the check finds an early grant, a falling token and a
// term that goes on after its end.
func TestOneLiveTermBites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		changes []change
		ok      bool
	}{
		"in turn":      {[]change{{1, "held", 0, 5}, {1, "held", 0, 9}, {2, "held", 9, 12}, {2, "released", 9, 10}, {3, "held", 11, 20}}, true},
		"early":        {[]change{{1, "held", 0, 5}, {1, "held", 0, 9}, {2, "held", 6, 12}}, false},
		"falling":      {[]change{{2, "held", 0, 5}, {1, "held", 6, 9}}, false},
		"revived":      {[]change{{1, "released", 0, 5}, {1, "held", 0, 9}}, false},
		"granted anew": {[]change{{1, "held", 0, 5}, {1, "held", 6, 9}}, false},
	} {
		if err := oneLiveTerm(c.changes); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
