package tolls

import (
	"context"
	"database/sql"

	"github.com/go-redsync/redsync/v4"
)

type barrier interface {
	LockContext(context.Context) error
	UnlockContext(context.Context) (bool, error)
}

type Barriers func(road string) barrier

func New(rs *redsync.Redsync) Barriers {
	return func(road string) barrier { return rs.NewMutex("toll/" + road) }
}

type Booth struct {
	barriers Barriers
	db       *sql.DB
}

func (b *Booth) Raise(ctx context.Context, road string) error {
	l := b.barriers(road)
	if err := l.LockContext(ctx); err != nil { // want 14
		return err
	}
	defer l.UnlockContext(ctx)                                                           // want 10
	_, err := b.db.ExecContext(ctx, "UPDATE tolls SET open = true WHERE road = ?", road) // want 4
	return err
}
