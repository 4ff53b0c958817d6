package zkstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
)

// waiter is one place in the line for a name: a znode with a number that ZooKeeper
// gives, which goes with the session.
type waiter struct {
	store *Store
	name  string
	id    string // stands in the znode's name, so that it is found when the answer was lost
	own   string // the znode's name
	doubt bool   // there may be another znode with the id
	first uint64 // the connection on which it was found to be first in the line
	hints chan struct{}
}

func newWaiter(s *Store, name string) *waiter {
	var id [16]byte
	_, _ = rand.Read(id[:])
	return &waiter{store: s, name: name, id: fmt.Sprintf("_c_%x-", id), hints: make(chan struct{}, 1)}
}

// retryAfter is how long a waiter pauses after an error.
const retryAfter = 100 * time.Millisecond

// enter goes to the end of the line.
func (w *waiter) enter(ctx context.Context) error {
	s := w.store
	for p := newPause(); ; {
		w.doubt = true // until the answer is here
		path, err := ask(ctx, s, func(c *zk.Conn, _ uint64) (string, error) {
			return c.Create(s.paths.waiter(w.name, w.id), nil, zk.FlagEphemeralSequential, s.acl)
		})
		switch r := judge(err); {
		case err == nil:
			w.doubt = false
			w.own = path[strings.LastIndexByte(path, '/')+1:]
			return nil
		case errors.Is(err, zk.ErrNoNode):
			err = w.open(ctx)
		case r.Kind == driver.ErrUnknown:
			err = w.find(ctx)
		}
		if w.own != "" {
			return nil
		}
		if err != nil && !judge(err).Again {
			return err
		}
		if err := before(p.Wait(ctx, nil)); err != nil {
			return err
		}
	}
}

// open makes the folder of the line. ZooKeeper removes it when it has been empty for
// a while.
func (w *waiter) open(ctx context.Context) error {
	s := w.store
	folder := s.paths.waiters(w.name)
	err := s.create(ctx, folder, zk.FlagContainer)
	if errors.Is(err, zk.ErrNoNode) {
		return s.ensure(ctx, s.paths.root+"/wait")
	}
	if errors.Is(err, zk.ErrNodeExists) {
		return nil
	}
	return before(err)
}

// find looks for the znode of an enter whose answer was lost.
func (w *waiter) find(ctx context.Context) error {
	all, err := w.line(ctx)
	for _, znode := range all {
		if strings.HasPrefix(znode, w.id) {
			w.own = znode
		}
	}
	return err
}

// line lists who is in the line, in no order, after everything that has reached the
// leader.
func (w *waiter) line(ctx context.Context) ([]string, error) {
	if err := w.store.sync(ctx); err != nil {
		return nil, err
	}
	return w.store.children(ctx, w.store.paths.waiters(w.name))
}

// stand waits in the line until ctx ends, or the store is closed.
func (w *waiter) stand(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.store.life.Context(), cancel)()
	defer w.leave()
	for {
		changed, err := w.look(ctx)
		var retry <-chan time.Time
		if err != nil {
			retry = time.After(retryAfter)
		}
		select {
		case <-changed:
		case <-retry:
		case <-ctx.Done():
			return
		}
	}
}

// now is what has changed already.
var now = func() <-chan zk.Event { c := make(chan zk.Event); close(c); return c }()

// look finds the place in the line, and returns what is closed when it may have
// become another one. One whose place is gone, with its session, enters anew, and is
// told, since nobody knows what it has missed.
func (w *waiter) look(ctx context.Context) (changed <-chan zk.Event, err error) {
	s := w.store
	connection := s.link.now()
	if w.first == connection { // so its session lives, and nobody gets before it
		return w.watchRecord(ctx)
	}
	all, err := s.children(ctx, s.paths.waiters(w.name))
	if err != nil {
		return nil, err
	}
	ahead, here := rightBefore(all, w.own)
	if !here {
		w.own = ""
		if err := w.enter(ctx); err != nil {
			return nil, err
		}
		w.hint()
		return now, nil
	}
	if ahead != "" {
		n, changed, err := s.watch(ctx, s.paths.waiter(w.name, ahead), false)
		if err == nil && !n.found {
			return now, nil
		}
		return changed, err
	}
	w.first = connection
	return w.watchRecord(ctx)
}

// watchRecord is what the first one in the line does. What it sees is remembered, so
// that whoever is told of an end need not read it.
func (w *waiter) watchRecord(ctx context.Context) (<-chan zk.Event, error) {
	s := w.store
	f, err := s.floor(ctx)
	if err != nil {
		return nil, err
	}
	n, changed, err := s.watch(ctx, s.paths.lease(w.name), true)
	if err != nil {
		return nil, err
	}
	v, err := resolve(w.name, n, f)
	if err == nil && v.found {
		s.memory.keep(v)
	}
	if err != nil || v.Free() {
		w.hint()
	}
	return changed, nil
}

// rightBefore finds who stands right before own, "" where nobody does, and whether own is
// in the line at all.
func rightBefore(all []string, own string) (ahead string, here bool) {
	for _, znode := range all {
		here = here || znode == own
		if number(znode) < number(own) && (ahead == "" || number(znode) > number(ahead)) {
			ahead = znode
		}
	}
	return ahead, here
}

// number is the place that ZooKeeper gave to a znode: ten digits at its end.
func number(znode string) string { return znode[max(0, len(znode)-10):] }

func (w *waiter) hint() {
	select {
	case w.hints <- struct{}{}:
	default: // it has one already
	}
}

// leave takes the place out of the line. One that stayed would be in the way of those
// behind it for as long as the session lasts, so it goes on until the znode is gone.
func (w *waiter) leave() {
	s := w.store
	for s.life.Context().Err() == nil {
		if w.tidy(s.life.Context()) == nil {
			return
		}
		select {
		case <-time.After(retryAfter):
		case <-s.life.Context().Done():
		}
	}
}

// tidy removes the waiter's znode, and any other one of a request whose answer was lost.
func (w *waiter) tidy(ctx context.Context) error {
	s := w.store
	all := []string{w.own}
	if w.doubt {
		var err error
		if all, err = w.line(ctx); err != nil {
			return err
		}
	}
	for _, znode := range all {
		if !strings.HasPrefix(znode, w.id) {
			continue
		}
		_, err := ask(ctx, s, func(c *zk.Conn, _ uint64) (struct{}, error) {
			return struct{}{}, c.Delete(s.paths.waiter(w.name, znode), -1)
		})
		if err != nil && !errors.Is(err, zk.ErrNoNode) {
			return err
		}
	}
	return nil
}
