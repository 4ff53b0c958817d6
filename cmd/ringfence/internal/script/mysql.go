package script

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-sql-driver/mysql"
)

// onMySQL sends the whole text, which the server takes apart; the connection has to
// allow that. A savepoint shows afterwards whether the transaction has lasted.
func onMySQL(ctx context.Context, conn *sql.Conn, text string) ([]Result, error) {
	if _, err := conn.ExecContext(ctx, "SAVEPOINT ringfence_script"); err != nil {
		return nil, err
	}
	var r results
	rows, err := conn.QueryContext(ctx, text)
	if err == nil {
		err = r.read(rows)
	}
	_, lost := conn.ExecContext(ctx, "RELEASE SAVEPOINT ringfence_script")
	refused, isRefused := errors.AsType[*mysql.MySQLError](err)
	switch gone, ok := errors.AsType[*mysql.MySQLError](lost); {
	case isRefused && refused.Number == deadlock: // it has ended the transaction, and not the script
		return nil, err
	case ok && gone.Number == noSavepoint:
		return nil, &EndedError{Applied: true}
	case isRefused:
		return nil, &StatementError{Err: err} // whose text has the line
	}
	return r.all, errors.Join(err, lost)
}

// The numbers of MySQL's errors that say what became of the transaction.
const (
	deadlock    = 1213
	noSavepoint = 1305
)
