package sqlstore

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// direct executes a statement on the driver's own connection and gives each of
// its rows to scan. It does what sql.Conn.QueryContext does, without the goroutine
// that database/sql starts for each query and the wake-ups of threads which that
// costs: 70 microseconds of the 500 that a durable statement took.
func direct(ctx context.Context, c *sql.Conn, statement string, args []any, scan func([]sqldriver.Value) error) error {
	return c.Raw(func(conn any) error {
		if q, ok := conn.(sqldriver.QueryerContext); ok {
			rows, err := q.QueryContext(ctx, statement, named(args))
			if err == nil {
				return drain(rows, scan)
			}
			if !errors.Is(err, sqldriver.ErrSkip) {
				return err
			}
		}
		st, err := prepare(ctx, conn, statement)
		if err != nil {
			return err
		}
		defer st.Close()
		return execute(ctx, st, args, scan)
	})
}

// prepare prepares a statement on a driver's connection. Its owner closes it
// before the connection.
func prepare(ctx context.Context, conn any, statement string) (sqldriver.Stmt, error) {
	p, ok := conn.(sqldriver.ConnPrepareContext)
	if !ok {
		return nil, fmt.Errorf("the driver's %T takes no context", conn)
	}
	return p.PrepareContext(ctx, statement)
}

// execute is direct for a prepared statement.
func execute(ctx context.Context, st sqldriver.Stmt, args []any, scan func([]sqldriver.Value) error) error {
	q, ok := st.(sqldriver.StmtQueryContext)
	if !ok {
		return fmt.Errorf("the driver's %T takes no context", st)
	}
	rows, err := q.QueryContext(ctx, named(args))
	if err != nil {
		return err
	}
	return drain(rows, scan)
}

func named(args []any) []sqldriver.NamedValue {
	values := make([]sqldriver.NamedValue, len(args))
	for i, a := range args {
		values[i] = sqldriver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return values
}

// drain reads rows to the end, where a database commits and tells what went wrong.
func drain(rows sqldriver.Rows, scan func([]sqldriver.Value) error) error {
	values := make([]sqldriver.Value, len(rows.Columns()))
	for {
		err := rows.Next(values)
		if err == nil {
			err = scan(values)
		}
		if err == io.EOF {
			return rows.Close()
		}
		if err != nil {
			return errors.Join(err, rows.Close())
		}
	}
}

// asText and asInt read a value as one driver or another gives it.
func asText(v sqldriver.Value) string {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(v)
}

func asInt(v sqldriver.Value) (int64, error) {
	if n, ok := v.(int64); ok {
		return n, nil
	}
	return strconv.ParseInt(asText(v), 10, 64)
}

// scanAnswer reads the columns of an answer that follow whose it is: four, one more of an
// acquire, and two more of a wait.
func scanAnswer(row []sqldriver.Value) (answer, error) {
	if len(row) < 4 || len(row) > 6 {
		return answer{}, fmt.Errorf("an answer of %d columns", len(row))
	}
	var n [6]int64
	for i, v := range row {
		if i == 0 || i == 2 {
			continue
		}
		var err error
		if n[i], err = asInt(v); err != nil {
			return answer{}, err
		}
	}
	return answer{
		verdict: verdict(asText(row[0])), token: fence.Token(n[1]), holder: asText(row[2]),
		remaining: lasting(n[3]), ahead: int(n[4]), waited: lasting(n[5]),
	}, nil
}

func lasting(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
