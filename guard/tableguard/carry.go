package tableguard

import (
	"context"
	"crypto/rand"
	"database/sql"
	sqldriver "database/sql/driver"
	"fmt"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
)

// carryPostgres hands a write to a transaction, and to nothing after it.
const carryPostgres = `SELECT set_config('ringfence.fence', $1, true), set_config('ringfence.seq', $2, true), set_config('ringfence.key', $3, true),
	set_config('ringfence.establish', 'off', true)`

// layDownMySQL takes it from the session.
const layDownMySQL = "SET @ringfence_fence = NULL, @ringfence_seq = NULL, @ringfence_key = NULL, @ringfence_write = NULL"

// Carry hands w to a transaction that has just begun, for the tables that it writes to.
// [DB.InTx] does, and sees to the rest; it is for a transaction that something else runs.
// In SQLite the connection has to enforce foreign keys. Call [Dialect.LayDown] before
// the commit, and where MySQL's connection is used again, also after a rollback.
func (d Dialect) Carry(ctx context.Context, tx *sql.Tx, w guard.Write) (err error) {
	f := w.Fence.String()
	switch d {
	case Postgres:
		_, err = tx.ExecContext(ctx, carryPostgres, f, strconv.FormatUint(w.Seq, 10), w.Key)
	case MySQL: // A name tells the statements of this write from those of a later transaction.
		_, err = tx.ExecContext(ctx, fmt.Sprintf("SET @ringfence_fence = %s, @ringfence_seq = %d, @ringfence_key = %s, @ringfence_write = %s",
			hexed(f), w.Seq, hexed(w.Key), hexed(rand.Text())))
	case SQLite:
		_, err = tx.ExecContext(ctx, SQLite.sql("carry"), f, int64(w.Seq), w.Key)
	default:
		err = d.check()
	}
	return err
}

// LayDown ends [Dialect.Carry].
func (d Dialect) LayDown(ctx context.Context, tx *sql.Tx) (err error) {
	switch d {
	case Postgres: // ends with the transaction
	case MySQL:
		_, err = tx.ExecContext(ctx, layDownMySQL)
	case SQLite:
		_, err = tx.ExecContext(ctx, SQLite.sql("lay_down"))
	default:
		err = d.check()
	}
	return err
}

// transaction is one that carries a write, on a connection of its own. It is for one
// goroutine.
type transaction struct {
	*sql.Tx
	dialect Dialect
	conn    *sql.Conn
	free    bool // what was set on the connection is to be undone
	deaf    bool // a commit waits for its answer still, and holds the connection
}

// begin opens a transaction that carries w.
func (d *DB) begin(ctx context.Context, w guard.Write, level sql.IsolationLevel) (*transaction, error) {
	c, err := d.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	t := &transaction{dialect: d.dialect, conn: c}
	if err = t.prepare(ctx); err == nil {
		t.Tx, err = c.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	}
	if err == nil {
		err = d.dialect.Carry(ctx, t.Tx, w)
	}
	if err != nil {
		t.end(ctx)
		return nil, err
	}
	return t, nil
}

// layDown takes the write from the transaction, before its commit.
func (t *transaction) layDown(ctx context.Context) error {
	err := t.dialect.LayDown(ctx, t.Tx)
	if err == nil && t.dialect == MySQL {
		t.free = false
	}
	return err
}

func (t *transaction) commit(ctx context.Context) error {
	if t.dialect != MySQL {
		return t.Commit()
	}
	err := sqlfault.Commit(ctx, t.Tx)
	t.deaf = err != nil && ctx.Err() != nil
	return err
}

// prepare has SQLite enforce foreign keys: what a transaction carries is a row that
// refers to none, so that it can't be committed.
func (t *transaction) prepare(ctx context.Context) error {
	if t.dialect != SQLite {
		t.free = t.dialect == MySQL
		return nil
	}
	var on bool
	if err := t.conn.QueryRowContext(ctx, "PRAGMA foreign_keys").Scan(&on); err != nil || on {
		return err
	}
	t.free = true
	_, err := t.conn.ExecContext(ctx, "PRAGMA foreign_keys = ON")
	return err
}

// end rolls back what is not committed, and hands the connection back as it was.
func (t *transaction) end(ctx context.Context) {
	if t.deaf {
		t.deaf = false
		go t.end(ctx)
		return
	}
	if t.Tx != nil {
		_ = t.Rollback()
	}
	if t.free {
		undo := layDownMySQL
		if t.dialect == SQLite {
			undo = "PRAGMA foreign_keys = OFF"
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if _, err := t.conn.ExecContext(ctx, undo); err != nil {
			discard(t.conn)
		}
	}
	_ = t.conn.Close()
}

// observe completes a refusal of SQLite, whose texts hold no number, by what the
// transaction still sees: no other can have changed it.
func (t *transaction) observe(ctx context.Context, f fence.Fence, v *fence.Verdict) {
	if t.dialect != SQLite || v.Outcome != fence.Refused {
		return
	}
	var mark int64
	if t.QueryRowContext(ctx, SQLite.sql("observe"), f.Name).Scan(&mark) == nil {
		v.Mark = fence.Token(mark)
	}
}

// discard closes a connection, instead of handing it back to its pool as it is.
func discard(c *sql.Conn) {
	_ = c.Raw(func(any) error { return sqldriver.ErrBadConn })
}
