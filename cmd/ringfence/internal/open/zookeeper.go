package open

import (
	"context"
	"strings"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

const zkForm = "zk://host:2181,host2:2181/chroot, with user:password@ for a digest"

func parseZooKeeper(raw string) (Target, error) {
	t, u, err := parseServer(raw, ZooKeeper, zkForm)
	switch {
	case err != nil:
		return Target{}, err
	case u.Host == "" || u.RawQuery != "":
		return Target{}, invalidServer(ZooKeeper, "it needs a host and takes no parameters", zkForm)
	case u.User != nil && !t.HasPassword:
		return Target{}, invalidServer(ZooKeeper, "a user is known by its password, which is missing", zkForm)
	}
	address := u.Host + strings.TrimSuffix(u.Path, "/")
	options := func(label string) *zkstore.Options {
		o := &zkstore.Options{Label: label}
		if password, known := u.User.Password(); known {
			o.Auth = []zkstore.Auth{{Scheme: "digest", Secret: u.User.Username() + ":" + password}}
		}
		return o
	}
	t.server = func(ctx context.Context, label string) (Store, error) {
		return opened(zkstore.Open(ctx, address, options(label)))
	}
	t.examine = func(ctx context.Context, label string) ([]driver.Finding, error) {
		return zkstore.Examine(ctx, address, options(label))
	}
	return t, nil
}
