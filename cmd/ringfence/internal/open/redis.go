package open

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/redisstore"
)

func init() { redis.SetLogger(silent{}) } // what matters is in the errors

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

const redisForm = "redis://user@host:6379/0, or rediss:// for TLS"

func parseRedis(raw string) (Target, error) {
	t, _, err := parseServer(raw, Redis, redisForm)
	if err != nil {
		return Target{}, err
	}
	options, err := redis.ParseURL(raw)
	if err != nil { // its text may repeat the URL
		return Target{}, invalidServer(Redis, "check its host, its database number and its parameters", redisForm)
	}
	t.redis = options
	t.server = func(ctx context.Context, label string) (Store, error) {
		client := redis.NewClient(options)
		s, err := redisstore.Open(ctx, client, &redisstore.Options{Label: label})
		if err != nil {
			go func() { _ = client.Close() }() // one that hangs must not keep the command
			return nil, err
		}
		return &inRedis{s, client}, nil
	}
	t.examine = func(ctx context.Context, label string) ([]driver.Finding, error) {
		client := redis.NewClient(options)
		defer func() { go func() { _ = client.Close() }() }()
		return redisstore.Examine(ctx, client, &redisstore.Options{Label: label})
	}
	t.destination = func(context.Context) (Destination, error) { return marksInRedis{redis.NewClient(options)}, nil }
	return t, nil
}

type inRedis struct {
	*redisstore.Store
	client *redis.Client
}

// Close closes the store, then its client.
func (s *inRedis) Close() error { return closeBoth(s.Store, s.client) }
