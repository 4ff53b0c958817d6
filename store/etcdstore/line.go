package etcdstore

import (
	"context"
	"errors"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// line listens for those of this process who wait for a name. One of them, who stands
// before the others of this process, watches for all: the live key, where nobody is before
// it, else the key right before its own. So the end of a term wakes one process of all,
// and one waiter in it. Those who don't wait in line have a line of their own, which
// watches the live key and gives hints in turn.
type line struct {
	store   *Store
	of      watched
	cancel  context.CancelFunc
	changed chan struct{} // who listens here, or has a place, is not as it was; room for one

	// These four are guarded by hub.mu.
	waiting []*listener   // in turn
	watches *listener     // the one who watches for all; nil where none has a place
	begun   chan struct{} // closed when hints come, or when they never will
	err     error         // why they never will

	// These are of the goroutine that listens.
	ahead string // the key right before that of watches; "" where there is none
	seen  int64  // the revision of the last look
}

// watched is what a line listens for: a name, or somebody's turn in the line for it.
type watched struct {
	name  string
	turns bool
}

// listener is one watch.
type listener struct {
	attempt string        // that may have a place; "" for one who does not wait in line
	mod     int64         // the revision that made the place; 0 where that is not known, or there is none
	hint    chan struct{} // room for one
	told    bool          // it was told of its turn, and has not asked for the name since
}

// retryAfter is how long a line pauses after an error.
const retryAfter = 100 * time.Millisecond

// listen goes on until ctx ends.
func (l *line) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.watch(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if l.store.hub.refuse(l, err) {
			return // the next watch begins anew
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryAfter):
		}
	}
}

// key is what has to be watched.
func (l *line) key() string {
	if l.ahead != "" {
		return l.ahead
	}
	return l.store.keys.live(l.of.name)
}

// watch is one watch of a key. It returns nil when that has to be another one by now.
func (l *line) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	key := l.key()
	events, err := l.store.watch(ctx, cancel, key)
	if err != nil {
		return err
	}
	if err := l.look(ctx); err != nil || l.key() != key {
		return err
	}
	l.store.hub.begin(l)
	for {
		select {
		case r, ok := <-events:
			err = l.heard(ctx, r, ok)
		case <-l.changed:
			err = l.look(ctx)
		case <-ctx.Done():
			return nil
		}
		if err != nil || l.key() != key {
			return err
		}
	}
}

// heard takes what a watch tells. Whoever was right behind one that has gone is likely to
// be the first now. A grant is one to the first in line: where it was made by another
// process, that is how this one learns of it.
func (l *line) heard(ctx context.Context, r clientv3.WatchResponse, ok bool) error {
	if !ok {
		return errNoWatch
	}
	var ended, granted bool
	for _, e := range r.Events {
		isNew := e.Kv.ModRevision > l.seen
		onLease := e.Type == clientv3.EventTypePut && e.Kv.Lease != 0
		ended = ended || isNew && !onLease
		granted = granted || isNew && onLease && l.ahead == "" && string(e.Kv.Value) != renewed
	}
	switch {
	case r.Err() != nil:
		return r.Err()
	case granted:
		return l.look(ctx)
	case ended && l.ahead != "":
		l.ahead = ""
	case ended:
		l.store.hub.hint(l)
	}
	return nil
}

// look finds who stands right before the first one here, and gives it a hint where nobody
// does and the name is free.
func (l *line) look(ctx context.Context) error {
	for {
		w, mod, err := l.foremost(ctx)
		if err != nil {
			return err
		}
		ops := []clientv3.Op{clientv3.OpGet(l.store.keys.live(l.of.name))}
		if w != nil {
			ops = append(ops, l.store.keys.isAt(l.of.name, w.attempt), l.store.keys.before(l.of.name, mod))
		}
		resp, err := l.store.read(ctx, ops...)
		if err != nil {
			return err
		}
		l.ahead, l.seen = "", resp.Header.Revision
		if w != nil {
			own := resp.Responses[1].GetResponseRange().Kvs
			if len(own) == 0 || own[0].CreateRevision != mod {
				l.store.places.lost(l.of.name, w.attempt, l.seen)
				l.store.hub.found(w, 0)
				continue
			}
			if before := resp.Responses[2].GetResponseRange().Kvs; len(before) > 0 {
				l.ahead = string(before[0].Key)
			}
		}
		live := resp.Responses[0].GetResponseRange().Kvs
		if l.ahead == "" && (len(live) == 0 || live[0].Lease == 0) {
			l.store.hub.hint(l)
		}
		return nil
	}
}

// foremost is the one here who stands before the others, and the revision that made its
// place; or nil where none has one. Places that this process did not make are asked for.
func (l *line) foremost(ctx context.Context) (*listener, int64, error) {
	unknown := l.store.hub.unknown(l)
	for some := range slices.Chunk(unknown, maxTogether) {
		var ops []clientv3.Op
		for _, w := range some {
			ops = append(ops, l.store.keys.isAt(l.of.name, w.attempt))
		}
		resp, err := l.store.read(ctx, ops...)
		if err != nil {
			return nil, 0, err
		}
		for i, w := range some {
			if own := resp.Responses[i].GetResponseRange().Kvs; len(own) > 0 {
				l.store.hub.found(w, own[0].CreateRevision)
			}
		}
	}
	w, mod := l.store.hub.foremost(l)
	return w, mod, nil
}

var errNoWatch = errors.New("etcd ended the watch before it began")

// watch begins to watch a key, within the time of one try. stop ends it.
func (s *Store) watch(ctx context.Context, stop context.CancelFunc, key string) (clientv3.WatchChan, error) {
	slow := time.AfterFunc(s.try, stop)
	defer slow.Stop()
	events := s.client.Watch(clientv3.WithRequireLeader(ctx), key, clientv3.WithCreatedNotify())
	switch r, ok := <-events; {
	case ok && r.Err() != nil:
		return nil, r.Err()
	case !ok || !r.Created || !slow.Stop():
		return nil, errNoWatch
	}
	return events, nil
}
