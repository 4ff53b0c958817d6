package cases

import (
	"context"
	"database/sql"
	"math/rand/v2"

	"github.com/google/uuid"
)

const raise = `UPDATE shelves SET n = $1, epoch = $2 WHERE id = $3 AND epoch <= $2`

func restock(ctx context.Context, db *sql.DB, shelf, n int) error {
	epoch := rand.Int64() // want 5
	_, err := db.ExecContext(ctx, raise, n, epoch, shelf)
	return err
}

type granter interface {
	Grant(ctx context.Context, name string) int64
}

type counter struct {
	scope string
	store granter
}

// recount has a random name, and its number from the store.
func recount(ctx context.Context, db *sql.DB, store granter, shelf, n int) error {
	c := &counter{scope: uuid.NewString(), store: store}
	fence := c.grant(ctx)
	_, err := db.ExecContext(ctx, `UPDATE counts SET n = $1, fence = $2 WHERE id = $3 AND fence <= $2`, n, fence, shelf)
	return err
}

func (c *counter) grant(ctx context.Context) int64 { return c.store.Grant(ctx, c.scope) }
