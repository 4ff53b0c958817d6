package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Dialect is one kind of database: [Postgres], [MySQL] or [SQLite].
type Dialect interface {
	fmt.Stringer
	// schema is the DDL, in one text.
	schema() string
	// open checks that db can host leases and makes it ready. It keeps nothing open.
	open(ctx context.Context, db *sql.DB, o Options) (backend, error)
	// examine finds what Open and its users should know about db. It changes nothing,
	// and fails only where db could not be asked at all.
	examine(ctx context.Context, db *sql.DB, o Options) (findings, error)
	// judge says what an error of the driver means after a statement was sent.
	judge(err error) ruling
}

// Schema is what [Open] executes where the tables are missing, for whoever
// creates them by hand and opens the store with a role that may not.
func Schema(d Dialect) string { return d.schema() }

// backend is one opened database. The queue and the calls of an operator stand
// above it; what differs from one kind of database to the next stands below.
type backend interface {
	// properties are the store's, but for a label of the caller's own.
	properties() driver.Properties
	// statement is the text of a statement, by the name of its file, and what the
	// driver takes as its arguments.
	statement(name string, args ...any) (string, []any)
	// workers is how many sessions may be in use at once, and mixed whether one
	// batch may hold calls of several kinds.
	workers() int
	mixed() bool
	// connect gets a session for one batch. Nothing has been sent when it fails.
	connect(ctx context.Context) (session, error)
	// borrow gets a connection for anything else, and what gives it back. That
	// takes the error of what was done on it.
	borrow(ctx context.Context) (*sql.Conn, func(error), error)
	// identity reads what the database knows about itself.
	identity(ctx context.Context, c *sql.Conn) (driver.Identity, error)
	// raise lifts the floor to above, and accepts the database that answers now.
	raise(ctx context.Context, c *sql.Conn, above fence.Token) (fence.Token, error)
	// remove deletes up to limit records that have been over for idle milliseconds
	// and whose token is not above the floor given, and returns how many went.
	remove(ctx context.Context, c *sql.Conn, idle int64, limit int, floor int64) (int64, error)
	// settle returns when no grant is under way that may not have seen the floor.
	settle(ctx context.Context, c *sql.Conn) error
	// end ends the current term of a name and returns its record as it was.
	end(ctx context.Context, c *sql.Conn, name, by string) (driver.Record, error)
	// close gives back what the backend keeps. No session is in use then.
	close()
}

// session is a connection while a batch is executed on it.
type session interface {
	// run executes the calls in one commit and sets the answer of each. Its error
	// is about all of them.
	run(ctx context.Context, calls []*call) error
	// release gives the connection back. err is what run returned.
	release(err error)
}

//go:embed postgres/*.sql sqlite/*.sql mysql/*.sql mariadb/*.sql
var files embed.FS

// load reads the statements of a folder, by name. The expressions in the files
// identity, wake, now and alone, where there are such, stand in the place of their marks.
func load(folder, identity string) map[string]string {
	texts := map[string]string{}
	names, err := fs.Glob(files, folder+"/*.sql")
	if err != nil {
		panic(err) // a bad pattern
	}
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err) // an embedded file is always there
		}
		texts[strings.TrimSuffix(path.Base(name), ".sql")] = string(b)
	}
	for mark, name := range map[string]string{"/*identity*/": identity, "/*wake*/": "wake", "/*now*/": "now", "/*alone*/": "alone"} {
		expression := withoutComment(texts[name])
		for name := range texts {
			texts[name] = strings.ReplaceAll(texts[name], mark, expression)
		}
	}
	return texts
}

// withoutComment is a statement without the comment above it.
func withoutComment(text string) string {
	for strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return strings.TrimSpace(text)
}
