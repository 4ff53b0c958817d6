package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/lib/pq" // the driver "postgres"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	scriptCommands["libpq"] = libpq
	scriptCommands["mycnf"] = mycnf
}

// libpq names the store's database in the variables that libpq reads, as programs find
// it that were never changed.
func libpq(ts *testscript.TestScript, _ bool, _ []string) {
	s := stageOf(ts)
	u, err := url.Parse(s.store)
	ts.Check(err)
	password, _ := u.User.Password()
	for name, value := range map[string]string{
		"PGHOST": u.Hostname(), "PGPORT": u.Port(), "PGUSER": u.User.Username(), "PGPASSWORD": password,
		"PGDATABASE": strings.TrimPrefix(u.Path, "/"), "PGSSLMODE": "disable",
	} {
		ts.Setenv(name, value)
		s.env = append(s.env, name)
	}
}

// mycnf names the store's database in the option file that the client mysql reads.
func mycnf(ts *testscript.TestScript, _ bool, _ []string) {
	u, err := url.Parse(stageOf(ts).store)
	ts.Check(err)
	password, _ := u.User.Password()
	home := ts.Getenv("HOME")
	ts.Check(os.MkdirAll(home, 0o700))
	text := fmt.Sprintf("[mysql]\nprotocol=tcp\nhost=%s\nport=%s\nuser=%s\npassword=%q\ndatabase=%s\n",
		u.Hostname(), u.Port(), u.User.Username(), password, strings.TrimPrefix(u.Path, "/"))
	ts.Check(os.WriteFile(filepath.Join(home, ".my.cnf"), []byte(text), 0o600))
}

// writeThrough is the program "write-DRIVER STATEMENT": a program in Go that knows of
// no fence and finds its database as libpq does.
func writeThrough(driver string) func() {
	return func() {
		db, err := sql.Open(driver, "")
		if err == nil {
			_, err = db.ExecContext(context.Background(), os.Args[1])
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
