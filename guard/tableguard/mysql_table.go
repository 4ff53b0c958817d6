package tableguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mysqlTable is a table as the database has it, with the triggers that are ours.
type mysqlTable struct {
	table   Table
	name    string
	kind    string
	engine  string
	columns map[string]bool // by name; true where the text depends on the session
	cascade string          // foreign keys that change its rows behind the triggers' back
	leases  bool            // the lease table is here
	present []string
	wanted  []trigger
}

// replaceTriggers are the steps from the triggers that are there to those that are
// wanted. The table is listed first, so that a guard that was cut off shows.
func (k mysqlTable) replaceTriggers() []string {
	steps := []string{k.register()}
	for _, trigger := range k.wanted {
		if !slices.Contains(k.present, trigger.name) {
			steps = append(steps, trigger.text)
		}
	}
	for _, name := range k.present {
		if !slices.Contains(k.names(), name) {
			steps = append(steps, "DROP TRIGGER IF EXISTS "+backticks(name))
		}
	}
	return steps
}

// names are those of the triggers that are wanted.
func (k mysqlTable) names() (all []string) {
	for _, t := range k.wanted {
		all = append(all, t.name)
	}
	return all
}

// unguard are the steps that take triggers away.
func (k mysqlTable) unguard(triggers []string) (steps []string) {
	for _, name := range triggers {
		steps = append(steps, "DROP TRIGGER IF EXISTS "+backticks(name))
	}
	return append(steps, "DELETE FROM ringfence_guarded WHERE name = "+hexed(k.name))
}

func (k mysqlTable) run(ctx context.Context, c *sql.Conn, steps []string) error {
	for _, s := range steps {
		if _, err := c.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("table %s: %w", backticks(k.name), explained(err))
		}
	}
	return nil
}

// look finds the table of that name, and our triggers on it.
func (m mysql) look(ctx context.Context, c *sql.Conn, name string) (mysqlTable, error) {
	k := mysqlTable{columns: make(map[string]bool)}
	var database sql.NullString
	if err := c.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&database); err != nil {
		return k, err
	}
	schema, local, qualified := strings.Cut(name, ".")
	if !qualified {
		schema, local = database.String, name
	}
	if !database.Valid || schema != database.String {
		return k, refuseTable(name, "connect to the database that it is in; this connection is to "+backticks(database.String))
	}
	k.name = local
	err := c.QueryRowContext(ctx, MySQL.sql("describe"), local).Scan(&k.kind, &k.engine, &k.cascade, &k.leases)
	if errors.Is(err, sql.ErrNoRows) {
		return k, refuseTable(name, "there is no such table; case counts")
	}
	if err != nil {
		return k, err
	}
	err = pairs(ctx, c, MySQL.sql("columns"), local, func(column, zoned string) { k.columns[column] = zoned == "1" })
	if err == nil {
		err = pairs(ctx, c, MySQL.sql("triggers"), local, func(_, trigger string) { k.present = append(k.present, trigger) })
	}
	return k, err
}

// find is look, and refuses what can't be guarded.
func (m mysql) find(ctx context.Context, c *sql.Conn, t Table) (mysqlTable, error) {
	k, err := m.look(ctx, c, t.Name)
	if err != nil {
		return k, err
	}
	p, err := t.lease()
	if err != nil {
		return k, err
	}
	missing := slices.DeleteFunc(p.columns(), func(c string) bool { _, there := k.columns[c]; return there })
	switch {
	case k.kind != "BASE TABLE" && k.kind != "SYSTEM VERSIONED":
		return k, t.refuse("it is a " + strings.ToLower(k.kind) + "; guard the tables that are written to")
	case strings.HasPrefix(k.name, "ringfence_"):
		return k, t.refuse("it is one of our own")
	case k.engine != "InnoDB":
		return k, t.refuse("its engine " + k.engine + " has no transactions; ALTER TABLE ... ENGINE = InnoDB")
	case k.cascade != "":
		return k, t.refuse("a cascade of its foreign key fires no trigger; make it RESTRICT: " + k.cascade)
	case len(missing) > 0:
		return k, t.refuse("the lease names columns that it has not: " + strings.Join(missing, ", "))
	case slices.ContainsFunc(p.columns(), func(c string) bool { return k.columns[c] }):
		return k, t.refuse("the lease names a column of the type TIMESTAMP, whose text depends on the time zone of a session, so that a row could be of several leases; make it DATETIME")
	case t.rule() == Owned && !k.leases:
		return k, t.refuse("the rule owned needs the leases in this database, and there is no table ringfence_lease")
	}
	k.table, k.wanted = t, triggersOfMySQL(k.name, t, p)
	return k, nil
}
