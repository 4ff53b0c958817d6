package cases

import (
	"context"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
)

type majority struct {
	nodes []*redis.Client
	db    *sql.DB
}

func (m *majority) take(ctx context.Context, key, owner string) bool {
	n := 0
	for _, node := range m.nodes {
		ok, err := node.SetNX(ctx, key, owner, 5*time.Second).Result() // want 14
		if err == nil && ok {
			n++
		}
	}
	return n > len(m.nodes)/2
}

func (m *majority) drop(ctx context.Context, key, owner string) {
	for _, node := range m.nodes {
		node.Eval(ctx, `if redis.call("get",KEYS[1])==ARGV[1] then return redis.call("del",KEYS[1]) end return 0`, []string{key}, owner) // want 10
	}
}

func (m *majority) Book(ctx context.Context, seat, owner string) error {
	if !m.take(ctx, "seat:lock:"+seat, owner) {
		return context.Canceled
	}
	defer m.drop(ctx, "seat:lock:"+seat, owner)
	_, err := m.db.ExecContext(ctx, "UPDATE seats SET taken_by = $1 WHERE id = $2", owner, seat) // want 4
	return err
}
