package zkstore

import (
	"context"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/life"
)

// WatchTurn implements driver.TurnWatcher. The first in line watches the record, each other
// one the znode before its own: so an end wakes one of them all.
func (s *Store) WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return nil, err
	}
	return run(ctx, s, "watch "+fence.Quote(name), func(call context.Context) (<-chan struct{}, error) {
		t := &turns{store: s, name: name, attempt: attempt, hints: make(chan struct{}, 1)}
		next, err := t.look(call)
		if err != nil {
			return nil, before(err)
		}
		if !s.life.Start(func() { t.watch(ctx, next) }) {
			return nil, life.ErrClosed
		}
		return t.hints, nil
	})
}

// turns waits for the turn of one who has a place in line.
type turns struct {
	store         *Store
	name, attempt string
	first         uint64      // the connection on which it was found to be first in line
	token         fence.Token // the last one of the name at that time
	hints         chan struct{}
}

// next is what a waiter has to see: a znode that changes, or its own place.
type next struct {
	znode <-chan zk.Event
	place <-chan struct{}
}

// watch goes on until ctx ends, or the store is closed.
func (t *turns) watch(ctx context.Context, n next) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.store.life.Context(), cancel)()
	for {
		select {
		case <-n.znode:
		case <-n.place:
		case <-ctx.Done():
			return
		}
		for {
			var err error
			if n, err = t.look(ctx); err == nil {
				break
			}
			if pauseAfter(ctx); ctx.Err() != nil {
				return
			}
		}
	}
}

// look finds where the waiter stands, and what tells that it may have come nearer.
func (t *turns) look(ctx context.Context) (next, error) {
	s := t.store
	n := next{place: s.places.changes(t.name, t.attempt)}
	connection := s.link.now()
	var err error
	if t.first == connection { // so its session lives, and nobody gets before it
		var same bool
		if n.znode, same, err = t.watchRecord(ctx); err != nil || same {
			return n, err
		}
		t.first = 0 // the name was granted since: to the waiter itself, through another client
	}
	l, err := s.line(ctx, t.name)
	if err != nil {
		return n, err
	}
	ahead, own := l.of(t.attempt)
	s.places.note(t.name, t.attempt, own)
	n.place = s.places.changes(t.name, t.attempt)
	switch {
	case own == "": // until it has a place again
		return next{place: n.place}, nil
	case ahead > 0:
		before, changed, err := s.watch(ctx, s.paths.waiter(t.name, l.znodes[ahead-1]), false)
		if err == nil && !before.found {
			return next{znode: now}, nil
		}
		n.znode = changed
		return n, err
	}
	s.places.found(t.name, t.attempt, own, connection)
	t.token = anyToken
	var same bool
	if n.znode, same, err = t.watchRecord(ctx); same {
		t.first = connection
	}
	return n, err
}

// anyToken is the last one of a name whose record was not read.
const anyToken fence.Token = -1

// now is what has changed already.
var now = func() <-chan zk.Event { c := make(chan zk.Event); close(c); return c }()

// watchRecord is what the first one in the line does. It gives a hint if the name is free,
// and reports whether it was not granted since the waiter was found to be the first.
func (t *turns) watchRecord(ctx context.Context) (changed <-chan zk.Event, same bool, err error) {
	changed, v, err := t.store.watchRecord(ctx, t.name)
	if err != nil {
		return nil, false, err
	}
	var last fence.Token
	if v.Now != nil {
		last = v.Now.Token
	}
	if same = last == t.token || t.token == anyToken && (v.Now == nil || v.Now.Attempt != t.attempt); !same {
		return changed, false, nil
	}
	t.token = last
	if v.Free() {
		select {
		case t.hints <- struct{}{}:
		default: // it has one already
		}
	}
	return changed, true, nil
}

// watchRecord returns what is closed when the record of a name changes, and the record. What
// it sees is remembered, so that whoever is told of an end need not read it.
func (s *Store) watchRecord(ctx context.Context, name string) (changed <-chan zk.Event, v view, err error) {
	f, err := s.floor(ctx)
	if err != nil {
		return nil, v, err
	}
	n, changed, err := s.watch(ctx, s.paths.lease(name), true)
	if err != nil {
		return nil, v, err
	}
	if v, err = resolve(name, n, f); err == nil && v.found {
		s.memory.keep(v)
	}
	return changed, v, err
}
