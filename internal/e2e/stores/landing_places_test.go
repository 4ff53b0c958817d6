package stores

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/redisguard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

func landingOnPostgres(t *testing.T) destination {
	u, err := url.Parse(realserver.SharedPostgres(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := realserver.NewProxy(t, u.Host)
	direct := u.String()
	u.Host = proxy.Addr()
	d := landingOnSQL(t, sqlguard.Postgres, "pgx", direct, u.String(), "INSERT INTO hit VALUES ($1)")
	d.proxy, d.frames = proxy, postgresFrames
	return d
}

func landingOnMySQL(t *testing.T) destination {
	address := realserver.SharedMariaDB(t)
	host := address[strings.Index(address, "(")+1 : strings.Index(address, ")")]
	proxy := realserver.NewProxy(t, host)
	through := strings.Replace(address, host, proxy.Addr(), 1) + "?interpolateParams=true"
	d := landingOnSQL(t, sqlguard.MySQL, "mysql", address, through, "INSERT INTO hit VALUES (?)")
	d.proxy, d.frames = proxy, mysqlFrames
	return d
}

// landingOnSQL writes one row for each time that a term wrote.
func landingOnSQL(t *testing.T, d sqlguard.Dialect, driver, direct, through, insert string) destination {
	beside, behind := openSQL(t, driver, direct), openSQL(t, driver, through)
	behind.SetMaxOpenConns(1)
	if err := sqlguard.Setup(t.Context(), beside, d); err != nil {
		t.Fatal(err)
	}
	engine := ""
	if d == sqlguard.MySQL {
		engine = " ENGINE = InnoDB"
	}
	if _, err := beside.ExecContext(t.Context(), "CREATE TABLE hit (token BIGINT NOT NULL)"+engine); err != nil {
		t.Fatal(err)
	}
	var guards [2]*sqlguard.Guard
	for i, resource := range []string{"cut", "warm"} {
		g, err := sqlguard.New(d, resource, guard.Sequenced, nil)
		if err != nil {
			t.Fatal(err)
		}
		guards[i] = g
	}
	warming := fence.Fence{Name: "warm", Token: 1}
	if _, err := guards[1].Establish(t.Context(), beside, warming); err != nil {
		t.Fatal(err)
	}
	write := func(ctx context.Context, g *sqlguard.Guard, w guard.Write) (fence.Verdict, error) {
		return g.InTx(ctx, behind, w, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, insert, int64(w.Fence.Token))
			return err
		})
	}
	return destination{
		warm: func(ctx context.Context, n uint64) error {
			_, err := write(ctx, guards[1], guard.Write{Fence: warming, Seq: n, Key: "warm"})
			return err
		},
		write: func(ctx context.Context, w guard.Write) (fence.Verdict, error) { return write(ctx, guards[0], w) },
		establish: func(ctx context.Context, f fence.Fence) error {
			_, err := guards[0].Establish(ctx, beside, f)
			return err
		},
		applied: func(ctx context.Context, token fence.Token) (n int, err error) {
			err = beside.QueryRowContext(ctx, "SELECT count(*) FROM hit WHERE token = "+token.String()).Scan(&n)
			return n, err
		},
	}
}

func openSQL(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// landingOnRedis counts in a hash how often each term wrote.
func landingOnRedis(t *testing.T) destination {
	server := realserver.NewRedis(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	beside, behind := dialRedis(t, server.Addr(), server), redis.NewClient(&redis.Options{
		Addr: proxy.Addr(), Password: server.Password(), PoolSize: 1,
	})
	t.Cleanup(func() { _ = behind.Close() })
	open := func(c *redis.Client, resource string) *redisguard.Guard {
		g, err := redisguard.New(c, resource, guard.Sequenced, &redisguard.Options{Tag: "hits"})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	near, far, warm := open(beside, "cut"), open(behind, "cut"), open(behind, "warm")
	warming := fence.Fence{Name: "warm", Token: 1}
	if _, err := warm.Establish(t.Context(), warming); err != nil {
		t.Fatal(err)
	}
	const hits = "{hits}"
	write := func(ctx context.Context, g *redisguard.Guard, w guard.Write) (fence.Verdict, error) {
		return g.Do(ctx, w, redisguard.Command{"HINCRBY", hits, w.Fence.Token.String(), 1})
	}
	return destination{
		proxy: proxy, frames: redisFrames,
		warm: func(ctx context.Context, n uint64) error {
			_, err := write(ctx, warm, guard.Write{Fence: warming, Seq: n, Key: "warm"})
			return err
		},
		write: func(ctx context.Context, w guard.Write) (fence.Verdict, error) { return write(ctx, far, w) },
		establish: func(ctx context.Context, f fence.Fence) error {
			_, err := near.Establish(ctx, f)
			return err
		},
		applied: func(ctx context.Context, token fence.Token) (int, error) {
			text, err := beside.HGet(ctx, hits, token.String()).Result()
			if errors.Is(err, redis.Nil) {
				return 0, nil
			}
			if err != nil {
				return 0, err
			}
			return strconv.Atoi(text)
		},
	}
}
