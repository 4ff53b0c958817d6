package s3guard

import (
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
)

// Guard judges writes to one object by the mark in it.
type Guard = casguard.Guard

// Options of a Guard. Nil means the defaults.
type Options = casguard.Options

// MaxBytes is the length of the longest data that a guarded object holds.
const MaxBytes = casguard.MaxBytes

// New makes a guard of the object at key, of 1 to 1000 bytes. It sends nothing. Below
// key + ".terms/" the guard keeps the last write of each earlier term, under the rule
// Sequenced.
func New(client Client, bucket, key string, r guard.Rule, o *Options) (*Guard, error) {
	if client == nil || bucket == "" {
		return nil, fmt.Errorf("%w call of s3guard.New: it needs a client and the name of a bucket", fence.ErrInvalid)
	}
	return casguard.New(place{client, bucket}, bucket+"/"+key, key, r, o)
}
