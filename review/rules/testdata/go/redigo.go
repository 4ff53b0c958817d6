package cases

import (
	"context"
	"database/sql"
	"net/http"
	"strings"

	"github.com/gomodule/redigo/redis"
)

var dropIfOwned = redis.NewScript(1, `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end`)

type Coupons struct {
	pool *redis.Pool
	db   *sql.DB
}

func (c *Coupons) Redeem(ctx context.Context, code, owner string) error {
	conn := c.pool.Get()
	defer conn.Close()
	reply, err := redis.String(conn.Do("SET", "coupon-lock:"+code, owner, "NX", "PX", 15000))
	if err != nil || reply != "OK" {
		return err
	}
	defer func() {
		if cur, _ := redis.String(conn.Do("GET", "coupon-lock:"+code)); cur == owner {
			conn.Do("DEL", "coupon-lock:"+code) // want 2
		}
	}()
	_, err = c.db.ExecContext(ctx, "UPDATE coupons SET used = used + 1 WHERE code = ?", code) // want 4
	return err
}

// Owned compares and deletes in one step, and says whether it was ours.
func (c *Coupons) Owned(owner string) (bool, error) {
	conn := c.pool.Get()
	defer conn.Close()
	n, err := redis.Int(dropIfOwned.Do(conn, "coupon-lock:all", owner))
	return n == 1, err
}

func notify(conn redis.Conn, owner string) error {
	got, err := redis.Int(conn.Do("SETNX", "mutex:digest", owner))
	if err != nil {
		return err
	}
	if got == 0 {
		return nil
	}
	if _, err := conn.Do("EXPIRE", "mutex:digest", 60); err != nil { // want 3
		return err
	}
	resp, err := http.Post("https://hooks.invalid/digest", "text/plain", strings.NewReader("x")) // want 8
	if err != nil {
		return err
	}
	resp.Body.Close()
	_, err = conn.Do("DEL", "mutex:digest") // want 1
	return err
}
