package etcdstore

import (
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

// keys are the places of a store. A name's three keys end in the name itself,
// byte for byte, so that no two names meet and a range lists them in order.
//
//	store        the store's own record: identity and base
//	live/NAME    while the name is held, on an etcd lease, which takes it away; on none
//	             and with a note where the last term was ended before that
//	term/NAME    the last grant; written by it and by nothing else
//	note/NAME    the last renewal of a term, for how long it was, when it is over
//
// Those who wait stand at line/NAME, a line break and their attempt, in the order in which
// their keys were made. No name has a line break.
type keys struct{ prefix string }

func (k keys) store() string           { return k.prefix + "store" }
func (k keys) live(name string) string { return k.prefix + "live/" + name }
func (k keys) term(name string) string { return k.prefix + "term/" + name }
func (k keys) note(name string) string { return k.prefix + "note/" + name }

// line begins the key of everyone who waits for name.
func (k keys) line(name string) string { return k.prefix + "line/" + name + "\n" }

// place is the key of an attempt that waits for name.
func (k keys) place(name, attempt string) string { return k.line(name) + attempt }

// look reads all that concerns a name.
func (k keys) look(name string) []clientv3.Op {
	return []clientv3.Op{
		clientv3.OpGet(k.store()), clientv3.OpGet(k.live(name)), clientv3.OpGet(k.term(name)), clientv3.OpGet(k.note(name)),
		k.waiting(name),
	}
}

// waiting counts who stands in line for name.
func (k keys) waiting(name string) clientv3.Op {
	return clientv3.OpGet(k.line(name), clientv3.WithPrefix(), clientv3.WithCountOnly())
}

// first reads who is first in line.
func (k keys) first(name string) clientv3.Op {
	return clientv3.OpGet(k.line(name), clientv3.WithFirstCreate()...)
}

// before reads who stands right before the place that was made by the revision mod.
func (k keys) before(name string, mod int64) clientv3.Op {
	return clientv3.OpGet(k.line(name), append(clientv3.WithLastCreate(), clientv3.WithKeysOnly(), clientv3.WithMaxCreateRev(mod-1))...)
}

// isAt reads where the place of an attempt is.
func (k keys) isAt(name, attempt string) clientv3.Op {
	return clientv3.OpGet(k.place(name, attempt), clientv3.WithKeysOnly())
}

// inTurn holds when nobody stands before the place of an attempt that was made by the
// revision mod; or where that is 0, when nobody waits at all. A range compares as all of
// its keys do, and as 0 where there are none.
func (k keys) inTurn(name, attempt string, mod int64) []clientv3.Cmp {
	if mod == 0 {
		return []clientv3.Cmp{clientv3.Compare(clientv3.CreateRevision(k.line(name)).WithPrefix(), "=", 0)}
	}
	return []clientv3.Cmp{
		clientv3.Compare(clientv3.CreateRevision(k.place(name, attempt)), "=", mod),
		clientv3.Compare(clientv3.CreateRevision(k.line(name)).WithPrefix(), ">", mod-1),
	}
}

// ofAttempt holds when the last grant of name was made to this attempt. A grant
// begins with its attempt and a line break, and values compare as bytes.
func (k keys) ofAttempt(name, attempt string) []clientv3.Cmp { return k.between(name, attempt) }

// free holds when nobody holds the name. A key that is not there compares as one on no lease.
func (k keys) free(name string) clientv3.Cmp {
	return clientv3.Compare(clientv3.LeaseValue(k.live(name)), "=", 0)
}

// exact holds when t is the last grant of its name and is not over: the same
// attempt above the same base, in the revision that makes it this token, and the
// live key on an etcd lease: only a grant puts it there, and a renewal of the last one.
func (k keys) exact(t driver.Term, base int64) []clientv3.Cmp {
	rev := int64(t.Token) - base
	return append(k.between(t.Name, t.Attempt+"\n"+padded(base)),
		clientv3.Compare(clientv3.ModRevision(k.term(t.Name)), "=", rev),
		clientv3.Compare(clientv3.LeaseValue(k.live(t.Name)), ">", 0))
}

// between holds when the grant of name begins with the given lines.
func (k keys) between(name, lines string) []clientv3.Cmp {
	key := k.term(name)
	return []clientv3.Cmp{
		clientv3.Compare(clientv3.Value(key), ">", lines+"\n"),
		clientv3.Compare(clientv3.Value(key), "<", lines+"\v"), // the byte after a line break
	}
}
