package open

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// connectTimeout bounds one try to reach a server that doesn't answer.
const connectTimeout = 5 * time.Second

// Database opens the SQL database behind t. For SQLite that creates the file where
// its folder exists; for a server nothing is sent yet.
func (t Target) Database(context.Context) (*sql.DB, error) {
	switch t.Kind {
	case Postgres:
		return t.postgres(), nil
	case SQLite:
		return t.sqlite()
	}
	return nil, fmt.Errorf("%w destination %s: it takes no SQL; want a sqlite:// or postgres:// URL", fence.ErrInvalid, t.Label)
}

func (t Target) postgres() *sql.DB {
	db := sql.OpenDB(connector{stdlib.GetConnector(*t.connConfig())})
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	return db
}

// connConfig is how a connection to a PostgreSQL server is made.
func (t Target) connConfig() *pgx.ConnConfig {
	cfg := t.config.Copy()
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "ringfence"
	}
	return cfg
}

func (t Target) sqlite() (*sql.DB, error) {
	if t.makeFolder {
		if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
			return nil, unfit(fmt.Errorf("the folder of the default store can't be made: %w", reasonOf(err)), "give --store or RINGFENCE_STORE")
		}
	}
	if err := checkFile(t.path); err != nil {
		return nil, err
	}
	return openSQLite(t.path, "_pragma=journal_mode(WAL)", durable, "_txlock=immediate")
}

// asItIs opens the database behind t to be looked at, and changes nothing there.
func (t Target) asItIs() (*sql.DB, error) {
	if t.Kind == Postgres {
		return t.postgres(), nil
	}
	if err := checkFile(t.path); err != nil {
		return nil, err
	}
	return openSQLite(t.path, durable)
}

// durable is how every connection of a store commits.
const durable = "_pragma=synchronous(FULL)"

// openSQLite opens the file at path, with settings as the driver takes them. Without
// that of the journal, which stays with the file, nothing is changed.
func openSQLite(path string, settings ...string) (*sql.DB, error) {
	file := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}
	settings = append([]string{"_pragma=busy_timeout(5000)"}, settings...)
	return sql.Open("sqlite", file.String()+"?"+strings.Join(settings, "&"))
}

// checking lets one check at a time create a file: nobody in this process may open
// the new one before it is closed.
var checking sync.Mutex

// checkFile tells in plain words what SQLite would call "unable to open database
// file". It doesn't open a file that is there: to close it again would take away
// every lock that this process holds on it, those of its open databases too.
func checkFile(path string) error {
	checking.Lock()
	defer checking.Unlock()
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createFile(path)
	case err != nil:
		return unfit(fmt.Errorf("the database file can't be reached: %w", reasonOf(err)), "check the path, and your rights to its folders")
	case info.IsDir():
		return unfit(errors.New("the path is a folder"), "name a file in it")
	case !info.Mode().IsRegular():
		return unfit(errors.New("the path is no regular file"), "name another one")
	}
	if err := unix.Access(path, unix.R_OK|unix.W_OK); err != nil {
		return unfit(fmt.Errorf("the database file can't be written: %w", err), "a lease needs a file and a folder that you may write to")
	}
	return nil
}

func createFile(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return unfit(fmt.Errorf("the folder of the database file: %w", reasonOf(err)), "create the folder, or name another file")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist): // somebody was faster, or it is a link to what isn't there yet: SQLite sees to it
		return nil
	case err != nil:
		return unfit(fmt.Errorf("the database file can't be created: %w", reasonOf(err)), "name a file in a folder that you may write to")
	}
	return f.Close()
}

// reasonOf leaves out the path and the system call: the store's label has the one,
// and nobody needs the other.
func reasonOf(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func unfit(err error, hint string) error {
	return &driver.Fault{Kind: driver.ErrUnfit, Err: err, Hint: hint}
}
