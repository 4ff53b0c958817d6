package script

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// onSQLite runs the statements one by one, as SQLite itself tells their ends. While it
// does, a commit is turned into a rollback, so that a script can't end the transaction.
func onSQLite(ctx context.Context, conn *sql.Conn, text string) ([]Result, error) {
	var r results
	watch, err := hold(conn)
	if err != nil {
		return nil, err
	}
	statements, err := split(text)
	if err != nil {
		return nil, err
	}
	for _, s := range statements {
		rows, err := conn.QueryContext(ctx, s.text)
		if err == nil {
			err = r.read(rows)
		}
		switch {
		case watch.committed, watch.rolledBack && err == nil:
			return nil, &EndedError{} // and the commits of what is left are still refused
		case err != nil && err != ErrTooMuch && ctx.Err() == nil:
			err = &StatementError{Line: s.line, Err: err}
			fallthrough
		case err != nil:
			watch.release()
			return nil, err
		}
	}
	watch.release()
	return r.all, nil
}

// watch is what a connection was asked to do with its transaction.
type watch struct {
	conn                  *sql.Conn
	committed, rolledBack bool
}

// hold refuses every commit on conn until it is released.
func hold(conn *sql.Conn) (*watch, error) {
	w := &watch{conn: conn}
	return w, w.register(func() int32 { w.committed = true; return 1 }, func() { w.rolledBack = true })
}

func (w *watch) release() { _ = w.register(nil, nil) }

func (w *watch) register(commit sqlite.CommitHookFn, rollback sqlite.RollbackHookFn) error {
	return w.conn.Raw(func(raw any) error {
		c, ok := raw.(sqlite.HookRegisterer)
		if !ok {
			return fmt.Errorf("the connection is a %T: want one of modernc.org/sqlite", raw)
		}
		c.RegisterCommitHook(commit)
		c.RegisterRollbackHook(rollback)
		return nil
	})
}

// statement is one of a script, and the line that it begins on.
type statement struct {
	text string
	line int
}

// split takes a script apart at the semicolons that end a statement, as SQLite's own
// shell does: it asks the library.
func split(text string) (all []statement, err error) {
	tls := libc.NewTLS()
	defer tls.Close()
	begin, line := 0, 1
	for i := 0; i < len(text); {
		ends := text[i] == ';'
		i += max(1, covered(text[i:]))
		last := i == len(text)
		if !ends && !last {
			continue
		}
		part := text[begin:i]
		if !last {
			complete, err := isComplete(tls, part)
			if err != nil {
				return nil, err
			}
			if !complete {
				continue
			}
		}
		lead := len(part) - len(strings.TrimLeft(part, " \t\r\n"))
		if rest := part[lead:]; strings.Trim(rest, ";") != "" {
			all = append(all, statement{rest, line + strings.Count(part[:lead], "\n")})
		}
		line += strings.Count(part, "\n")
		begin = i
	}
	return all, nil
}

// covered is the length of the literal, the quoted name or the comment that text begins
// with, in which no semicolon ends a statement; 0 where it begins with none.
func covered(text string) int {
	for _, c := range [...]struct{ open, shut string }{{"'", "'"}, {`"`, `"`}, {"`", "`"}, {"[", "]"}, {"--", "\n"}, {"/*", "*/"}} {
		rest, opens := strings.CutPrefix(text, c.open)
		if !opens {
			continue
		}
		if end := strings.Index(rest, c.shut); end >= 0 {
			return len(c.open) + end + len(c.shut)
		}
		return len(text)
	}
	return 0
}

func isComplete(tls *libc.TLS, part string) (bool, error) {
	c, err := libc.CString(part)
	if err != nil {
		return false, err
	}
	defer libc.Xfree(tls, c)
	return sqlite3.Xsqlite3_complete(tls, c) != 0, nil
}
