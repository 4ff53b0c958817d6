package etcdstore

import (
	"context"
	"slices"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// shortLine is the longest line that is read anew for everyone who asks where it stands.
	shortLine = 100
	// rollLasts is how old an answer may be about a longer one.
	rollLasts = time.Second
)

// rolls tell how many stand before a place. Of a long line the last reading serves all of
// this process for a second, so that a thousand who wait in it cost little more than a few.
type rolls struct {
	store *Store
	mu    sync.Mutex
	last  map[string]roll // of long lines
}

// roll is a line as it was read.
type roll struct {
	at       time.Time // before it was read
	revision int64     // at which it was read
	mods     []int64   // the revisions that made the places, from the first to the last
}

// ahead is how many stand before the place that was made by the revision mod, and whether
// it is there.
func (r roll) ahead(mod int64) (int, bool) { return slices.BinarySearch(r.mods, mod) }

// recent is a reading of a line that tells of the place that was made by the revision mod.
// Its error is a ruling.
func (r *rolls) recent(ctx context.Context, name string, mod int64) (roll, error) {
	if line, known := r.known(name, mod); known {
		return line, nil
	}
	return r.call(ctx, name)
}

// known is a reading that is recent enough to tell of a place.
func (r *rolls) known(name string, mod int64) (roll, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, ok := r.last[name]
	return line, ok && line.revision >= mod && time.Since(line.at) < rollLasts
}

func (r *rolls) call(ctx context.Context, name string) (roll, error) {
	line := roll{at: time.Now()}
	resp, err := r.store.read(ctx, clientv3.OpGet(r.store.keys.line(name), clientv3.WithPrefix(), clientv3.WithKeysOnly()))
	if err != nil {
		return line, err
	}
	line.revision = resp.Header.Revision
	for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
		line.mods = append(line.mods, kv.CreateRevision)
	}
	slices.Sort(line.mods)
	r.keep(name, line)
	return line, nil
}

func (r *rolls) keep(name string, line roll) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(line.mods) <= shortLine:
		delete(r.last, name)
	case r.last == nil || len(r.last) >= most:
		r.last = map[string]roll{name: line}
	default:
		r.last[name] = line
	}
}
