package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// records reads what the statements inspect, list and break show of a name.
func records(ctx context.Context, c *sql.Conn, statement string, args ...any) ([]driver.Record, error) {
	rows, err := c.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []driver.Record
	for rows.Next() {
		var r driver.Record
		var granted, expires, remaining int64
		if err := rows.Scan(&r.Name, &r.State, &r.Token, &r.Holder, &granted, &expires, &remaining, &r.EndedBy); err != nil {
			return nil, err
		}
		r.GrantedAt, r.ExpiresAt = moment(granted), moment(expires)
		r.Remaining = time.Duration(remaining) * time.Millisecond
		all = append(all, r)
	}
	return all, rows.Err()
}

// inspect reads one record; a name without one is free.
func inspect(ctx context.Context, b backend, c *sql.Conn, name string) (driver.Record, error) {
	statement, args := b.statement("inspect", name)
	found, err := records(ctx, c, statement, args...)
	if err != nil || len(found) == 0 {
		return driver.Record{Name: name, State: driver.Free}, err
	}
	return found[0], nil
}

func moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// identity scans what the statement store shows, but for the floor's bounds.
func scanIdentity(row *sql.Row) (driver.Identity, error) {
	var id driver.Identity
	var changed int64
	if err := row.Scan(&id.Current, &id.Previous, &changed, &id.Floor); err != nil {
		return driver.Identity{}, err
	}
	if changed != 0 {
		id.ChangedAt = moment(changed)
	}
	return id, nil
}
