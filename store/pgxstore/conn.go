package pgxstore

import (
	"context"
	sqldriver "database/sql/driver"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// conn is a connection on which a statement fails where the server calls it a success
// and warns that no standby may know of it: an administrator, or the end of a
// caller's context, has cancelled the wait for the synchronous ones. The store below
// takes that failure for a doubt.
type conn struct{ *stdlib.Conn }

func (c *conn) QueryContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	r, err := c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return &rows{r.(*stdlib.Rows), c}, nil
}

func (c *conn) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	result, err := c.Conn.ExecContext(ctx, query, args)
	if err == nil {
		err = c.warning()
	}
	return result, err
}

// rows are complete, and committed, when they are closed.
type rows struct {
	*stdlib.Rows
	conn *conn
}

func (r *rows) Close() error {
	if err := r.Rows.Close(); err != nil {
		return err
	}
	return r.conn.warning()
}

// warning returns what the server warned of since it was asked last.
func (c *conn) warning() error {
	data := c.Conn.Conn().PgConn().CustomData()
	n, ok := data[warned].(*pgconn.Notice)
	if !ok {
		return nil
	}
	delete(data, warned)
	return fmt.Errorf("committed, and maybe on this server alone: %s", n.Message)
}

const warned = "ringfence: not replicated"

// noteWarning keeps a notice that comes from where the server waits for standbys. Its
// text may be in any language; the name of the routine is not.
func noteWarning(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		c.CustomData()[warned] = n
	}
}
