package redisstore

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
)

// ruling is what an error of Redis or of its client means for the call that met it.
type ruling struct {
	kind error // one of the sentinels of package driver
	err  error // what the client said
	hint string
	// again: certainly not applied, and worth another try soon.
	again bool
	// moved: a cluster keeps the keys elsewhere by now.
	moved bool
}

func (r ruling) Error() string { return r.err.Error() }
func (r ruling) Unwrap() error { return r.err }

// fault is r as an error of the contract. what says what was being done, where
// package ringfence won't.
func (r ruling) fault(what string) error {
	err := r.err
	if what != "" {
		err = &told{what: what, err: err}
	}
	return &driver.Fault{Kind: r.kind, Err: err, Hint: r.hint}
}

// told is an error with what was being done. No error of go-redis holds a
// password: it is given apart from the address.
type told struct {
	what string
	err  error
}

func (e *told) Error() string { return e.what + ": " + e.err.Error() }
func (e *told) Unwrap() error { return e.err }

const (
	resolve = "ask again with the same attempt, or read the record, before anything else"
	primary = "connect to the primary"
	lonely  = "hand in a *redis.ClusterClient, or name the server of the cluster that has the store's keys"
	rights  = "grant the user the store's keys, the channels of the same names and the commands that its scripts use, " +
		"INFO among them; where that is impossible, open the store with WeakIdentity"
)

func unfit(hint string) ruling       { return ruling{kind: driver.ErrUnfit, hint: hint} }
func unavailable(hint string) ruling { return ruling{kind: driver.ErrUnavailable, hint: hint} }
func retry(hint string) ruling {
	return ruling{kind: driver.ErrUnavailable, hint: hint, again: true}
}

var doubt = ruling{kind: driver.ErrUnknown, hint: resolve}

// because is r for the reason err.
func (r ruling) because(err error) ruling {
	r.err = err
	return r
}

// refuse makes an error that no server gave.
func refuse(hint, reason string) ruling { return unfit(hint).because(errors.New(reason)) }

// codes are the rulings by the first word of what the server answers. A script
// writes the record last, so one that ends with an error has not applied it.
var codes = []struct {
	code   string
	ruling ruling
}{
	{"MOVED", ruling{kind: driver.ErrUnavailable, again: true, moved: true}},
	{"ASK", ruling{kind: driver.ErrUnavailable, again: true, moved: true}},
	{"TRYAGAIN", retry("")},
	{"BUSY", retry("another script keeps the server busy")},
	{"CLUSTERDOWN", unavailable("the cluster has no primary for the store's keys")},
	{"READONLY", unavailable("the server is a replica: " + primary)},
	{"MASTERDOWN", unavailable("the server is a replica without its primary: " + primary)},
	{"LOADING", unavailable("the server reads its data from the disk")},
	{"OOM", unavailable("the server has no memory left: raise maxmemory; do not let it evict keys")},
	{"MISCONF", unavailable("the server can't write to its disk")},
	{"NOREPLICAS", unavailable("too few replicas are connected for min-replicas-to-write")},
	{"ERR max number of clients reached", unavailable("")},
	{"NOAUTH", unfit("give the client a password")},
	{"WRONGPASS", unfit("check the client's user and password")},
	{"NOPERM", unfit(rights)},
	{"WRONGTYPE", unfit("a key of the store holds something else: open the store with another Prefix")},
}

// judge rules on an error that came after a script was sent.
func judge(err error) ruling {
	var r ruling
	var answered redis.Error
	var op *net.OpError
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, redis.ErrClosed):
		return ruling{kind: driver.ErrClosed, hint: "close the store before its client"}.because(err)
	case errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted):
		return unavailable("no connection of the client's pool was free: raise its PoolSize").because(err)
	case errors.As(err, &op) && op.Op == "dial":
		return unavailable("").because(err)
	case errors.As(err, &answered):
		return answer(err.Error()).because(err)
	}
	return doubt.because(err)
}

// answer rules on an error that the server answered. Redis 6 puts the code of a
// command inside a script behind a text of its own.
func answer(text string) ruling {
	for _, c := range codes {
		if strings.HasPrefix(text, c.code) || strings.Contains(text, ": -"+c.code+" ") {
			return c.ruling
		}
	}
	for _, says := range []string{"executing the script can't", "ACL failure in script"} { // since Redis 7, without a code
		if strings.Contains(text, says) {
			return unfit(rights)
		}
	}
	if strings.Contains(text, "user_script") {
		return unfit("the store's records are not as this release made them: open the store with another Prefix")
	}
	return unavailable("")
}

// before is r where nothing that changes a lease had been sent.
func before(r ruling) ruling {
	if r.kind == driver.ErrUnknown {
		r.kind, r.hint = driver.ErrUnavailable, ""
	}
	return r
}

// left is the ruling for a caller whose context has ended. last is what kept it
// waiting, where there was something.
func left(ctx context.Context, sent bool, last error) ruling {
	err := ctx.Err()
	if last != nil {
		err = errors.Join(err, last)
	}
	if sent {
		return doubt.because(err)
	}
	return unavailable("").because(err)
}
