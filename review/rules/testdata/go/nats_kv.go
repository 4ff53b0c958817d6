package pier

import (
	"context"
	"database/sql"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

type Pier struct {
	kv jetstream.KeyValue
	db *sql.DB
}

func (p *Pier) Dock(ctx context.Context, ship string) error {
	_, err := p.kv.Create(ctx, "dock."+ship, []byte("taken"))
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil
	}
	if err != nil {
		return err
	}
	defer p.kv.Delete(context.Background(), "dock."+ship)                             // want 1
	_, err = p.db.ExecContext(ctx, "UPDATE ships SET berth = 1 WHERE name = ?", ship) // want 4
	return err
}
