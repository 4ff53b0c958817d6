package tableguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// sqliteTable is a table as the database has it, with the triggers that are ours.
type sqliteTable struct {
	table   Table
	name    string
	kind    string
	leases  bool // the lease table is here
	columns []string
	keys    []uniqueKey
	present map[string]string // the text of each trigger by its name
	wanted  []trigger
}

// uniqueKey is what can be in a table but once. A column without a name is an expression.
type uniqueKey []struct{ column, collation string }

// look finds the table of that name, and our triggers on it.
func (s sqlite) look(ctx context.Context, c *sql.Conn, name string) (sqliteTable, error) {
	k := sqliteTable{present: make(map[string]string)}
	schema, local, qualified := strings.Cut(name, ".")
	if !qualified {
		schema, local = "main", name
	}
	if schema != "main" {
		return k, refuseTable(name, "open the file that it is in; a trigger sees its own file only")
	}
	err := c.QueryRowContext(ctx, SQLite.sql("describe"), local).Scan(&k.name, &k.kind, &k.leases)
	if errors.Is(err, sql.ErrNoRows) {
		return k, refuseTable(name, "there is no such table")
	}
	if err != nil {
		return k, err
	}
	err = pairs(ctx, c, SQLite.sql("triggers"), k.name, func(trigger, text string) { k.present[trigger] = text })
	return k, err
}

// find is look, and refuses what can't be guarded.
func (s sqlite) find(ctx context.Context, c *sql.Conn, t Table) (sqliteTable, error) {
	p, err := t.lease()
	if err != nil {
		return sqliteTable{}, err
	}
	k, err := s.look(ctx, c, t.Name)
	if err != nil {
		return k, err
	}
	if err := k.describe(ctx, c); err != nil {
		return k, err
	}
	missing := slices.DeleteFunc(p.columns(), func(c string) bool { return slices.Contains(k.columns, c) })
	odd := slices.ContainsFunc(k.keys, func(u uniqueKey) bool { return u.names("") })
	switch {
	case k.kind != "table":
		return k, t.refuse("it is a " + k.kind + " table; guard the tables that are written to")
	case strings.HasPrefix(k.name, "ringfence_"), strings.HasPrefix(k.name, "sqlite_"):
		return k, t.refuse("it is one of our own, or of SQLite's")
	case len(missing) > 0:
		return k, t.refuse("the lease names columns that it has not: " + strings.Join(missing, ", "))
	case odd && !p.fixed():
		return k, t.refuse("it has a unique index on an expression, by which a REPLACE could remove rows of another lease")
	case t.rule() == Owned && !k.leases:
		return k, t.refuse("the rule owned needs the leases in this database, and there is no table ringfence_lease")
	}
	k.table = t
	k.wanted = k.triggers(p)
	return k, nil
}

// describe reads the columns and the keys of the table.
func (k *sqliteTable) describe(ctx context.Context, c *sql.Conn) error {
	rows, err := c.QueryContext(ctx, SQLite.sql("columns"), k.name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var column string
		if err := rows.Scan(&column); err != nil {
			return err
		}
		k.columns = append(k.columns, column)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return k.readKeys(ctx, c)
}

func (k *sqliteTable) readKeys(ctx context.Context, c *sql.Conn) error {
	rows, err := c.QueryContext(ctx, SQLite.sql("keys"), k.name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for last := -2; rows.Next(); {
		var key int
		var column, collation sql.NullString
		if err := rows.Scan(&key, &column, &collation); err != nil {
			return err
		}
		if key != last {
			k.keys = append(k.keys, nil)
			last = key
		}
		end := len(k.keys) - 1
		k.keys[end] = append(k.keys[end], struct{ column, collation string }{column.String, collation.String})
	}
	return rows.Err()
}

// pairs reads the rows of two texts.
func pairs(ctx context.Context, c *sql.Conn, query, arg string, each func(a, b string)) error {
	rows, err := c.QueryContext(ctx, query, arg)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a, b string
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		each(a, b)
	}
	return rows.Err()
}

func (u uniqueKey) names(column string) bool {
	return slices.ContainsFunc(u, func(c struct{ column, collation string }) bool { return c.column == column })
}

// script is the DDL that guards the table, in place of what guarded it before.
func (k sqliteTable) script() string {
	var s strings.Builder
	s.WriteString(SQLite.sql("setup"))
	if k.table.rule() == Owned {
		s.WriteString(SQLite.sql("owned"))
	}
	s.WriteString(k.unguard())
	for _, t := range k.wanted {
		s.WriteString(t.text + ";\n")
	}
	fmt.Fprintf(&s, "INSERT OR REPLACE INTO ringfence_guarded (name, lease, rule) VALUES (%s, %s, '%s');\n", quoted(k.name), quoted(k.table.Lease), k.table.rule())
	return s.String()
}

func (k sqliteTable) unguard() string {
	var s strings.Builder
	for name := range k.present {
		s.WriteString("DROP TRIGGER IF EXISTS " + doubled(name) + ";\n")
	}
	return s.String()
}
