package etcdstore

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// line is the place of this process in the line for a name: a key behind all that were
// made before it. Whoever is first watches the live key, each other one the key right
// before its own. So the end of a term wakes one process of all, and one waiter in it.
//
// The key hangs on an etcd lease of the pool and is moved to a newer one from time to
// time, which keeps its place: one whose process has died is soon out of the way.
type line struct {
	store  *Store
	name   string
	key    string // begins its keys and nobody else's
	cancel context.CancelFunc
	served chan struct{} // whoever got the last hint has left; room for one

	// These six are guarded by hub.mu.
	waiting  []chan struct{} // in turn; each has room for one hint
	hinted   chan struct{}   // of whom the last hint was for, until it leaves
	begun    chan struct{}   // closed when hints come, or when they never will
	err      error           // why they never will
	alone    bool            // nobody else was in the line when it was last looked at
	passedAt int64           // the revision at which a grant took the key away

	// These are of the goroutine that stands in the line.
	keys   [2]string // its two keys: the one that it has, and the one that it had before it moved
	here   bool      // the key was there, as far as is known
	lent   *lent     // what it hangs on; nil before there is one
	heldAt int64     // the revision at which it was written; as high as can be where that is not known
	ahead  string    // the key right before it; "" for the first one
	seen   int64     // the revision of the last look
}

const (
	// placeTTL is how long a place stays at least when its process has died; a third more
	// at most.
	placeTTL = 6 * time.Second
	// retryAfter is how long a line pauses after an error.
	retryAfter = 100 * time.Millisecond
)

func newLine(s *Store, name string, cancel context.CancelFunc) *line {
	key := s.keys.line(name) + rand.Text()
	return &line{
		store: s, name: name, key: key, cancel: cancel, keys: [2]string{key + "a", key + "b"},
		served: make(chan struct{}, 1), begun: make(chan struct{}),
	}
}

// stand waits in the line until ctx ends.
func (l *line) stand(ctx context.Context) {
	defer l.leave()
	for ctx.Err() == nil {
		err := l.watch(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if l.store.hub.refuse(l, err) {
			return // the next waiter begins anew
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryAfter):
		}
	}
}

// keepAfter is when the key has to be moved to a newer etcd lease.
func (l *line) keepAfter() time.Duration {
	if !l.here {
		return 0
	}
	return max(0, 2*placeTTL/3-l.lent.age())
}

// hold takes the last place in the line, or keeps the one that there is. It reports
// whether it is a new one, and guesses who stands before it then.
func (l *line) hold(ctx context.Context) (isNew bool, err error) {
	s := l.store
	on, err := s.places.take(ctx, placeTTL)
	if err != nil {
		return false, err
	}
	resp, err := s.txn(ctx, nil, []clientv3.Op{
		clientv3.OpDelete(l.keys[1]),
		clientv3.OpGet(s.keys.line(l.name), append(clientv3.WithLastCreate(), clientv3.WithKeysOnly())...),
		clientv3.OpPut(l.keys[0], "", clientv3.WithLease(on.id), clientv3.WithPrevKV()),
	}, nil)
	if err != nil {
		s.places.unused(on, err)
		l.heldAt = math.MaxInt64
		return false, err
	}
	if l.lent != nil {
		s.places.back(l.lent)
	}
	l.lent, l.here, l.heldAt = on, true, resp.Header.Revision
	if resp.Responses[2].GetResponsePut().PrevKv != nil {
		return false, nil
	}
	l.ahead = ""
	if last := resp.Responses[1].GetResponseRange().Kvs; len(last) > 0 {
		l.ahead = string(last[0].Key)
	}
	return true, nil
}

// watch is one watch of what the line's place is behind. It returns nil when that may be
// something else by now.
func (l *line) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if l.keepAfter() == 0 {
		if _, err := l.hold(ctx); err != nil {
			return err
		}
	}
	key := l.ahead
	if key == "" {
		key = l.store.keys.live(l.name)
	}
	events, err := l.store.watch(ctx, cancel, key)
	if err != nil {
		return err
	}
	p, err := l.look(ctx)
	if err != nil || p.moved {
		return err
	}
	if p.free {
		l.store.hub.hint(l)
	}
	l.store.hub.begin(l)
	return l.listen(ctx, events)
}

// listen waits for what a watch tells, and keeps the place.
func (l *line) listen(ctx context.Context, events clientv3.WatchChan) error {
	keep := time.NewTimer(l.keepAfter())
	defer keep.Stop()
	for {
		var moved bool
		var err error
		select {
		case r, ok := <-events:
			moved, err = l.told(r, ok)
		case <-l.served:
			moved, err = l.pass(ctx)
		case <-keep.C:
			moved, err = l.hold(ctx)
			keep.Reset(l.keepAfter())
		case <-ctx.Done():
			return nil
		}
		if moved || err != nil {
			return err
		}
	}
}

// told takes what a watch tells. Whoever was right behind one that has gone is likely to
// be the first now.
func (l *line) told(r clientv3.WatchResponse, ok bool) (moved bool, err error) {
	switch {
	case !ok:
		return false, errNoWatch
	case r.Err() != nil:
		return false, r.Err()
	case !slices.ContainsFunc(r.Events, func(e *clientv3.Event) bool { return e.Kv.ModRevision > l.seen }):
		return false, nil
	case l.ahead != "":
		l.ahead = ""
		return true, nil
	}
	l.store.hub.hint(l)
	return false, nil
}

// pass goes to the end of the line, if it is first and there are others, when the last
// hint has been used.
func (l *line) pass(ctx context.Context) (moved bool, err error) {
	if l.ahead != "" {
		return false, nil
	}
	p, err := l.look(ctx)
	switch {
	case err != nil || p.moved:
		return p.moved, err
	case !p.alone:
		l.keys[0], l.keys[1] = l.keys[1], l.keys[0]
		return l.hold(ctx)
	case p.free:
		l.store.hub.hint(l)
	}
	return false, nil
}

// position is what a look at the line shows.
type position struct {
	moved bool // it is behind something else than it was, or is gone
	alone bool // nobody else is in the line
	free  bool // it is first, and nobody holds the name
}

// look finds who stands right before the line's key.
func (l *line) look(ctx context.Context) (position, error) {
	s := l.store
	resp, err := s.read(ctx,
		clientv3.OpGet(s.keys.line(l.name), clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend)),
		clientv3.OpGet(s.keys.live(l.name), clientv3.WithCountOnly()))
	if err != nil {
		return position{}, err
	}
	all := resp.Responses[0].GetResponseRange().Kvs
	at := slices.IndexFunc(all, func(kv *mvccpb.KeyValue) bool { return string(kv.Key) == l.keys[0] })
	ahead := ""
	if at > 0 {
		ahead = string(all[at-1].Key)
	}
	p := position{moved: at < 0 || ahead != l.ahead, alone: len(all) == 1}
	p.free = at == 0 && resp.Responses[1].GetResponseRange().Count == 0
	l.here, l.ahead, l.seen = at >= 0, ahead, resp.Header.Revision
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	l.alone = p.alone
	return p, nil
}

// remove takes the place out of the line.
func (l *line) remove() clientv3.Op { return clientv3.OpDelete(l.key, clientv3.WithPrefix()) }

// leave gives the place up, if it is not gone. Where that fails, it goes with its etcd lease.
func (l *line) leave() {
	s := l.store
	if l.lent == nil {
		return
	}
	defer s.places.back(l.lent)
	if s.hub.hasPassed(l, l.heldAt) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond) // also when the store is closed
	defer cancel()
	if _, err := s.client.Txn(ctx).Then(l.remove()).Commit(); err != nil {
		s.places.keep(l.lent)
	}
}

var errNoWatch = errors.New("etcd ended the watch before it began")

// watch begins to watch a key for its end, within the time of one try. stop ends it.
func (s *Store) watch(ctx context.Context, stop context.CancelFunc, key string) (clientv3.WatchChan, error) {
	slow := time.AfterFunc(s.try, stop)
	defer slow.Stop()
	events := s.client.Watch(clientv3.WithRequireLeader(ctx), key, clientv3.WithFilterPut(), clientv3.WithCreatedNotify())
	switch r, ok := <-events; {
	case ok && r.Err() != nil:
		return nil, r.Err()
	case !ok || !r.Created || !slow.Stop():
		return nil, errNoWatch
	}
	return events, nil
}
