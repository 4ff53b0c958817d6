package payrun

import (
	"context"
	"database/sql"
	"time"

	"github.com/go-redsync/redsync/v4"
)

func Run(ctx context.Context, rs *redsync.Redsync, db *sql.DB, month string) error {
	m := rs.NewMutex("payrun:"+month, redsync.WithExpiry(8*time.Second))
	if err := m.LockContext(ctx); err != nil { // want 14
		return err
	}
	defer m.Unlock()                                                                           // want 10
	_, err := db.ExecContext(ctx, "UPDATE payruns SET state = 'paid' WHERE month = $1", month) // want 4
	return err
}
