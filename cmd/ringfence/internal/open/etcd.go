package open

import (
	"context"
	"crypto/tls"
	"errors"
	"net/url"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

const etcdForm = "etcd://user@host:2379,host2:2379/prefix, or etcds:// for TLS"

func parseEtcd(raw string) (Target, error) {
	t, u, err := parseServer(raw, Etcd, etcdForm)
	switch {
	case err != nil:
		return Target{}, err
	case u.Host == "" || u.RawQuery != "":
		return Target{}, invalidServer(Etcd, "it needs a host and takes no parameters", etcdForm)
	}
	t.resolution = time.Second
	t.server = func(ctx context.Context, label string) (Store, error) {
		client, err := etcdClient(ctx, u)
		if err != nil {
			return nil, err
		}
		s, err := etcdstore.Open(ctx, client, etcdOptions(u, label))
		if err != nil {
			_ = client.Close()
			return nil, err
		}
		return &inEtcd{s, client}, nil
	}
	t.examine = func(ctx context.Context, label string) ([]driver.Finding, error) {
		client, err := etcdClient(ctx, u)
		if err != nil {
			return nil, err
		}
		defer client.Close()
		return etcdstore.Examine(ctx, client, etcdOptions(u, label))
	}
	t.destination = func(ctx context.Context) (Destination, error) { return etcdDestination(ctx, u) }
	return t, nil
}

func etcdOptions(u *url.URL, label string) *etcdstore.Options {
	prefix := strings.TrimPrefix(u.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	return &etcdstore.Options{Label: label, Prefix: prefix}
}

func etcdClient(ctx context.Context, u *url.URL) (*clientv3.Client, error) {
	config := clientv3.Config{
		Endpoints: strings.Split(u.Host, ","), DialTimeout: connectTimeout,
		Username: u.User.Username(), Logger: zap.NewNop(), Context: context.WithoutCancel(ctx),
	}
	config.Password, _ = u.User.Password()
	if strings.EqualFold(u.Scheme, "etcds") {
		config.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	// With a user it logs in at once, whatever becomes of ctx.
	client, err := aside(ctx, func() (*clientv3.Client, error) { return clientv3.New(config) }, func(c *clientv3.Client) { _ = c.Close() })
	if err != nil {
		return nil, etcdFailure(err)
	}
	return client, nil
}

// etcdFailure is a client that could not be made.
func etcdFailure(err error) error {
	if errors.Is(rpctypes.Error(err), rpctypes.ErrAuthFailed) {
		return unfit(err, "check the user and the password")
	}
	return unavailable(err)
}

type inEtcd struct {
	*etcdstore.Store
	client *clientv3.Client
}

// Close closes the store, then its client.
func (s *inEtcd) Close() error { return closeBoth(s.Store, s.client) }
