package redsyncsafe

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
)

func Save(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id string, body []byte, fence int64) (err error) {
	m := rs.NewMutex("save:"+id, redsync.WithExpiry(30*time.Second))
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := m.LockContext(ctx); err != nil {
		return err
	}
	defer func() {
		if ok, uerr := m.UnlockContext(context.WithoutCancel(ctx)); !ok || uerr != nil {
			err = errors.Join(err, errors.New("lock lost"), uerr)
		}
	}()
	res, err := db.ExecContext(ctx, "UPDATE docs SET body = $1, fence = $2 WHERE id = $3 AND fence < $2", body, fence, id)
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n != 1 {
		return errors.New("stale")
	}
	return nil
}
