package tableguard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Refused counts the refusals of one cause on one day, in UTC, by all guarded tables of
// a database.
type Refused struct {
	Day   time.Time   `json:"day"`
	Cause fence.Cause `json:"cause"`
	Count int64       `json:"count"`
}

// Refusals returns the counts of the last 32 days, oldest first. They outlive the
// transactions that were rolled back, so a refusal counts whatever its program did
// then. It needs the right to read the sequences of the schema ringfence. MySQL and
// SQLite have nothing that outlives a rollback and is in nobody's way: there the error
// matches errors.ErrUnsupported.
func (d *DB) Refusals(ctx context.Context) ([]Refused, error) {
	if err := d.dialect.check(); err != nil {
		return nil, err
	}
	if d.dialect != Postgres {
		return nil, fmt.Errorf("counts of refusals in %s: %w: a refusal rolls them back; look at the errors of the programs", d.dialect, errors.ErrUnsupported)
	}
	if present, err := d.present(ctx); err != nil || !present {
		return nil, err
	}
	rows, err := d.db.QueryContext(ctx, d.dialect.sql("refusals"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Refused
	for rows.Next() {
		var r Refused
		var day int64
		var cause string
		if err := rows.Scan(&day, &cause, &r.Count); err != nil {
			return nil, err
		}
		r.Day = time.Unix(day*24*60*60, 0).UTC()
		r.Cause = causeOf(cause)
		all = append(all, r)
	}
	return all, rows.Err()
}

// causeOf is the cause of that name, or no cause.
func causeOf(name string) fence.Cause {
	for _, c := range fence.Causes() {
		if c.String() == name {
			return c
		}
	}
	return fence.NoCause
}
