package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/pgxstore"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

func openPgx(b *testing.B, pg *realserver.PG) *pgxstore.Store {
	b.Helper()
	config, err := pgxpool.ParseConfig(pg.URL("postgres"))
	if err != nil {
		b.Fatal(err)
	}
	store, err := pgxstore.Open(b.Context(), config, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	return store
}

// mariadb is one server, with a database for all sides.
type mariadb struct {
	*realserver.MariaDB
	db *sql.DB
}

// startMariaDB gives the server the memory and the log that it has by default. With the little that is
// enough for tests it reads back from the disk, 5 pages a pair, what a longer row had pushed out.
func startMariaDB(b *testing.B) mariadb {
	b.Helper()
	s := realserver.NewMariaDB(b, &realserver.MariaDBOptions{
		Durable: true, Settings: []string{"innodb-buffer-pool-size=128M", "innodb-log-file-size=96M"},
	})
	s.Exec("CREATE DATABASE bench")
	return mariadb{s, open(b, "mysql", s.URL("bench")+"?interpolateParams=true", 64)} // as one round trip
}

func (m mariadb) open(b *testing.B) *sqlstore.Store {
	b.Helper()
	store, err := sqlstore.Open(b.Context(), m.db, sqlstore.MySQL, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	return store
}

// BenchmarkPostgres compares acquire + release by package pgxstore with the two bare
// statements and with the peers of PostgreSQL.
func BenchmarkPostgres(b *testing.B) {
	pg := realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true})
	db := open(b, "pgx", pg.URL("postgres"), 64)
	all := []contender{
		{"ringfence, pgxstore", leaseOf(openPgx(b, pg))},
		{"two statements", rawPostgres.prepare(b, open(b, "pgx", pg.URL("postgres"), 8))},
		{advisory(db).name, advisory(db).pair},
	}
	for _, callers := range callerCounts {
		b.Run(fmt.Sprint(callers), func(b *testing.B) { contest(b, "Acquire + release on PostgreSQL", callers, all) })
	}
}

// BenchmarkMariaDB does the same on MariaDB, through database/sql.
func BenchmarkMariaDB(b *testing.B) {
	server := startMariaDB(b)
	all := []contender{
		{"ringfence", leaseOf(server.open(b))},
		{"two statements", rawMariaDB.prepare(b, open(b, "mysql", server.URL("bench"), 8))},
		{getLock(server.db).name, getLock(server.db).pair},
	}
	for _, callers := range callerCounts {
		b.Run(fmt.Sprint(callers), func(b *testing.B) { contest(b, "Acquire + release on MariaDB", callers, all) })
	}
}

var rawMariaDB = raw{
	table: `CREATE TABLE bare (name varchar(255) PRIMARY KEY, token bigint, holder text, expires_at datetime(6)) ENGINE = InnoDB`,
	acquire: `INSERT INTO bare (name, token, holder, expires_at)
		VALUES (?, 1, ?, SYSDATE(6) + INTERVAL 1 MINUTE)
		ON DUPLICATE KEY UPDATE token = IF(expires_at <= SYSDATE(6), token + 1, token),
		holder = IF(expires_at <= SYSDATE(6), VALUES(holder), holder),
		expires_at = IF(expires_at <= SYSDATE(6), VALUES(expires_at), expires_at) RETURNING token`,
	release: `UPDATE bare SET expires_at = SYSDATE(6) WHERE name = ? AND token = ?`,
}

// advisory is PostgreSQL's session lock, getLock MariaDB's.
func advisory(db *sql.DB) peer {
	return session(db, "session advisory lock", "SELECT pg_advisory_lock(hashtext($1))", "SELECT pg_advisory_unlock(hashtext($1))")
}

func getLock(db *sql.DB) peer {
	return session(db, "GET_LOCK", "DO GET_LOCK(?, 60)", "DO RELEASE_LOCK(?)")
}

// session is a lock that a connection holds.
func session(db *sql.DB, name, lock, free string) peer {
	return peer{name + " (no lease, no token, nothing durable)", func(ctx context.Context, name string, _ int) (unlock, error) {
		conn, err := db.Conn(ctx)
		if err != nil {
			return nil, err
		}
		_, err = conn.ExecContext(ctx, lock, name)
		return func(ctx context.Context) error {
			defer conn.Close()
			_, err := conn.ExecContext(ctx, free, name)
			return err
		}, err
	}}
}

// polled is one row that each waiter tries to take every 10 ms.
func polled(b *testing.B, db *sql.DB, now string) peer {
	b.Helper()
	take := "UPDATE polled SET expires_at = " + now + " + INTERVAL '60' SECOND WHERE expires_at <= " + now
	free := "UPDATE polled SET expires_at = " + now
	for _, text := range []string{
		"CREATE TABLE polled (expires_at timestamp(6) NOT NULL)", "INSERT INTO polled VALUES (" + now + ")",
	} {
		if _, err := db.ExecContext(b.Context(), text); err != nil {
			b.Fatal(err)
		}
	}
	return peer{"lease row polled every 10 ms", func(ctx context.Context, _ string, _ int) (unlock, error) {
		for {
			result, err := db.ExecContext(ctx, take)
			if err != nil {
				return nil, err
			}
			if n, err := result.RowsAffected(); err != nil || n == 1 {
				return func(ctx context.Context) error { _, err := db.ExecContext(ctx, free); return err }, err
			}
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}}
}

// handOverPostgres and handOverMariaDB have waiters take turns.
func handOverPostgres(b *testing.B) {
	pg := realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true})
	db := open(b, "pgx", pg.URL("postgres"), 64)
	var apart []driver.Store
	for range waiters {
		apart = append(apart, openPgx(b, pg))
	}
	handOver(b, "postgres", []peer{
		ringfenceOn(b, "ringfence, pgxstore, one process", apart[0]),
		ringfenceOn(b, "ringfence, pgxstore, 16 stores as of 16 processes", apart...),
		advisory(db), polled(b, db, "clock_timestamp()"),
	})
}

func handOverMariaDB(b *testing.B) {
	server := startMariaDB(b)
	handOver(b, "mariadb", []peer{
		ringfenceOn(b, "ringfence, which has no hints there", server.open(b)),
		getLock(server.db), polled(b, server.db, "SYSDATE(6)"),
	})
}

// recorded counts the statements of clients, as PostgreSQL's own extension records them.
func recorded(b *testing.B, pg *realserver.PG) counter {
	b.Helper()
	db := open(b, "pgx", pg.URL("postgres"), 1)
	if _, err := db.ExecContext(b.Context(), "CREATE EXTENSION pg_stat_statements"); err != nil {
		b.Fatal(err)
	}
	return func() (calls int64) {
		const sum = "SELECT sum(calls)::bigint FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'"
		if err := db.QueryRowContext(b.Context(), sum).Scan(&calls); err != nil {
			b.Fatal(err)
		}
		return calls
	}
}

// questions counts the statements of clients, as MariaDB does.
func (m mariadb) questions(b *testing.B) counter {
	return func() (calls int64) {
		var name string
		if err := m.db.QueryRowContext(b.Context(), "SHOW GLOBAL STATUS LIKE 'Questions'").Scan(&name, &calls); err != nil {
			b.Fatal(errors.New(name), err)
		}
		return calls
	}
}
