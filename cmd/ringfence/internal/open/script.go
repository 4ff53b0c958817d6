package open

import (
	"database/sql"
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

// Script opens the SQL database behind t for texts of several statements. It creates
// no file.
func (t Target) Script() (*sql.DB, sqlguard.Dialect, error) {
	switch t.Kind {
	case Postgres:
		return t.postgres(), sqlguard.Postgres, nil
	case MySQL:
		cfg := t.mysql.config.Clone()
		cfg.MultiStatements = true
		db, err := mysqlTarget{cfg}.database()
		return db, sqlguard.MySQL, err
	case SQLite:
		db, err := t.existingFile()
		return db, sqlguard.SQLite, err
	}
	return nil, 0, fmt.Errorf("%w destination %s: %s takes no SQL; want the URL of postgres, mysql or sqlite", fence.ErrInvalid, t.Label, t.Kind)
}
