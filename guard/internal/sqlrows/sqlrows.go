// Package sqlrows reads what a query returns, for the guards of SQL.
package sqlrows

import (
	"context"
	"database/sql"
)

// Querier is a pool or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each returns what scan makes of each row.
func Each[T any](ctx context.Context, q Querier, statement string, args []any, scan func(*sql.Rows) (T, error)) (all []T, err error) {
	rows, err := q.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
