package sqlguard

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
	// SQLite is SQLite 3.37 or later. Open it with a busy timeout, or expect guard.ErrRetry.
	SQLite
	// MySQL is MySQL 8.0 or later, or MariaDB 10.2 or later, with tables in InnoDB.
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
		return fmt.Errorf("%w dialect %d: want sqlguard.Postgres, sqlguard.SQLite or sqlguard.MySQL", fence.ErrInvalid, uint8(d))
	}
	return nil
}

//go:embed sql
var files embed.FS

var statements = map[Dialect]map[string]string{Postgres: load("postgres"), SQLite: load("sqlite"), MySQL: load("mysql")}

func load(folder string) map[string]string {
	loaded := make(map[string]string)
	entries, err := files.ReadDir("sql/" + folder)
	if err != nil {
		panic(err) // can't happen: the folder is compiled in
	}
	for _, e := range entries {
		text, err := files.ReadFile("sql/" + folder + "/" + e.Name())
		if err != nil {
			panic(err)
		}
		loaded[strings.TrimSuffix(e.Name(), ".sql")] = string(text)
	}
	return loaded
}

// sql is the statement in the file of that name.
func (d Dialect) sql(name string) string { return statements[d][name] }

// statement is the statement in the file of that name, and what the driver takes as
// its arguments. For MySQL they are written into it, texts as hexadecimal digits that
// no mode and no character set can change: one with parameters takes two round trips.
func (d Dialect) statement(name string, args ...any) (string, []any) {
	if d != MySQL {
		return d.sql(name), args
	}
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		value := fmt.Sprint(a)
		if text, ok := a.(string); ok {
			value = "x'" + hex.EncodeToString([]byte(text)) + "'"
		}
		pairs = append(pairs, "$"+strconv.Itoa(i+1), value)
	}
	return strings.NewReplacer(pairs...).Replace(d.sql(name)), nil
}

// parameter is the n-th parameter of a statement, from 1.
func (d Dialect) parameter(n int) string {
	switch d {
	case SQLite:
		return "?" + strconv.Itoa(n)
	case MySQL:
		return "?"
	}
	return "$" + strconv.Itoa(n)
}

// quote is a name as a part of a statement.
func (d Dialect) quote(name string) string {
	mark := `"`
	if d == MySQL {
		mark = "`"
	}
	return mark + strings.ReplaceAll(name, mark, mark+mark) + mark
}
