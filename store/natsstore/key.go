package natsstore

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
)

// The subjects of a bucket are $KV.BUCKET.floor and $KV.BUCKET.lease.KEY.
func (s *Store) floorSubject() string            { return "$KV." + s.bucket + ".floor" }
func (s *Store) leaseSubject(name string) string { return "$KV." + s.bucket + ".lease." + key(name) }
func (s *Store) leases() string                  { return "$KV." + s.bucket + ".lease.*" }

// key spells a name as one token of a subject, which no other name shares: what a
// key may not hold, the dot that separates tokens and the escape itself become
// "=" and two digits.
func key(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; plain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '/'
}

// checkBucket reports why a bucket can't be called so, or nil.
func checkBucket(bucket string) error {
	ok := bucket != "" && !strings.ContainsFunc(bucket, func(r rune) bool { return r > '~' || !plain(byte(r)) || r == '/' })
	if !ok {
		return fmt.Errorf("%w bucket %s: want letters, digits, - and _", fence.ErrInvalid, fence.Quote(bucket))
	}
	return nil
}

// nameOf reads the name back from the subject of its record.
func nameOf(subject string) (string, error) {
	escaped := subject[strings.LastIndexByte(subject, '.')+1:]
	name, err := url.PathUnescape(strings.ReplaceAll(escaped, "=", "%"))
	if err != nil || key(name) != escaped {
		return "", ruling.Refuse(fmt.Errorf("no name is spelled %s", fence.Quote(subject)), foreign)
	}
	return name, nil
}
