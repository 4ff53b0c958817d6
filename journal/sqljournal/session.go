package sqljournal

import (
	"context"
	"database/sql"
)

// A session of MySQL's may be one that does not commit by itself: what it adds is then
// there for nobody else, and what it reads is as old as its transaction. It is given back
// as it was.

// exec executes the statement in the file of that name, and commits.
func (j *Journal) exec(ctx context.Context, name string, args ...any) error {
	statement, args := j.dialect.statement(name, args...)
	if j.dialect != MySQL {
		_, err := j.db.ExecContext(ctx, statement, args...)
		return err
	}
	c, err := j.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err = c.ExecContext(ctx, statement); err == nil {
		_, err = c.ExecContext(ctx, "COMMIT") // that of a sql.Tx is deaf to the end of ctx
	}
	return err
}

// query gives each row of what the statement in the file of that name reads to scan.
func (j *Journal) query(ctx context.Context, scan func(*sql.Rows) error, name string, args ...any) error {
	statement, args := j.dialect.statement(name, args...)
	var session interface {
		QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	} = j.db
	if j.dialect == MySQL {
		tx, err := j.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // which ends one that may be open, and sees what was committed since
		if err != nil {
			return err
		}
		defer tx.Rollback()
		session = tx
	}
	rows, err := session.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
