package zkstore

import (
	"context"
	"errors"
	"net"
	"slices"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
)

// access covers the znodes that the session may see, and who else may.
func (e *examination) access(ctx context.Context) []driver.Finding {
	s := e.store
	record := driver.Finding{Subject: "record", Grade: driver.Fit}
	_, f, err := s.readFloor(ctx)
	switch {
	case errors.Is(err, errForeign):
		record.Grade, record.Found, record.Means, record.Do = driver.Unfit, "something else is at "+s.paths.store(), "no lease can be granted", foreign
	case err != nil:
		record.Grade, record.Found, record.Means, record.Do = driver.Unfit, "it can't be read: "+err.Error(), "no lease can be granted", rights
	case f == nil:
		record.Found, record.Means = "none at "+s.paths.store(), "the first client makes it, if its user may create znodes there"
	default:
		record.Found, record.Means = "at "+s.paths.store(), "a store was opened here before"
	}
	return []driver.Finding{record, e.openness(ctx), e.secrecy()}
}

// openness is who may change the store's znodes.
func (e *examination) openness(ctx context.Context) driver.Finding {
	f := driver.Finding{Subject: "rights", Grade: driver.Fit, Found: "not everybody may write", Means: "only whom the ACL names changes leases"}
	acl, err := ask(ctx, e.store, func(c *zk.Conn, _ uint64) ([]zk.ACL, error) {
		acl, _, err := c.GetACL(e.store.paths.store())
		return acl, err
	})
	of := "the store's record"
	if errors.Is(err, zk.ErrNoNode) {
		acl, err, of = e.options.ACL, nil, "what the store would make"
	}
	const change = zk.PermWrite | zk.PermCreate | zk.PermDelete
	switch {
	case err != nil:
		f.Grade, f.Found, f.Means, f.Do = driver.Warning, "unknown: "+err.Error(), "the ACL can't be read", "look with a user who may"
	case slices.ContainsFunc(acl, func(a zk.ACL) bool { return a.Scheme == "world" && a.Perms&change != 0 }):
		f.Grade, f.Found = driver.Warning, "everybody may write "+of
		f.Means, f.Do = "whoever reaches the ensemble can remove a lease or the store", "give credentials (the option Auth), and set the ACL of what is there already"
	}
	return f
}

// secrecy is whether credentials travel in clear.
func (e *examination) secrecy() driver.Finding {
	f := driver.Finding{Subject: "credentials", Grade: driver.Fit, Found: "none are sent", Means: "nothing can be read on the way"}
	switch {
	case len(e.options.Auth) == 0:
	case e.options.ownDial:
		f.Found = "sent over connections that the program makes by its own means"
	case !slices.ContainsFunc(e.servers, func(s string) bool { return !loopback(s) }):
		f.Found = "sent inside of this machine"
	default:
		f.Grade, f.Found = driver.Warning, "sent in clear over the network"
		f.Means, f.Do = "whoever listens can then write leases", "connect over TLS (the option Dial)"
	}
	return f
}

func loopback(server string) bool {
	host, _, err := net.SplitHostPort(server)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}
