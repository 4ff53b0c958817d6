package script

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/stdlib"
)

// onPostgres sends the whole text as one message of the simple protocol, which the
// server takes apart. A setting of this transaction alone shows afterwards whether it
// has lasted.
func onPostgres(ctx context.Context, conn *sql.Conn, text string) ([]Result, error) {
	nonce := rand.Text()
	if _, err := conn.ExecContext(ctx, `SELECT set_config('ringfence.script', $1, true)`, nonce); err != nil {
		return nil, err
	}
	var run postgresRun
	err := conn.Raw(func(raw any) error {
		c, ok := raw.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the connection is a %T: want one of pgx", raw)
		}
		return run.exchange(ctx, c.Conn().PgConn(), text)
	})
	if run.committed || run.status == 'I' {
		return nil, &EndedError{Applied: true}
	}
	if err != nil {
		return nil, err
	}
	var lasted bool
	const look = `SELECT coalesce(current_setting('ringfence.script', true) = $1, false)`
	if err := conn.QueryRowContext(ctx, look, nonce).Scan(&lasted); err != nil {
		return nil, err
	}
	if !lasted {
		return nil, &EndedError{Applied: true}
	}
	return run.all, nil
}

// postgresRun is a script that is being run.
type postgresRun struct {
	results
	committed bool
	status    byte // of the transaction, when the server is done
	fault     error
}

// exchange sends the text, and reads until the server is ready for another one. pgconn's
// own reader waits for ever at a COPY, so the messages are read here.
func (r *postgresRun) exchange(ctx context.Context, c *pgconn.PgConn, text string) error {
	c.Frontend().SendQuery(&pgproto3.Query{String: text})
	if err := c.Frontend().Flush(); err != nil {
		return err
	}
	for {
		message, err := c.ReceiveMessage(ctx)
		if err != nil {
			_ = c.Conn().Close() // nobody may read on in the middle of an answer
			return errors.Join(r.fault, err)
		}
		if ready, done := message.(*pgproto3.ReadyForQuery); done {
			r.status = ready.TxStatus
			return r.fault
		}
		if err := r.take(c, message, text); err != nil {
			return err
		}
	}
}

var errCopy = errors.New("COPY FROM STDIN and COPY TO STDOUT have nobody to talk to here; use INSERT and SELECT, or a file of the server")

func (r *postgresRun) take(c *pgconn.PgConn, message pgproto3.BackendMessage, text string) error {
	switch m := message.(type) {
	case *pgproto3.ErrorResponse:
		r.fail(statementError(m, text))
	case *pgproto3.RowDescription:
		columns := make([]string, len(m.Fields))
		for i, f := range m.Fields {
			columns[i] = string(f.Name)
		}
		r.begin(columns)
	case *pgproto3.DataRow:
		r.fail(r.add(m.Values))
	case *pgproto3.CommandComplete:
		tag := string(m.CommandTag)
		r.committed = r.committed || tag == "COMMIT" || tag == "PREPARE TRANSACTION"
	case *pgproto3.CopyInResponse:
		r.fail(&StatementError{Err: errCopy})
		c.Frontend().Send(&pgproto3.CopyFail{Message: "no input"})
		return c.Frontend().Flush()
	case *pgproto3.CopyOutResponse:
		r.fail(&StatementError{Err: errCopy})
	}
	return nil
}

// fail keeps the first failure; the server goes on to the end of what it was sent.
func (r *postgresRun) fail(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

func statementError(m *pgproto3.ErrorResponse, text string) error {
	e := pgconn.ErrorResponseToPgError(m)
	return &StatementError{Line: lineAt(text, int(e.Position)), Err: e}
}
