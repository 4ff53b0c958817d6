package tableguard

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
)

// mysql guards tables of MySQL and MariaDB. There every statement that defines something
// is a transaction of its own, so an installation makes what triggers call first, then
// the triggers, and takes older ones away last: the table is never less guarded than
// before, and an installation that was cut off is completed by the next.
type mysql struct{ db *sql.DB }

// alone is what one installation at a time holds.
const alone = "SELECT COALESCE(GET_LOCK(CONCAT('ringfence ', SHA1(DATABASE())), 60), 0)"

// freed ends it. The connection goes back to the pool.
const freed = "SELECT RELEASE_LOCK(CONCAT('ringfence ', SHA1(DATABASE())))"

// exclusively runs f on one connection while no other installation runs, under a mode
// in which routines keep no value that was cut.
func (m mysql) exclusively(ctx context.Context, f func(*sql.Conn) error) (err error) {
	c, err := m.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	var locked bool
	if err := c.QueryRowContext(ctx, alone).Scan(&locked); err != nil {
		return err
	}
	if !locked {
		return errors.New("another installation in this database does not end; try again when it has")
	}
	var mode string
	if err := c.QueryRowContext(ctx, "SELECT @@SESSION.sql_mode").Scan(&mode); err != nil {
		return err
	}
	defer func() {
		whatever := context.WithoutCancel(ctx)
		_, err1 := c.ExecContext(whatever, "SET SESSION sql_mode = ?", mode)
		_, err2 := c.ExecContext(whatever, freed)
		if err1 != nil || err2 != nil {
			discard(c)
		}
	}()
	if _, err := c.ExecContext(ctx, "SET SESSION sql_mode = "+definingMode); err != nil {
		return err
	}
	return f(c)
}

// definingMode is the mode that routines and triggers keep from when they were defined.
const definingMode = "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'"

func (m mysql) install(ctx context.Context, t Table) error {
	return m.exclusively(ctx, func(c *sql.Conn) error {
		k, err := m.find(ctx, c, t)
		if err != nil {
			return err
		}
		missing, err := m.missingRoutines(ctx, c)
		if err != nil {
			return err
		}
		if err := k.run(ctx, c, slices.Concat(tablesOfMySQL(), missing)); err != nil {
			return err
		}
		err = k.run(ctx, c, k.replaceTriggers())
		if err != nil && len(k.present) == 0 { // a table that was not guarded is so again
			return errors.Join(err, k.run(context.WithoutCancel(ctx), c, k.unguard(k.names())))
		}
		return err
	})
}

func (m mysql) remove(ctx context.Context, name string) error {
	return m.exclusively(ctx, func(c *sql.Conn) error {
		k, err := m.look(ctx, c, name)
		if err != nil {
			return err
		}
		var known bool
		if err := c.QueryRowContext(ctx, MySQL.sql("present")).Scan(&known); err != nil || !known {
			return err
		}
		return k.run(ctx, c, k.unguard(k.present))
	})
}

func (m mysql) script(ctx context.Context, t Table) (string, error) {
	c, err := m.db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	k, err := m.find(ctx, c, t)
	if err != nil {
		return "", err
	}
	steps := slices.Concat([]string{"SET SESSION sql_mode = " + definingMode}, tablesOfMySQL())
	for _, r := range routines() {
		steps = append(steps, "DROP PROCEDURE IF EXISTS "+r.name, r.text)
	}
	steps = append(steps, k.replaceTriggers()...)
	return "DELIMITER //\n" + strings.Join(steps, "\n//\n") + "\n//\nDELIMITER ;\n", nil
}

// missingRoutines is the DDL for those that are not there as they are now.
func (m mysql) missingRoutines(ctx context.Context, c *sql.Conn) (steps []string, err error) {
	rows, err := c.QueryContext(ctx, MySQL.sql("routines"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	present := make(map[string]string)
	for rows.Next() {
		var name, version string
		if err := rows.Scan(&name, &version); err != nil {
			return nil, err
		}
		present[name] = version
	}
	for _, r := range routines() {
		if present[r.name] != r.version {
			steps = append(steps, "DROP PROCEDURE IF EXISTS "+r.name, r.text)
		}
	}
	return steps, rows.Err()
}

func (m mysql) list(ctx context.Context) ([]Status, error) {
	c, err := m.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var known bool
	if err := c.QueryRowContext(ctx, MySQL.sql("present")).Scan(&known); err != nil || !known {
		return nil, err
	}
	all, err := guarded(ctx, c, MySQL)
	if err != nil {
		return nil, err
	}
	for i, s := range all {
		k, err := m.find(ctx, c, s.Table)
		all[i].Off = err != nil || slices.ContainsFunc(k.wanted, func(t trigger) bool { return !slices.Contains(k.present, t.name) })
	}
	return all, nil
}

// guarded reads what is guarded from the table that says so.
func guarded(ctx context.Context, c *sql.Conn, d Dialect) (all []Status, err error) {
	rows, err := c.QueryContext(ctx, d.sql("guarded"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s Status
		if err := rows.Scan(&s.Name, &s.Lease, &s.Rule); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}
