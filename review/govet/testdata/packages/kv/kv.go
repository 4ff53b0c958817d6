// Package kv is a client of Redis with other names.
package kv

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Store is where values are kept.
type Store struct{ rdb *redis.Client }

// New makes one.
func New(rdb *redis.Client) *Store { return &Store{rdb} }

// Claim sets a value where there is none.
func (s *Store) Claim(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	return s.rdb.SetNX(ctx, key, value, ttl).Result()
}

// Remove removes a value.
func (s *Store) Remove(ctx context.Context, key string) error {
	return s.rdb.Del(ctx, key).Err()
}
