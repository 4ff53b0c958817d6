package tableguard

import (
	"context"
	"database/sql"
	_ "embed"
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

//go:embed postgres/refusals.sql
var refusals string

// Refusals returns the counts of the last 32 days, oldest first. They outlive the
// transactions that were rolled back, so a refusal counts whatever its program did
// then. It needs the right to read the sequences of the schema ringfence.
func Refusals(ctx context.Context, db *sql.DB) ([]Refused, error) {
	rows, err := db.QueryContext(ctx, refusals)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Refused
	for rows.Next() {
		var r Refused
		var cause string
		if err := rows.Scan(&r.Day, &cause, &r.Count); err != nil {
			return nil, err
		}
		for _, c := range fence.Causes() {
			if c.String() == cause {
				r.Cause = c
			}
		}
		all = append(all, r)
	}
	return all, rows.Err()
}
