package casstore

import (
	"encoding/base64"
	"strings"
)

// keys are the places of a store, all of them in characters that every service and
// every file system below one keeps apart:
//
//	store         the store's own record: identity and floor
//	probe         written by New, to see what the bucket keeps
//	lease/NAME    the record of a name, which stands in it in full
//
// NAME is in base64 with an alphabet that sorts as its values do, so keys list in
// the byte order of the names.
type keys struct{ prefix string }

func (k keys) store() string { return k.prefix + "store" }
func (k keys) probe() string { return k.prefix + "probe" }

const alphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

var ordered = base64.NewEncoding(alphabet).WithPadding(base64.NoPadding)

// maxPart is the length of a part of a key. A service that keeps objects as files
// takes up to 255 bytes between two slashes.
const maxPart = 200

// lease is the key of a name's record.
func (k keys) lease(name string) string {
	return k.prefix + "lease/" + split(ordered.EncodeToString([]byte(name)))
}

// leases begins the keys of all names with this prefix, and of some others: a byte
// may end in the middle of a character.
func (k keys) leases(prefix string) string {
	whole := len(prefix) * 8 / 6
	return k.prefix + "lease/" + split(ordered.EncodeToString([]byte(prefix))[:whole])
}

// split cuts a long text into parts. A part that goes on ends in a dot, or else it
// could be both a file and a folder.
func split(s string) string {
	var b strings.Builder
	for len(s) > maxPart {
		b.WriteString(s[:maxPart] + "./")
		s = s[maxPart:]
	}
	return b.String() + s
}
