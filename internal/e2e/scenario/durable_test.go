package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// handOut acquires and releases job a few times, each time above the last.
func handOut(t *testing.T, s driver.Store, last fence.Token) fence.Token {
	t.Helper()
	locker := newLocker(t, s, nil)
	for range 5 {
		lease := acquire(t, locker, "job", long)
		if token := lease.Fence().Token; token <= last {
			t.Errorf("token %s after %s", token, last)
		}
		last = lease.Fence().Token
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

// TestScenario_R36_OlderCopyInTheDatabase: the store's tables are put back as
// they were before, by whoever restored a dump; or emptied.
func TestScenario_R36_OlderCopyInTheDatabase(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		s, prefix := d.Store(t), system.Pick(d, "ringfence.", "ringfence_")
		handOut(t, s, 0)
		d.Exec(t, "CREATE TABLE kept_lease AS SELECT * FROM "+prefix+"lease", "CREATE TABLE kept_store AS SELECT * FROM "+prefix+"store")
		last := handOut(t, s, 0)
		d.Exec(t, "DELETE FROM "+prefix+"lease", "INSERT INTO "+prefix+"lease SELECT * FROM kept_lease",
			"DELETE FROM "+prefix+"store", "INSERT INTO "+prefix+"store SELECT * FROM kept_store")
		last = handOut(t, s, last)
		d.Exec(t, "DELETE FROM "+prefix+"lease")
		last = handOut(t, s, last)
		d.Exec(t, "DELETE FROM "+prefix+"lease", "DELETE FROM "+prefix+"store")
		handOut(t, s, last)
	})
}

// TestScenario_R36_FileFromABackup: a SQLite file is replaced by an older copy of
// itself. A store that has the old one open refuses; a new one goes on above.
func TestScenario_R36_FileFromABackup(t *testing.T) {
	t.Parallel()
	path, backup := filepath.Join(t.TempDir(), "leases.db"), filepath.Join(t.TempDir(), "backup.db")
	d := system.SQLiteFile(path)
	s := d.Store(t)
	handOut(t, s, 0)
	d.Exec(t, "VACUUM INTO '"+backup+"'")
	last := handOut(t, s, 0)
	for _, old := range []string{path + "-wal", path + "-shm"} {
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.Rename(backup, path); err != nil {
		t.Fatal(err)
	}
	if term, err := s.Acquire(t.Context(), request("a")); !errors.Is(err, driver.ErrUnfit) {
		t.Errorf("a store whose file is gone granted %+v (error %v)", term, err)
	}
	handOut(t, d.Store(t), last)
}

// manyNames is how many names the clean-up is tried with: what the environment
// says, or 100,000, or a fifth of that where SQLite runs under the race detector.
func manyNames(t *testing.T, d system.Database) int {
	text := os.Getenv("RINGFENCE_E2E_NAMES")
	switch {
	case text == "" && slowed && !d.Postgres:
		return 20_000
	case text == "":
		return 100_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1000 {
		t.Fatalf("RINGFENCE_E2E_NAMES=%s: want a number from 1000", text)
	}
	return n
}

// TestScenario_R36_CleanUp: many names, each used once, leave nothing behind, and
// none of their numbers comes back. The first few are acquired and released, the
// others are copies of them.
func TestScenario_R36_CleanUp(t *testing.T) {
	t.Parallel()
	const real = 200
	system.Each(t, func(t *testing.T, d system.Database) {
		s, n := d.Store(t), manyNames(t, d)
		locker := newLocker(t, s, nil)
		held := acquire(t, locker, "held", ringfence.Hold{TTL: time.Hour}) // with a lower token than all the rest
		var last fence.Token
		for i := range real {
			lease := acquire(t, locker, fmt.Sprintf("n-%d", i), long)
			last = max(last, lease.Fence().Token)
			if err := lease.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		fill(t, d, real, n)
		if pruned := prune(t, s); pruned != n {
			t.Errorf("%d names went; want %d", pruned, n)
		}
		left := listAll(t, s)
		if len(left) != 1 || left[0].Name != "held" {
			t.Errorf("%d records are left behind", len(left)-1)
		}
		for _, name := range []string{"n-0", fmt.Sprintf("n-%d", real-1), fmt.Sprintf("copy-%09d", n-1), "new"} {
			if token := acquire(t, locker, name, long).Fence().Token; token <= last {
				t.Errorf("%s got token %s after %s", name, token, last)
			}
		}
		if err := held.Renew(t.Context()); err != nil {
			t.Errorf("the clean-up took a held lease: %v", err)
		}
	})
}

// fill makes records like that of n-0, up to n in all, in the order of their names.
func fill(t *testing.T, d system.Database, first, n int) {
	t.Helper()
	db := d.Open(t)
	numbers := system.Pick(d,
		"SELECT to_char(i, 'FM000000000') AS number FROM generate_series($1::int, $2::int - 1) AS i",
		"WITH RECURSIVE c(i) AS (VALUES ($1) UNION ALL SELECT i + 1 FROM c WHERE i < $2 - 1) SELECT printf('%09d', i) AS number FROM c")
	var token int64
	var at any
	table := d.LeaseTable()
	if err := db.QueryRowContext(t.Context(), "SELECT token, expires_at FROM "+table+" WHERE name = 'n-0'").Scan(&token, &at); err != nil {
		t.Fatal(err)
	}
	_, err := db.ExecContext(t.Context(), d.SQL(`INSERT INTO `+table+` (name, token, attempt, holder, state, granted_at, expires_at)
		SELECT 'copy-' || number, $3, 'a', '', 'released', $4, $4 FROM (`+numbers+`) AS numbers`), first, n, token, at)
	if err != nil {
		t.Fatal(err)
	}
}

func prune(t *testing.T, s *sqlstore.Store) (total int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for {
		n, err := s.Prune(ctx, 0, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		if total += n; n == 0 {
			return total
		}
	}
}
