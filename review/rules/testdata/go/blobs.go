package cases

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

type Store struct{ conn *pgx.Conn }

var errStale = errors.New("stale")

func (s *Store) Save(ctx context.Context, id, body string, token int64) error {
	var last int64
	if err := s.conn.QueryRow(ctx, "SELECT fencing_token FROM blobs WHERE id = $1", id).Scan(&last); err != nil {
		return err
	}
	if last > token {
		return errStale
	}
	_, err := s.conn.Exec(ctx, "UPDATE blobs SET body = $2, fencing_token = $3 WHERE id = $1", id, body, token) // want 15
	return err
}
