package imports

import (
	"context"
	"database/sql"
	"time"
)

type Importer struct{ DB *sql.DB }

func (i *Importer) exclusively(ctx context.Context, k int64, f func(context.Context, *sql.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c, err := i.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, k); err != nil {
		return err
	}
	if err := f(ctx, c); err != nil {
		return err
	}
	var ok bool
	if err := c.QueryRowContext(ctx, `SELECT pg_advisory_unlock($1)`, k).Scan(&ok); err != nil || !ok {
		return err
	}
	return nil
}
