package berths

import (
	"context"
	"database/sql"
	"time"
)

type Quay struct {
	db *sql.DB
	me string
}

func (q *Quay) Moor(ctx context.Context, berth int) (bool, error) {
	res, err := q.db.ExecContext(ctx,
		`UPDATE berths SET vessel = $1, sails = $2 WHERE id = $3 AND (vessel IS NULL OR sails < $4)`,
		q.me, time.Now().Add(time.Minute), berth, time.Now()) // want 6
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

func (q *Quay) Cast(ctx context.Context, berth int) error {
	_, err := q.db.ExecContext(ctx, `UPDATE berths SET vessel = NULL WHERE id = $1`, berth) // want 1
	return err
}
