package cases

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"
	goredis "github.com/redis/go-redis/v9"
)

type forms struct {
	pool *redis.Pool
	rdb  *goredis.Client
	db   *sql.DB
}

func (f *forms) ignored(ctx context.Context, id string) error {
	owner := uuid.NewString()
	ok, _ := f.rdb.SetNX(ctx, "forms:lock:"+id, owner, time.Minute).Result()
	if !ok {
		fmt.Println("somebody else works on", id)
	}
	_, err := f.db.ExecContext(ctx, "UPDATE forms SET state = 'done' WHERE id = $1", id) // want 4
	return err
}

func (f *forms) redigo(ctx context.Context, id string) error {
	c := f.pool.Get()
	defer c.Close()
	owner := uuid.NewString()
	reply, err := redis.String(c.Do("SET", "forms:lock:"+id, owner, "NX", "PX", 9000))
	if err == redis.ErrNil || reply != "OK" {
		return nil
	}
	if _, err := f.db.ExecContext(ctx, "UPDATE forms SET state = 'done' WHERE id = $1", id); err != nil { // want 4
		return err
	}
	cur, _ := redis.String(c.Do("GET", "forms:lock:"+id))
	if cur == owner {
		c.Do("DEL", "forms:lock:"+id) // want 2
	}
	return nil
}

func (f *forms) held(ctx context.Context, key, owner string) (bool, error) {
	v, err := f.rdb.Get(ctx, key).Result()
	return v == owner, err
}

func (f *forms) looked(ctx context.Context, id string, rows []string) error {
	owner, key := uuid.NewString(), "forms:lock:"+id
	ok, err := f.rdb.SetNX(ctx, key, owner, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	for _, r := range rows {
		if mine, err := f.held(ctx, key, owner); err != nil || !mine {
			return err
		}
		if _, err := f.db.ExecContext(ctx, "INSERT INTO rows (form, v) VALUES ($1, $2)", id, r); err != nil { // want 4 12
			return err
		}
	}
	return nil
}
