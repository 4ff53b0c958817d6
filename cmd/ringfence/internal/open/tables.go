package open

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// Tables is a database whose tables can be guarded by triggers.
type Tables struct {
	*tableguard.DB
	Label string // as that of the target
	sql   *sql.DB
}

// tableDialects are the kinds of databases that triggers can guard.
var tableDialects = map[Kind]tableguard.Dialect{Postgres: tableguard.Postgres, MySQL: tableguard.MySQL, SQLite: tableguard.SQLite}

// CheckTables reports why no table behind t can be guarded, or nil.
func (t Target) CheckTables() error {
	if _, known := tableDialects[t.Kind]; known {
		return nil
	}
	return fmt.Errorf("%w destination %s: %s has no triggers that could guard a table; want the URL of postgres, mysql or sqlite", fence.ErrInvalid, t.Label, t.Kind)
}

// Tables opens the guarded tables behind t. It creates no file.
func (t Target) Tables() (*Tables, error) {
	if err := t.CheckTables(); err != nil {
		return nil, err
	}
	db, err := t.existing()
	if err != nil {
		return nil, err
	}
	return &Tables{tableguard.On(db, tableDialects[t.Kind]), t.Label, db}, nil
}

// Signed is t with sessions that carry the signature of a fence, for tables of PostgreSQL
// that ask for one. An empty signature changes nothing.
func (t Target) Signed(signature string) Target {
	if t.Kind == Postgres && signature != "" {
		t.config = t.config.Copy()
		t.config.RuntimeParams["ringfence.signature"] = signature
	}
	return t
}

// existing opens the SQL database behind t, which has to be there, and leaves its
// journal as it is.
func (t Target) existing() (*sql.DB, error) {
	switch t.Kind {
	case Postgres:
		return t.postgres(), nil
	case MySQL:
		return t.mysql.database()
	}
	return t.existingFile()
}

// Close closes the database.
func (t *Tables) Close() error { return t.sql.Close() }

// Denied reports whether err says that the role lacks a right.
func Denied(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code == "42501"
	}
	e, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && slices.Contains(mysqlDenials, e.Number)
}

// mysqlDenials are the numbers of: access to a database, a command, a column, an
// operation and a routine that is denied, and of SUPER that is asked for by
// log_bin_trust_function_creators.
var mysqlDenials = []uint16{1044, 1142, 1143, 1227, 1370, 1419}
