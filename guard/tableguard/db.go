package tableguard

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Dialect is the kind of a database. Its zero value is none and is refused.
type Dialect uint8

const (
	// Postgres is PostgreSQL 14 or later.
	Postgres Dialect = iota + 1
	// SQLite is SQLite 3.37 or later.
	SQLite
	// MySQL is MySQL 8.0 or later, or MariaDB 10.6 or later, with tables in InnoDB.
	MySQL
)

var dialects = [...]string{"undefined", "postgres", "sqlite", "mysql"}

func (d Dialect) String() string {
	if d.check() != nil {
		return dialects[0]
	}
	return dialects[d]
}

func (d Dialect) check() error {
	if d < Postgres || d > MySQL {
		return fmt.Errorf("%w dialect %d: want tableguard.Postgres, tableguard.SQLite or tableguard.MySQL", fence.ErrInvalid, uint8(d))
	}
	return nil
}

//go:embed postgres mysql sqlite
var files embed.FS

// sql is the statement in the file of that name.
func (d Dialect) sql(name string) string {
	text, err := files.ReadFile(d.String() + "/" + name + ".sql")
	if err != nil {
		panic(err) // can't happen: the folder is compiled in
	}
	return string(text)
}

// DB is a database with its dialect. Make it with [On]; any number of goroutines may
// use it.
type DB struct {
	db      *sql.DB
	dialect Dialect
	counter guard.Counter
}

// On says what kind of database db is. A wrong dialect is refused by the first call.
func On(db *sql.DB, d Dialect) *DB { return &DB{db: db, dialect: d} }

// system is what one dialect does in its own way.
type system interface {
	// install guards t, in place of what guarded it before.
	install(ctx context.Context, t Table) error
	// remove takes the guard away from the table of that name.
	remove(ctx context.Context, name string) error
	// script is what install executes.
	script(ctx context.Context, t Table) (string, error)
	// list returns the guarded tables, by their names.
	list(ctx context.Context) ([]Status, error)
	// establish begins the term of f, which tx carries, at tables that its lease protects.
	establish(ctx context.Context, tx *sql.Tx, f fence.Fence, tables []Table) error
}

func (d *DB) system() (system, error) {
	switch d.dialect {
	case Postgres:
		return postgres{d.db}, nil
	case MySQL:
		return mysql{d.db}, nil
	case SQLite:
		return sqlite{d.db}, nil
	}
	return nil, d.dialect.check()
}

// Install guards a table, in place of what guarded it before. It is there whole or not
// at all, and two installations at once wait for each other. It needs the rights of the
// table's owner: docs/guards/tables.md names them for each dialect.
func (d *DB) Install(ctx context.Context, t Table) error {
	s, err := d.system()
	if err != nil {
		return err
	}
	if err := t.Check(); err != nil {
		return err
	}
	return s.install(ctx, t)
}

// Remove takes the guard away from the table of that name. Marks and counts stay.
func (d *DB) Remove(ctx context.Context, name string) error {
	s, err := d.system()
	if err != nil {
		return err
	}
	if err := checkTable(name); err != nil {
		return err
	}
	return s.remove(ctx, name)
}

// Script is what Install executes, for people to read or to run themselves. It looks
// at the table and changes nothing.
func (d *DB) Script(ctx context.Context, t Table) (string, error) {
	s, err := d.system()
	if err != nil {
		return "", err
	}
	if err := t.Check(); err != nil {
		return "", err
	}
	return s.script(ctx, t)
}

// Status is a guarded table as the database has it.
type Status struct {
	Table
	// Off says that the guard refuses nothing, or not everything: a trigger of it was
	// disabled or dropped, or something goes past it.
	Off bool
}

// List returns the guarded tables.
func (d *DB) List(ctx context.Context) ([]Status, error) {
	s, err := d.system()
	if err != nil {
		return nil, err
	}
	return s.list(ctx)
}
