package p

import (
	"context"
	"database/sql"
)

type K struct {
	db   *sql.DB
	self string
}

func (k *K) holder(ctx context.Context) (who string, err error) {
	err = k.db.QueryRowContext(ctx, "SELECT holder FROM job_lock WHERE name = 'compact'").Scan(&who)
	return who, err
}

func (k *K) Audit(ctx context.Context) error {
	who, err := k.holder(ctx)
	if err != nil {
		return err
	}
	if who == "" {
		return nil
	}
	_, err = k.db.ExecContext(ctx, "INSERT INTO audit (who) VALUES ($1)", who)
	return err
}
