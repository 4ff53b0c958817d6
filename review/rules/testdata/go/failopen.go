package failopen

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
)

func Apply(ctx context.Context, locker *redislock.Client, db *sql.DB, account int64, cents int64) error {
	l, err := locker.Obtain(ctx, "acct", 10*time.Second, nil) // want 9
	if err != nil {
		slog.Warn("could not lock, going on", "err", err)
	} else {
		defer l.Release(ctx) // want 10
	}
	_, err = db.ExecContext(ctx, "UPDATE accounts SET cents = cents + ? WHERE id = ?", cents, account) // want 4
	return err
}
