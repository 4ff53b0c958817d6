package fencedsafe

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

var errSuperseded = errors.New("superseded")

const acquire = `INSERT INTO leases (name, owner, token, expires_at)
VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 second')
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, token = leases.token + 1, expires_at = excluded.expires_at
WHERE leases.expires_at < clock_timestamp()
RETURNING token`

func Publish(ctx context.Context, db *sql.DB, owner, doc, body string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var token int64
	if err := db.QueryRowContext(ctx, acquire, "publish/"+doc, owner, 30).Scan(&token); err != nil {
		return err
	}
	res, err := db.ExecContext(ctx, `UPDATE docs SET body = $1, token = $2 WHERE id = $3 AND token <= $2`, body, token, doc)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errSuperseded, err)
	}
	return nil
}
