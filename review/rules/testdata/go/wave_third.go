package cases

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type gateKeeper struct {
	rdb  redis.UniversalClient
	http *http.Client
	pool *pgxpool.Pool
}

type gate struct {
	k     *gateKeeper
	key   string
	owner string
}

func (k *gateKeeper) open(ctx context.Context, name string) (*gate, error) {
	g := &gate{k: k, key: "gate:" + name + ":lock", owner: uuid.NewString()}
	cmd := k.rdb.SetArgs(ctx, g.key, g.owner, redis.SetArgs{Mode: "NX", TTL: 15 * time.Second}) // want 7
	if cmd.Err() == redis.Nil {
		return nil, fmt.Errorf("gate %s is busy", name)
	}
	return g, cmd.Err()
}

func (g *gate) shut(ctx context.Context) error {
	owner, err := g.k.rdb.Get(ctx, g.key).Result()
	if err != nil {
		return err
	}
	if owner != g.owner {
		return fmt.Errorf("gate %s is not ours", g.key)
	}
	return g.k.rdb.Del(ctx, g.key).Err() // want 2
}

func (k *gateKeeper) Import(ctx context.Context, feed string) error {
	g, err := k.open(ctx, feed)
	if err != nil {
		return err
	}
	defer g.shut(ctx)
	resp, err := http.Get("https://feeds.example/" + feed)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var rows []struct{ ID, Price int }
	if err := json.NewDecoder(resp.Body).Decode(&rows); err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := k.pool.Exec(ctx, `INSERT INTO prices (id, price) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET price = excluded.price`, r.ID, r.Price); err != nil { // want 4
			return err
		}
	}
	return nil
}

type NightLock struct {
	Name      string `gorm:"primaryKey"`
	Owner     string
	ExpiresAt time.Time
}

func takeNight(db *gorm.DB, name string) (bool, error) {
	host, _ := os.Hostname()
	row := NightLock{Name: name, Owner: host, ExpiresAt: time.Now().Add(time.Minute)} // want 6
	res := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	return res.RowsAffected == 1, res.Error
}

func dropNight(db *gorm.DB, name string) error {
	return db.Where("name = ?", name).Delete(&NightLock{}).Error // want 1
}

func vacuumOnce(ctx context.Context, db *sqlx.DB) error {
	var ok bool
	if err := db.GetContext(ctx, &ok, "SELECT pg_try_advisory_lock(4711)"); err != nil || !ok { // want 13
		return err
	}
	defer db.ExecContext(ctx, "SELECT pg_advisory_unlock(4711)")                              // want 10
	_, err := db.ExecContext(ctx, "DELETE FROM events WHERE at < now() - interval '30 days'") // want 4
	return err
}

func quorum(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id int64) error {
	m := rs.NewMutex(fmt.Sprintf("account:%d", id), redsync.WithExpiry(8*time.Second))
	if err := m.LockContext(ctx); err != nil { // want 14
		return err
	}
	defer func() { _, _ = m.UnlockContext(ctx) }() // want 10
	if m.Until().Before(time.Now()) {
		return context.DeadlineExceeded
	}
	_, err := db.ExecContext(ctx, "UPDATE accounts SET balance = balance - 10 WHERE id = $1", id) // want 4 12
	return err
}
