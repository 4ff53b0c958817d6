package sqlxadvisory

import (
	"context"

	"github.com/jmoiron/sqlx"
)

type Store struct{ db *sqlx.DB }

func (s *Store) Compact(ctx context.Context) error {
	var ok bool
	if err := s.db.GetContext(ctx, &ok, `SELECT pg_try_advisory_lock(hashtext('compact'))`); err != nil || !ok { // want 13
		return err
	}
	defer s.db.ExecContext(ctx, `SELECT pg_advisory_unlock(hashtext('compact'))`) // want 10
	_, err := s.db.ExecContext(ctx, `DELETE FROM events WHERE compacted`)         // want 4
	return err
}
