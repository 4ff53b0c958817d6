package barge

import (
	"context"
	"database/sql"
	"errors"
)

var errOlder = errors.New("a newer holder was here")

type barges struct{ db *sql.DB }

func (b *barges) newest(ctx context.Context, barge string, fence int64) error {
	var stored int64
	if err := b.db.QueryRowContext(ctx, "SELECT fence FROM barges WHERE id = $1", barge).Scan(&stored); err != nil {
		return err
	}
	if fence < stored {
		return errOlder
	}
	return nil
}

func (b *barges) load(ctx context.Context, barge string, tons int, fence int64) error {
	if err := b.newest(ctx, barge, fence); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, "UPDATE barges SET tons = $2, fence = $3 WHERE id = $1", barge, tons, fence) // want 15
	return err
}
