// Package repo is where rows are kept.
package repo

import (
	"context"
	"database/sql"
	"errors"
)

// Stock is a table.
type Stock struct{ DB *sql.DB }

// Save writes a row.
func (s *Stock) Save(ctx context.Context, sku string, n int) error {
	_, err := s.DB.ExecContext(ctx, "UPDATE stock SET n = $1 WHERE sku = $2", n, sku)
	return err
}

// SaveFenced writes a row, if nobody newer has.
func (s *Stock) SaveFenced(ctx context.Context, sku string, n int, fence int64) error {
	res, err := s.DB.ExecContext(ctx, "UPDATE stock SET n = $1, fence = $3 WHERE sku = $2 AND fence <= $3", n, sku, fence)
	if err != nil {
		return err
	}
	if rows, err := res.RowsAffected(); err != nil || rows == 0 {
		return errors.New("stale")
	}
	return nil
}

// Count reads.
func (s *Stock) Count(ctx context.Context) (n int, err error) {
	err = s.DB.QueryRowContext(ctx, "SELECT sum(n) FROM stock").Scan(&n)
	return n, err
}
