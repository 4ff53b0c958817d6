package tableguard

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/ringfence-go/ringfence/fence"
)

// sqlite guards tables of SQLite.
type sqlite struct{ db *sql.DB }

func (s sqlite) install(ctx context.Context, t Table) error {
	return s.immediately(ctx, func(c *sql.Conn) (string, error) {
		k, err := s.find(ctx, c, t)
		if err != nil {
			return "", err
		}
		return k.script(), nil
	})
}

func (s sqlite) remove(ctx context.Context, name string) error {
	return s.immediately(ctx, func(c *sql.Conn) (string, error) {
		k, err := s.look(ctx, c, name)
		if err != nil {
			return "", err
		}
		var known bool
		if err := c.QueryRowContext(ctx, SQLite.sql("present")).Scan(&known); err != nil || !known {
			return "", err
		}
		return k.unguard() + "DELETE FROM ringfence_guarded WHERE name = " + quoted(k.name) + ";\n", nil
	})
}

func (s sqlite) script(ctx context.Context, t Table) (string, error) {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	k, err := s.find(ctx, c, t)
	if err != nil {
		return "", err
	}
	return "BEGIN IMMEDIATE;\n" + k.script() + "COMMIT;\n", nil
}

// immediately runs what script returns in one transaction that has the lock of the
// database from its beginning.
func (s sqlite) immediately(ctx context.Context, script func(*sql.Conn) (string, error)) (err error) {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err == nil {
			return
		}
		if _, err := c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
			discard(c)
		}
	}()
	text, err := script(c)
	if err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, text); err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, "COMMIT")
	return err
}

func (s sqlite) list(ctx context.Context) ([]Status, error) {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var known bool
	if err := c.QueryRowContext(ctx, SQLite.sql("present")).Scan(&known); err != nil || !known {
		return nil, err
	}
	all, err := guarded(ctx, c, SQLite)
	if err != nil {
		return nil, err
	}
	for i, one := range all {
		k, err := s.find(ctx, c, one.Table)
		if err != nil && !errors.Is(err, fence.ErrInvalid) {
			return nil, err
		}
		all[i].Off = err != nil || slices.ContainsFunc(k.wanted, func(t trigger) bool { return k.present[t.name] != t.text })
	}
	return all, nil
}

// establish begins the term with the row that the transaction carries. Where only owned
// tables are protected there is no mark to raise, and the lease table is asked.
func (s sqlite) establish(ctx context.Context, tx *sql.Tx, f fence.Fence, tables []Table) error {
	begin := "INSERT INTO ringfence_establish VALUES (1)"
	if !slices.ContainsFunc(tables, func(t Table) bool { return t.rule() != Owned }) {
		begin = "INSERT INTO ringfence_own VALUES (" + quoted(f.Name) + ")"
	}
	_, err := tx.ExecContext(ctx, begin)
	return err
}
