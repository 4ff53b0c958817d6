package zkstore

import (
	"context"
	"errors"
	"sync"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/life"
)

// Watch implements driver.Watcher. All who wait for a name in this process without a place
// in line are one crowd, and a hint goes to one of them, in turn. One is given at once where
// the name is free already.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	return run(ctx, s, "watch "+fence.Quote(name), func(call context.Context) (<-chan struct{}, error) {
		hints := make(chan struct{}, 1)
		c := s.crowds.join(s, name, hints)
		if c == nil {
			return nil, life.ErrClosed
		}
		select {
		case <-c.begun:
		case <-call.Done():
			s.crowds.leave(c, hints)
			return nil, before(call.Err())
		}
		if c.err != nil {
			return nil, before(c.err)
		}
		context.AfterFunc(ctx, func() { s.crowds.leave(c, hints) })
		return hints, nil
	})
}

// watches are the watches that the ensemble keeps for a store. ZooKeeper ends one when
// it has something to tell, and the client can't end one at all: so all who wait for
// the same znode share one.
type watches struct {
	mu  sync.Mutex
	set map[string]<-chan zk.Event
}

// watch reads a znode, and returns what is closed when it has changed since. missing
// says whether to watch for one that isn't there, too.
func (s *Store) watch(ctx context.Context, path string, missing bool) (node, <-chan zk.Event, error) {
	if changed := s.watches.find(path); changed != nil {
		n, err := s.get(ctx, path)
		return n, changed, err
	}
	type answer struct {
		n       node
		changed <-chan zk.Event
	}
	a, err := ask(ctx, s, func(c *zk.Conn, epoch uint64) (answer, error) {
		data, stat, changed, err := c.GetW(path)
		if errors.Is(err, zk.ErrNoNode) {
			if !missing {
				return answer{}, nil
			}
			var found bool
			if found, _, changed, err = c.ExistsW(path); found {
				return answer{}, errAgain
			}
			return answer{changed: changed}, err
		}
		if err != nil {
			return answer{}, err
		}
		n := node{found: true, data: data, version: stat.Version, wrote: stampOf(stat), epoch: epoch}
		return answer{n, changed}, nil
	})
	if err == nil && a.changed != nil {
		s.watches.add(path, a.changed)
	}
	return a.n, a.changed, before(err)
}

// find returns a watch that has nothing to tell yet, or nil.
func (w *watches) find(path string) <-chan zk.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := w.set[path]
	select {
	case <-changed: // the one event, or closed after it
		delete(w.set, path)
		return nil
	default:
		return changed
	}
}

func (w *watches) add(path string, changed <-chan zk.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.set == nil {
		w.set = map[string]<-chan zk.Event{}
	}
	w.set[path] = changed
	if len(w.set)%1024 == 0 {
		w.tidy()
	}
}

// tidy forgets the watches that are over.
func (w *watches) tidy() {
	for path, changed := range w.set {
		select {
		case <-changed:
			delete(w.set, path)
		default:
		}
	}
}
