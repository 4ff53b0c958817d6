package script

import (
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Result is what one statement returns: rows of texts as the database writes them,
// nil for NULL. Bytes that are no UTF-8 are written as \x and hexadecimal digits.
type Result struct {
	Columns []string    `json:"columns"`
	Rows    [][]*string `json:"rows"`
}

// MaxBytes is the most that the results of a script have: they are kept until the
// commit, so that nobody goes on with what is rolled back.
const MaxBytes = 64 << 20

// ErrTooMuch ends a script whose results are larger than that. Nothing is applied.
var ErrTooMuch = fmt.Errorf("the results of the script are larger than %d MiB, and are kept until the commit; have it return less", MaxBytes>>20)

// results collects them.
type results struct {
	all  []Result
	size int
}

func (r *results) begin(columns []string) {
	r.all = append(r.all, Result{Columns: columns, Rows: [][]*string{}})
}

// add adds a row to the last result; a nil value is NULL.
func (r *results) add(values [][]byte) error {
	row := make([]*string, len(values))
	for i, v := range values {
		if v == nil {
			continue
		}
		text := readable(v)
		row[i] = &text
		r.size += len(text)
	}
	if r.size += 16 * len(row); r.size > MaxBytes {
		return ErrTooMuch
	}
	last := &r.all[len(r.all)-1]
	last.Rows = append(last.Rows, row)
	return nil
}

func readable(v []byte) string {
	if utf8.Valid(v) {
		return string(v)
	}
	return `\x` + hex.EncodeToString(v)
}

// read adds every result set of rows, and closes them.
func (r *results) read(rows *sql.Rows) error {
	defer rows.Close()
	for more := true; more; more = rows.NextResultSet() {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		if len(columns) == 0 { // no query
			continue
		}
		r.begin(columns)
		values := make([][]byte, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		for rows.Next() {
			if err := errors.Join(rows.Scan(targets...), r.add(values)); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return rows.Err()
}
