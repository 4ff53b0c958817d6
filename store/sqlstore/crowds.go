package sqlstore

import (
	"hash/maphash"
	"sync/atomic"
)

// crowds remembers, in a small and fixed space, for which names somebody waited lately. It
// is wrong at times: by it is only chosen which statement is tried first.
type crowds struct {
	seed  maphash.Seed
	names [1024]atomic.Bool // by their hashes
}

func newCrowds() *crowds { return &crowds{seed: maphash.MakeSeed()} }

func (c *crowds) at(name string) *atomic.Bool {
	return &c.names[maphash.String(c.seed, name)%uint64(len(c.names))]
}

func (c *crowds) has(name string) bool        { return c.at(name).Load() }
func (c *crowds) note(name string, some bool) { c.at(name).Store(some) }
