package zkstore

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
)

// paths are the places of a store:
//
//	ROOT/store             the store's identity
//	ROOT/store/IDENTITY    its record: the floor
//	ROOT/clock             written to learn the leader's time
//	ROOT/lease/SHARD/NAME  the record of a name
//	ROOT/wait/NAME/...     those who wait for a name, in their order
//
// NAME is percent-encoded, so that one with a slash is one znode. SHARD spreads the
// names over 256 folders: ZooKeeper lists a folder in one answer or not at all.
type paths struct{ root string }

func (p paths) store() string                 { return p.root + "/store" }
func (p paths) record(identity string) string { return p.root + "/store/" + identity }
func (p paths) clock() string                 { return p.root + "/clock" }
func (p paths) leases() string                { return p.root + "/lease" }
func (p paths) lease(name string) string      { return p.shard(name) + "/" + encode(name) }
func (p paths) waiters(name string) string    { return p.root + "/wait/" + encode(name) }
func (p paths) waiter(name, id string) string { return p.waiters(name) + "/" + id }

func (p paths) shard(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return fmt.Sprintf("%s/%02x", p.leases(), h.Sum32()&0xff)
}

// encode makes the name of a znode. ZooKeeper takes no "." and no "..".
func encode(name string) string {
	if name == "." || name == ".." {
		return strings.ReplaceAll(name, ".", "%2E")
	}
	return url.PathEscape(name)
}

// decode is the name that encode made a znode's name of; ok is false where it
// can't have.
func decode(znode string) (name string, ok bool) {
	name, err := url.PathUnescape(znode)
	return name, err == nil && encode(name) == znode
}
