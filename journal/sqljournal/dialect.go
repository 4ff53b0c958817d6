package sqljournal

import (
	"embed"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
)

// Dialect is the kind of a database. Its zero value is none and is refused.
type Dialect uint8

const (
	// Postgres is PostgreSQL 12 or later.
	Postgres Dialect = iota + 1
	// SQLite is SQLite 3.42 or later. Open it with a busy timeout.
	SQLite
	// MySQL is MySQL 8.0 or later, or MariaDB 10.2 or later.
	MySQL
)

var folders = [...]string{"undefined", "postgres", "sqlite", "mysql"}

func (d Dialect) String() string {
	if d.check() != nil {
		return folders[0]
	}
	return folders[d]
}

func (d Dialect) check() error {
	if d < Postgres || d > MySQL {
		return fmt.Errorf("%w dialect %d: want sqljournal.Postgres, sqljournal.SQLite or sqljournal.MySQL", fence.ErrInvalid, uint8(d))
	}
	return nil
}

// Schema is what makes the table.
func Schema(d Dialect) string { return d.sql("setup") }

//go:embed postgres sqlite mysql
var files embed.FS

func (d Dialect) sql(name string) string {
	text, err := files.ReadFile(d.String() + "/" + name + ".sql")
	if err != nil {
		return "" // of an undefined dialect
	}
	return string(text)
}

// statement is the statement in the file of that name, and what the driver takes as
// its arguments. For MySQL they are written into it, texts as hexadecimal digits that
// no mode and no character set can change: one with parameters takes two round trips.
func (d Dialect) statement(name string, args ...any) (string, []any) {
	if d != MySQL {
		return d.sql(name), args
	}
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		pairs = append(pairs, "$"+strconv.Itoa(i+1), literal(a))
	}
	return strings.NewReplacer(pairs...).Replace(d.sql(name)), nil
}

func literal(arg any) string {
	if text, ok := arg.(string); ok {
		return "x'" + hex.EncodeToString([]byte(text)) + "'"
	}
	return fmt.Sprint(arg) // a number
}
