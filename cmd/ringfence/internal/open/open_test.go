package open

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

const secret = "c4n4ry"

func TestParse(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"sqlite:///var/lib/x.db":                                 "sqlite:///var/lib/x.db",
		"SQLite:///x%3Fy.db":                                     "sqlite:///x?y.db",
		"file:///x.db":                                           "sqlite:///x.db",
		"postgres://u:" + secret + "@h:5433/db":                  "postgres://u@h:5433/db",
		"postgresql://h/db?password=" + secret:                   "postgres://h/db",
		"postgres://h/db?sslpassword=" + secret:                  "postgres://h/db",
		"postgres://u:a%40" + secret + "%2F@h/a%20b":             "postgres://u@h/a%20b",
		"postgres://a,b:5433/db?target_session_attrs=read-write": "postgres://a,b:5433/db",
		"postgres:///db?host=/run/postgresql":                    "postgres:///db",
		"redis://u:" + secret + "@h:6380/3":                      "redis://u@h:6380/3",
		"etcd://u:" + secret + "@a:2379,b:2379/jobs":             "etcd://u@a:2379,b:2379/jobs",
		"etcd://h:2379/a/b":                                      "etcd://h:2379/a/b",
		"rediss://h":                                             "rediss://h",
		"zk://u:" + secret + "@a:2181,b:2181/x":                  "zk://u@a:2181,b:2181/x",
		"zk://a/x/y":                                             "zk://a/x/y",
		"zk://u:" + secret + "@a/x/y":                            "zk://u@a/x/y",
		"etcd://u:" + secret + "@a/x/y":                          "etcd://u@a/x/y",
		"nats://u:" + secret + "@a:4222,b:4222/leases":           "nats://u@a:4222,b:4222/leases",
		"nats://" + secret + "@a/leases?replicas=3":              "nats://a/leases",
		"tls://h": "tls://h",
		"s3://b/x/y?region=eu-west-1&endpoint=https://s3.example&path-style=true": "s3://b/x/y",
		"gs://b/x?endpoint=http://127.0.0.1:1":                                    "gs://b/x",
	} {
		target, err := Parse(raw)
		if err != nil || target.Label != want {
			t.Errorf("Parse(%q) is labelled %q, %v; want %q", raw, target.Label, err, want)
		}
		if target.HasPassword != strings.Contains(raw, secret) {
			t.Errorf("Parse(%q).HasPassword is %t", raw, target.HasPassword)
		}
	}
}

func TestSecretsAreWhereThePasswordComesFrom(t *testing.T) {
	t.Parallel()
	fromEnvironment := []string{"PGPASSWORD", "PGPASSFILE"}
	for raw, want := range map[string][]string{
		"postgres://u@h/db":                     fromEnvironment,
		"postgres://h/db?sslpassword=" + secret: fromEnvironment,
		"postgres://u:" + secret + "@h/db":      nil,
		"postgres://u@h/db?password=" + secret:  nil,
		"sqlite:///x.db":                        nil,
		"redis://h":                             nil,
		"etcd://h":                              nil,
		"zk://h":                                nil,
		"nats://h":                              nil,
		"s3://b":                                nil,
		"gs://b":                                nil,
	} {
		if target, err := Parse(raw); err != nil || !slices.Equal(target.Secrets, want) {
			t.Errorf("Parse(%q).Secrets is %q, %v; want %q", raw, target.Secrets, err, want)
		}
	}
}

func TestParseNeverRepeatsWhatItRefuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", secret, secret + ":x", "host=h password=" + secret + " options=a:b", "oracle://u:" + secret + "@h/db",
		"postgres:" + secret, "postgres://u:" + secret + "@h:port/db", "postgres://u:" + secret + "@h:0/db",
		"postgres://u:12/" + secret + "@h/db", "postgres://u:12?" + secret + "@h/db", "postgres://u:12#" + secret + "@h/db",
		"postgres://u:" + secret + "%zz@h/db", "postgres://u:" + secret + "@h/db?sslmode=" + secret,
		"postgres://u:" + secret + "@h/db?sslrootcert=/no/" + secret, "postgres://u:" + secret + "@h/db?target_session_attrs=" + secret,
		"zk://u:" + secret + "@h/a?b=" + secret, "zk://u:12/" + secret + "@h/x", "zk://" + secret + "@h/x", "nats://u:" + secret + "@h/a.b", "nats://h/b?x=" + secret,
		"nats://h/b?replicas=" + secret, "nats://u:12#" + secret + "@h/b", "s3://u:" + secret + "@b", "s3://b?x=" + secret, "s3://b?endpoint=" + secret,
		"s3://b?endpoint=https://u:" + secret + "@h", "s3://b?path-style=" + secret, "s3:///" + secret, "gs://" + secret + "@b", "gs://b?region=" + secret,
		"redis://u:" + secret + "@h:port/0", "redis://u:" + secret + "@h/nodb", "redis://u:12/" + secret + "@h/0",
		"redis://u:" + secret + "@h/0?nope=" + secret, "redis:" + secret,
		"etcd://u:" + secret + "@h/?x=" + secret, "etcd://u:" + secret + "@h:port", "etcd:///" + secret, "etcd://",
		"sqlite://", "sqlite:///", "sqlite://u:" + secret + "@h/x.db", "sqlite:///x.db?" + secret, "sqlite::memory:", "sqlite:///x/",
	} {
		_, err := Parse(raw)
		switch {
		case !errors.Is(err, fence.ErrInvalid):
			t.Errorf("Parse(%q) = %v, want ErrInvalid", raw, err)
		case strings.Contains(err.Error(), secret):
			t.Errorf("Parse(%q) repeats the password: %v", raw, err)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"open postgres://u:" + secret + "@h/db now", "postgres://u:a@" + secret + "@h/db",
		"host=h password=" + secret, `password='it\'s ` + secret + "'", "x?a=1&password=" + secret + "&b=2", "PWD = " + secret,
	} {
		if got := Redact(s); strings.Contains(got, secret) {
			t.Errorf("Redact(%q) = %q", s, got)
		}
	}
	const plain = `acquire "a:b@c" at postgres://u@h:5432/db: held`
	if got := Redact(plain); got != plain {
		t.Errorf("Redact(%q) = %q", plain, got)
	}
}

func TestConnectErrorIsOneLine(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1},
		Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for want, err := range map[string]error{
		"can't connect: 127.0.0.1:1: connection refused": errors.Join(fmt.Errorf("h: %w", refused), fmt.Errorf("h: %w", refused)),
		"can't connect: wrong (SQLSTATE 28P01)": errors.Join(errors.New("server refused TLS connection"),
			fmt.Errorf("auth: %w", &pgconn.PgError{Message: "wrong", Code: "28P01"})),
		"can't connect: " + noTLS:                 fmt.Errorf("tls error: %w", errors.New("server refused TLS connection")),
		"can't connect: no answer in time":        fmt.Errorf("dial: %w", context.DeadlineExceeded),
		"can't connect: h: no such host; strange": errors.Join(&net.DNSError{Name: "h", Err: "no such host"}, errors.New("strange")),
	} {
		e := &connectError{err}
		if e.Error() != want {
			t.Errorf("%q, want %q", e, want)
		}
		if !errors.Is(e, err) {
			t.Errorf("%q does not unwrap to what the driver said", e)
		}
	}
}

func TestDefaultTouchesNothingBeforeItIsOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	t.Setenv("XDG_STATE_HOME", dir)
	target, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there already: %v", err)
	}
	store, err := target.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

func TestLazyTriesAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "later")
	target, err := Parse("sqlite://" + filepath.ToSlash(dir) + "/x.db")
	if err != nil {
		t.Fatal(err)
	}
	lazy := target.Lazy()
	if _, err := lazy.Inspect(t.Context(), "x"); !errors.Is(err, driver.ErrUnfit) {
		t.Errorf("without the folder: %v, want ErrUnfit", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := lazy.Inspect(t.Context(), "x"); err != nil {
		t.Errorf("with the folder: %v", err)
	}
	opened, err := target.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	want := opened.Properties()
	if got := lazy.Properties(); got.Resolution != want.Resolution || got.MinTTL != want.MinTTL || got.Durable != want.Durable || got.Store != want.Store {
		t.Errorf("its properties are %+v, those of the store %+v", got, want)
	}
	if err := lazy.Close(); err != nil {
		t.Error(err)
	}
	if _, err := lazy.Inspect(t.Context(), "x"); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
}

func TestExamineLeavesTheJournalAsItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "app.db")
	db, err := openSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE app (id INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if _, err := FromFile(path).Examine(t.Context()); err != nil {
		t.Fatal(err)
	}
	var journal string
	if err := db.QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&journal); err != nil || journal != "delete" {
		t.Errorf("the journal of a database that was only looked at is %s, %v; want delete, as before", journal, err)
	}
}

// TestWrongPasswordOfEtcdIsUnfit: nothing mends it but another password.
func TestWrongPasswordOfEtcdIsUnfit(t *testing.T) {
	t.Parallel()
	if err := etcdFailure(rpctypes.ErrGRPCAuthFailed); !errors.Is(err, driver.ErrUnfit) || !strings.Contains(err.Error(), "password") {
		t.Errorf("got %v; want it to ask for another password", err)
	}
	for _, err := range []error{context.DeadlineExceeded, rpctypes.ErrGRPCNoLeader} {
		if err = etcdFailure(err); !errors.Is(err, driver.ErrUnavailable) {
			t.Errorf("got %v; want unavailable", err)
		}
	}
}
