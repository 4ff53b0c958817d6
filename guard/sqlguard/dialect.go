package sqlguard

import (
	"embed"
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
)

var dialects = [...]string{"undefined", "postgres", "sqlite"}

func (d Dialect) String() string {
	if d.check() != nil {
		return dialects[0]
	}
	return dialects[d]
}

func (d Dialect) check() error {
	if d != Postgres && d != SQLite {
		return fmt.Errorf("%w dialect %d: want sqlguard.Postgres or sqlguard.SQLite", fence.ErrInvalid, uint8(d))
	}
	return nil
}

//go:embed sql
var files embed.FS

var statements = map[Dialect]map[string]string{Postgres: load("postgres"), SQLite: load("sqlite")}

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

// parameter is the n-th parameter of a statement, from 1.
func (d Dialect) parameter(n int) string {
	if d == SQLite {
		return "?" + strconv.Itoa(n)
	}
	return "$" + strconv.Itoa(n)
}
