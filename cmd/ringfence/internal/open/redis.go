package open

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
)

func init() { redis.SetLogger(silent{}) } // what matters is in the errors

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

func parseRedis(raw string) (Target, error) {
	bad := func(why string) (Target, error) {
		return Target{}, fmt.Errorf("%w Redis URL: %s; want redis://user@host:6379/0, or rediss:// for TLS", fence.ErrInvalid, why)
	}
	u, err := url.Parse(raw)
	if err != nil || misread(u) {
		return bad("it can't be parsed; percent-encode what is special in the user and the password: %40 is @, %2F is /, %3A is :, %3F is ?, %23 is #")
	}
	options, err := redis.ParseURL(raw)
	if err != nil {
		return bad("check its host, its database number and its parameters")
	}
	t := Target{Kind: Redis, Label: label(u, strings.ToLower(u.Scheme)), redis: options}
	_, t.HasPassword = u.User.Password()
	return t, nil
}
