package e2e

import (
	"context"
	"crypto/rand"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestSQLStore_SQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "leases.db")
	db := openSQLite(t, path)
	storetest.Run(t, storetest.Target{
		Open:    func(ctx context.Context) (driver.Store, error) { return sqlstore.Open(ctx, db, sqlstore.SQLite, nil) },
		Restart: func(context.Context) error { defer func() { db = openSQLite(t, path) }(); return db.Close() },
	})
}

// openSQLite opens a file; settings are added to its address.
func openSQLite(t *testing.T, path string, settings ...string) *sql.DB {
	t.Helper()
	address := "file:" + path + "?" + strings.Join(append(settings, "_pragma=journal_mode(WAL)"), "&")
	db, err := sql.Open("sqlite", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestSQLiteFileThatCannotHostLeases(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	used := filepath.Join(dir, "used.db")
	mustOpen(t, openSQLite(t, used), sqlstore.SQLite, nil)
	damaged, err := os.ReadFile(used)
	if err != nil {
		t.Fatal(err)
	}
	copy(damaged[100:], strings.Repeat("\xff", len(damaged)-100))

	for _, c := range []struct {
		name, path, setting, says string
		want                      error
	}{
		{"no database", write("text.db", []byte(strings.Repeat("not a database ", 100))), "", "not a database", driver.ErrUnfit},
		{"damaged", write("damaged.db", damaged), "", "damaged", driver.ErrUnfit},
		{"read-only", used, "mode=ro", "create files beside it", driver.ErrUnfit},
		{"no folder", filepath.Join(dir, "missing", "x.db"), "", "check the path", driver.ErrUnfit},
		{"full", filepath.Join(dir, "full.db"), "_pragma=max_page_count(2)", "full", driver.ErrUnavailable},
		{"UTF-16", filepath.Join(dir, "wide.db"), "_pragma=encoding('UTF-16')", "UTF-16", driver.ErrUnfit},
		{"no journal", filepath.Join(dir, "off.db"), "_pragma=journal_mode(off)", "crash", driver.ErrUnfit},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, err := sql.Open("sqlite", "file:"+c.path+"?"+c.setting)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			_, err = sqlstore.Open(t.Context(), db, sqlstore.SQLite, nil)
			wantError(t, err, c.want, c.says)
		})
	}
}

func TestSQLiteDiskThatBecomesFull(t *testing.T) {
	db := openSQLite(t, filepath.Join(t.TempDir(), "full.db"), "_pragma=max_page_count(8)")
	s := mustOpen(t, db, sqlstore.SQLite, nil)
	first, err := s.Acquire(t.Context(), request("first"))
	for err == nil {
		_, err = s.Acquire(t.Context(), request(strings.Repeat("long name ", 40)+rand.Text()))
	}
	wantError(t, err, driver.ErrUnavailable, "full")
	if err := s.Release(t.Context(), first); err != nil {
		t.Errorf("a release needs no room: %v", err)
	}
}

func TestSQLiteInMemory(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = sqlstore.Open(t.Context(), db, sqlstore.SQLite, nil)
	wantError(t, err, driver.ErrUnfit, "SetMaxOpenConns(1)")
	db.SetMaxOpenConns(1)
	s := mustOpen(t, db, sqlstore.SQLite, nil)
	if s.Properties().Durable {
		t.Error("a database in memory is declared durable")
	}
	mustAcquire(t, s, "n")
}

func TestSQLiteFileReplacedWhileOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	s := mustOpen(t, openSQLite(t, path), sqlstore.SQLite, nil)
	term := mustAcquire(t, s, "n")
	if err := os.Rename(path, filepath.Join(dir, "moved.db")); err != nil {
		t.Fatal(err)
	}
	_, err := s.Acquire(t.Context(), request("m"))
	wantError(t, err, driver.ErrUnfit, "restart the program")
	mustOpen(t, openSQLite(t, path), sqlstore.SQLite, nil) // another file at the path
	_, err = s.Renew(t.Context(), term, time.Minute)
	wantError(t, err, driver.ErrUnfit, "restart the program")
}

func TestSQLiteWaitsForALockAsLongAsItsCaller(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := mustOpen(t, openSQLite(t, path), sqlstore.SQLite, nil)
	other, err := openSQLite(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	mustExec(t, other, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = s.Acquire(ctx, request("n"))
	wantError(t, err, driver.ErrUnavailable, "locked")
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %s", took)
	}
	done := make(chan error)
	go func() { _, err := s.Acquire(t.Context(), request("n")); done <- err }()
	mustExec(t, other, "ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("after the lock went: %v", err)
	}
}

func TestSQLiteConnectionsComeBackAsTheyWere(t *testing.T) {
	db := openSQLite(t, filepath.Join(t.TempDir(), "a.db"), "_pragma=busy_timeout(1234)", "_pragma=synchronous(NORMAL)")
	db.SetMaxOpenConns(1)
	s := mustOpen(t, db, sqlstore.SQLite, nil)
	mustAcquire(t, s, "n")
	if _, err := s.Inspect(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	if got := query(t, db, "SELECT timeout || ' ' || (SELECT synchronous FROM pragma_synchronous) FROM pragma_busy_timeout"); got != "1234 1" {
		t.Errorf("busy_timeout and synchronous are %s; want 1234 1", got)
	}
}
