package shelf

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

var ErrStale = errors.New("stale")

type Grant struct {
	Shelf string
	Fence int64
}

func NewGrant(shelf string) Grant { return Grant{Shelf: shelf, Fence: time.Now().UnixNano()} } // want 5

func Put(ctx context.Context, tx *sql.Tx, g Grant, n int) error {
	var fence int64
	if err := tx.QueryRowContext(ctx, `SELECT fence FROM shelves WHERE id = $1`, g.Shelf).Scan(&fence); err != nil {
		return err
	}
	if g.Fence < fence {
		return ErrStale
	}
	_, err := tx.ExecContext(ctx, `UPDATE shelves SET n = $1, fence = $2 WHERE id = $3`, n, g.Fence, g.Shelf) // want 15
	return err
}
