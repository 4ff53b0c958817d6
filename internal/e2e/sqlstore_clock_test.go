package e2e

import (
	"database/sql"
	sqldriver "database/sql/driver"
	"path/filepath"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

const ahead = 70 * 365 * 24 * time.Hour // beyond the last moment that has a token

// aheadOfTokens is SQLite with a clock of its own.
var aheadOfTokens = &sqlite.Driver{}

func init() {
	aheadOfTokens.MustRegisterScalarFunction("unixepoch", 1,
		func(*sqlite.FunctionContext, []sqldriver.Value) (sqldriver.Value, error) {
			return float64(time.Now().Add(ahead).UnixMilli()) / 1000, nil
		})
	sql.Register("sqlite with a clock ahead of all tokens", aheadOfTokens)
}

// TestClockBeyondTheLastToken grants one name under the right clock, and then asks
// under one that has no number left.
func TestClockBeyondTheLastToken(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "leases.db")
		late, err := sql.Open("sqlite with a clock ahead of all tokens", "file:"+path)
		if err != nil {
			t.Fatal(err)
		}
		defer late.Close()
		beyondTheLastToken(t, sqlstore.SQLite, openSQLite(t, path), late)
	})
	t.Run("postgres", func(t *testing.T) {
		address := realserver.SharedPostgres(t)
		right := openPostgres(t, address)
		mustExec(t, right, `CREATE SCHEMA ahead; CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz
			LANGUAGE sql VOLATILE AS $$ SELECT pg_catalog.clock_timestamp() + interval '25550 days' $$`)
		beyondTheLastToken(t, sqlstore.Postgres, right, openPostgres(t, address, "search_path=ahead,pg_catalog"))
	})
}

func beyondTheLastToken(t *testing.T, d sqlstore.Dialect, right, late *sql.DB) {
	s, wrong := mustOpen(t, right, d, nil), mustOpen(t, late, d, nil)
	used := mustAcquire(t, s, "used")
	if err := s.Release(t.Context(), used); err != nil {
		t.Fatal(err)
	}
	noToken := func(name string) {
		t.Helper()
		_, err := wrong.Acquire(t.Context(), request(name))
		wantError(t, err, driver.ErrUnfit, "no token is left")
	}
	noToken("used")
	noToken("fresh")
	_, err := wrong.Raise(t.Context(), used.Token)
	wantError(t, err, driver.ErrUnfit, "no token is left")

	mustExec(t, right, "UPDATE "+table(d, "store")+" SET identity = 'another'")
	noToken("fresh")
	// Nothing of it stays once the clock is right.
	for _, name := range []string{"used", "fresh"} {
		if term := mustAcquire(t, s, name); term.Token <= used.Token {
			t.Errorf("%s: token %s after %s", name, term.Token, used.Token)
		}
	}
}
