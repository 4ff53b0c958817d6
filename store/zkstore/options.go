package zkstore

import (
	"context"
	"fmt"
	"net"
	"path"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
)

// Options change how a store is opened. A nil *Options means the defaults. All
// clients of one store must agree on Prefix.
type Options struct {
	// Prefix is the path of the store below the chroot of the address, 1 to 256 bytes
	// without a slash at either end. Nothing else may write below it. Defaults to
	// "ringfence".
	Prefix string

	// Label names the store for people, in errors and logs. Defaults to ZooKeeper and
	// the address.
	Label string

	// Auth are the credentials of the session. Defaults to none.
	Auth []Auth

	// ACL says who may do what with the znodes that the store makes. Defaults to
	// everything for everybody where Auth is empty, and for whoever has the same
	// credentials elsewhere.
	ACL []zk.ACL

	// SessionTimeout is how long the session outlives its connection, 1 second to 1
	// minute; the ensemble may change it. No lease hangs on a session: this is how long
	// a crashed waiter keeps its place in the line. Defaults to 10 seconds.
	SessionTimeout time.Duration

	// AnswerWithin is how long one request may take, 50 ms to 1 minute. Defaults to 5
	// seconds.
	AnswerWithin time.Duration

	// Dial connects to a server, over TLS for example. Defaults to net.DialTimeout.
	Dial func(network, address string, timeout time.Duration) (net.Conn, error)

	ownDial bool // Dial was set
}

// Auth is a credential of ZooKeeper's: scheme "digest" with the secret
// "user:password", for example.
type Auth struct {
	Scheme string
	Secret string
}

func (o *Options) withDefaults(address string) (Options, error) {
	full := Options{}
	if o != nil {
		full = *o
	}
	if full.Prefix == "" {
		full.Prefix = "ringfence"
	}
	if full.Label == "" {
		full.Label = "ZooKeeper at " + address
	}
	if full.SessionTimeout == 0 {
		full.SessionTimeout = 10 * time.Second
	}
	if full.AnswerWithin == 0 {
		full.AnswerWithin = 5 * time.Second
	}
	if full.ownDial = full.Dial != nil; !full.ownDial {
		full.Dial = net.DialTimeout
	}
	if full.ACL == nil {
		full.ACL = zk.WorldACL(zk.PermAll)
		if len(full.Auth) > 0 {
			full.ACL = zk.AuthACL(zk.PermAll)
		}
	}
	return full, full.check()
}

func (o *Options) check() error {
	switch {
	case len(o.Prefix) > 256 || strings.Trim(o.Prefix, "/") != o.Prefix || path.Clean("/"+o.Prefix) != "/"+o.Prefix || fence.CheckName(o.Prefix) != nil:
		return fmt.Errorf("%w option Prefix %s: want 1 to 256 bytes of a path without a slash at either end", fence.ErrInvalid, fence.Quote(o.Prefix))
	case o.SessionTimeout < time.Second || o.SessionTimeout > time.Minute:
		return fmt.Errorf("%w option SessionTimeout %s: want 1s to 1m", fence.ErrInvalid, o.SessionTimeout)
	case o.AnswerWithin < 50*time.Millisecond || o.AnswerWithin > time.Minute:
		return fmt.Errorf("%w option AnswerWithin %s: want 50ms to 1m", fence.ErrInvalid, o.AnswerWithin)
	}
	return nil
}

// split takes an address apart: servers, with ZooKeeper's port where there is none,
// and the chroot, which is "" or begins with a slash.
func split(address string) (servers []string, chroot string, err error) {
	list, chroot, _ := strings.Cut(address, "/")
	for _, s := range strings.Split(list, ",") {
		if strings.TrimSpace(s) != s || s == "" {
			return nil, "", fmt.Errorf("%w address %s of ZooKeeper: want host:port,host:port/path", fence.ErrInvalid, fence.Quote(address))
		}
		if _, _, err := net.SplitHostPort(s); err != nil {
			s = net.JoinHostPort(strings.Trim(s, "[]"), "2181")
		}
		servers = append(servers, s)
	}
	if chroot = strings.Trim(chroot, "/"); chroot == "" {
		return servers, "", nil
	}
	if path.Clean("/"+chroot) != "/"+chroot {
		return nil, "", fmt.Errorf("%w address %s of ZooKeeper: its path is not a plain one", fence.ErrInvalid, fence.Quote(address))
	}
	return servers, "/" + chroot, nil
}

// Open returns a store in the ensemble at an address as ZooKeeper's own clients write
// it: "zk1:2181,zk2:2181,zk3:2181", and a path after that where the store shall lie
// below one. The session is the store's own, and ends with Close. Open makes the
// path and the store's record where they are missing. The error is
// driver.ErrUnavailable where the ensemble could not be asked, and driver.ErrUnfit
// where it can't host leases as it is; its text says what to do.
func Open(ctx context.Context, address string, o *Options) (*Store, error) {
	return open(ctx, address, o, time.Now)
}

func open(ctx context.Context, address string, o *Options, now func() time.Time) (*Store, error) {
	s, err := connect(address, o, now)
	if err != nil {
		return nil, err
	}
	_, err = run(ctx, s, "open the store", func(ctx context.Context) (*floor, error) { return s.floor(ctx) })
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// connect makes a store that has sent nothing yet.
func connect(address string, o *Options, now func() time.Time) (*Store, error) {
	full, err := o.withDefaults(address)
	if err != nil {
		return nil, err
	}
	servers, chroot, err := split(address)
	if err != nil {
		return nil, err
	}
	s := newStore(servers, chroot+"/"+full.Prefix, full, now)
	if err := s.link.begin(); err != nil {
		_ = s.Close()
		return nil, s.explain("connect", ruling.Refuse(err, "see the address"))
	}
	return s, nil
}
