// Package open turns the URL of a store or a destination into the real thing. It
// is the one place that knows the drivers, and the one that keeps passwords out
// of what the command prints.
package open

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
)

// Target is a parsed URL.
type Target struct {
	Kind Kind
	// Label names the target in whatever is printed: no password, no parameters.
	Label string
	// HasPassword means that the URL itself carries one.
	HasPassword bool
	// Secrets are the variables of the environment that the password may come from.
	Secrets []string

	path       string // SQLite
	makeFolder bool   // of path: it is our own default

	config *pgx.ConnConfig // PostgreSQL
	mysql  mysqlTarget     // MySQL
	redis  *redis.Options  // Redis
	nats   natsTarget      // NATS

	// server connects to a store that is no SQL database.
	server func(ctx context.Context, label string) (Store, error)
	// examine looks at it.
	examine func(ctx context.Context, label string) ([]driver.Finding, error)
	// destination opens the guarded place, where it is no SQL database and no object.
	destination func(context.Context) (Destination, error)
	// object is the guard of the one object that the URL names.
	object func(context.Context, guard.Rule) (*casguard.Guard, error)
	// resolution is the store's unit of time, known before it is reached.
	resolution time.Duration
}

// Kind is what stands behind a URL.
type Kind string

// The kinds that are linked in.
const (
	SQLite   Kind = "sqlite"
	Postgres Kind = "postgres"
	MySQL    Kind = "MySQL"
	Redis    Kind = "Redis"
	Etcd     Kind = "etcd"

	ZooKeeper Kind = "ZooKeeper"
	NATS      Kind = "NATS"
	S3        Kind = "S3"
	GCS       Kind = "Google Cloud Storage"
)

// Forms tells a person which URLs there are.
const Forms = "sqlite:///path/file.db, postgres://user@host:5432/database, mysql://user@host:3306/database, redis://user@host:6379/0, " +
	"etcd://host:2379, zk://host:2181, nats://host:4222/bucket, s3://bucket/prefix or gs://bucket/prefix"

var schemeForm = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*)://`)

// Parse reads a URL. Its errors never repeat what they could not read, since
// that may hold a password.
func Parse(raw string) (Target, error) {
	scheme, _, _ := strings.Cut(raw, ":")
	switch strings.ToLower(scheme) {
	case "sqlite", "sqlite3", "file":
		return parseSQLite(raw)
	}
	m := schemeForm.FindStringSubmatch(raw)
	if m == nil {
		return Target{}, fmt.Errorf("%w URL: it does not begin with a scheme and ://; want %s", fence.ErrInvalid, Forms)
	}
	switch strings.ToLower(m[1]) {
	case "postgres", "postgresql":
		return parsePostgres(raw)
	case "mysql", "mariadb":
		return parseMySQL(raw)
	case "redis", "rediss":
		return parseRedis(raw)
	case "etcd", "etcds":
		return parseEtcd(raw)
	case "zk", "zookeeper":
		return parseZooKeeper(raw)
	case "nats", "tls":
		return parseNATS(raw)
	case "s3":
		return parseS3(raw)
	case "gs":
		return parseGS(raw)
	}
	return Target{}, fmt.Errorf("%w URL: unknown scheme %s; want %s", fence.ErrInvalid, fence.Quote(m[1]), Forms)
}

func parseSQLite(raw string) (Target, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Target{}, fmt.Errorf("%w SQLite URL: it can't be parsed; want sqlite:///path/file.db", fence.ErrInvalid)
	}
	path := u.Opaque + u.Path
	switch {
	case u.User != nil, u.Host != "" && u.Host != "localhost":
		return Target{}, fmt.Errorf("%w SQLite URL: it names a host; an absolute path takes three slashes: sqlite:///path/file.db", fence.ErrInvalid)
	case u.RawQuery != "" || u.Fragment != "":
		return Target{}, fmt.Errorf("%w SQLite URL: it takes no parameters; write ? and # in a path as %%3F and %%23", fence.ErrInvalid)
	case path == "" || strings.HasSuffix(path, "/"), strings.Contains(path, ":memory:"), strings.ContainsRune(path, 0):
		return Target{}, fmt.Errorf("%w SQLite URL: it names no file; want sqlite:///path/file.db", fence.ErrInvalid)
	}
	path, err = filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		return Target{}, err
	}
	return FromFile(path), nil
}

// FromFile is the target of an SQLite file at an absolute path.
func FromFile(path string) Target {
	return Target{Kind: SQLite, Label: "sqlite://" + filepath.ToSlash(path), path: path, resolution: time.Millisecond}
}

func parsePostgres(raw string) (Target, error) {
	u, err := url.Parse(raw)
	if err != nil || misread(u) || strings.Contains(strings.TrimPrefix(u.EscapedPath(), "/"), "/") {
		return Target{}, invalidPostgres("it can't be parsed; percent-encode what is special in the user, the password or the database: %%40 is @, %%2F is /, %%3A is :, %%3F is ?, %%23 is #")
	}
	t := Target{Kind: Postgres, Label: label(u, "postgres"), resolution: time.Millisecond}
	_, t.HasPassword = u.User.Password()
	t.HasPassword = t.HasPassword || u.Query().Has("password")
	if !t.HasPassword {
		t.Secrets = []string{"PGPASSWORD", "PGPASSFILE"}
	}
	t.HasPassword = t.HasPassword || u.Query().Has("sslpassword")
	if t.config, err = pgx.ParseConfig(raw); err != nil {
		return Target{}, invalidPostgres("%s; check its port and its parameters, and the files that PGSERVICEFILE, PGSSLROOTCERT and the like name", complaint(err))
	}
	return t, nil
}

func invalidPostgres(format string, args ...any) error {
	return fmt.Errorf("%w PostgreSQL URL: %w", fence.ErrInvalid, fmt.Errorf(format, args...))
}

// misread reports whether a part of a password may have been taken for another
// part of the URL, which an unescaped / ? or # in it brings about.
func misread(u *url.URL) bool {
	return strings.Contains(u.EscapedPath(), "@") || u.Fragment != "" || u.Opaque != "" ||
		strings.Contains(u.RawQuery, "@") && !u.Query().Has("password")
}

// label is a server's URL without its password and its parameters.
func label(u *url.URL, scheme string) string {
	user := ""
	if name := u.User.Username(); name != "" {
		user = url.User(name).String() + "@"
	}
	return scheme + "://" + user + u.Host + u.EscapedPath()
}

// complaint is what pgx says is wrong, without the URL and the values that it
// repeats.
func complaint(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "`: "); i >= 0 {
		text = text[i+len("`: "):]
	} else {
		return "it can't be used"
	}
	text, _, _ = strings.Cut(text, " (")
	text, _, _ = strings.Cut(text, ": ")
	return text
}

var errNoHome = fmt.Errorf("%w store: none is named, and without HOME there is no place for the default one; give --store or RINGFENCE_STORE", fence.ErrInvalid)

// DefaultFile is where leases are kept when no store is named: a file in the
// user's own state folder.
func DefaultFile() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ringfence", "leases.db"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errNoHome
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "ringfence", "leases.db"), nil
	}
	return filepath.Join(home, ".local", "state", "ringfence", "leases.db"), nil
}
