package e2e

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

// TestSQLGuardTransactionEndedByAStatement: in SQLite a statement can end the
// transaction behind the back of database/sql, and what follows is committed on
// its own. The commit then fails, and that does not mean that nothing is applied.
func TestSQLGuardTransactionEndedByAStatement(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"commit":      "COMMIT",
		"rollback":    "ROLLBACK",
		"or rollback": "INSERT OR ROLLBACK INTO report (day, body) VALUES (-1, 'unwritable')", // fails, which the function hides
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := guardedSQLite(t)
			ctx, day := t.Context(), g.day(t, nil)
			gd, err := sqlguard.New(g.dialect, "report", guard.Latest, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := gd.Establish(ctx, g.DB, job(7)); err != nil {
				t.Fatal(err)
			}
			v, err := gd.InTx(ctx, g.DB, guard.Write{Fence: job(7)}, func(tx *sql.Tx) error {
				_, _ = tx.ExecContext(ctx, end)
				return g.put(ctx, tx, day, "outside of the transaction")
			})
			if !errors.Is(err, guard.ErrUnknown) || v.Outcome != fence.Unknown || strings.Contains(err.Error(), "nothing is applied") {
				t.Errorf("got %v (error %v); want unknown", v, err)
			}
			if !strings.Contains(err.Error(), "leave commit and rollback to sqlguard") {
				t.Errorf("%v does not say what to do", err)
			}
			g.holds(t, day, "outside of the transaction")
		})
	}
}
