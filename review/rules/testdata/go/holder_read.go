package p

import (
	"context"
	"database/sql"
	"errors"
)

type K struct {
	db   *sql.DB
	self string
}

func (k *K) holder(ctx context.Context) (who string, err error) {
	err = k.db.QueryRowContext(ctx, "SELECT holder FROM job_lock WHERE name = 'compact'").Scan(&who)
	return who, err
}

func (k *K) Write(ctx context.Context, n int) error {
	who, err := k.holder(ctx)
	if err != nil {
		return err
	}
	if who != k.self {
		return errors.New("lost")
	}
	_, err = k.db.ExecContext(ctx, "UPDATE totals SET n = $1", n) // want 12
	return err
}
