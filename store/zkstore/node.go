package zkstore

import (
	"context"
	"errors"
	"path"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/store/internal/life"
	"github.com/ringfence-go/ringfence/store/internal/pause"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
)

// node is what a read or a write tells of a znode.
type node struct {
	found   bool
	data    []byte
	version int32
	wrote   time.Time // stamped by the leader in the write
	made    time.Time // and in the one that made the znode
	epoch   uint64
}

func stampOf(s *zk.Stat) time.Time { return time.UnixMilli(s.Mtime).UTC() }

// ask makes one request on a connection that has a session. The client takes no
// context, so the request is left behind when ctx ends or it gets no answer in time.
func ask[R any](ctx context.Context, s *Store, f func(*zk.Conn, uint64) (R, error)) (R, error) {
	type answer struct {
		result R
		err    error
	}
	var none R
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	conn, epoch, err := s.link.get(ctx)
	if err != nil {
		return none, err
	}
	answers := make(chan answer, 1)
	if !s.life.Start(func() {
		r, err := f(conn, epoch)
		answers <- answer{r, err}
	}) {
		return none, life.ErrClosed
	}
	select {
	case a := <-answers:
		return a.result, a.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// get reads a znode at the server of the connection, which may lag behind.
func (s *Store) get(ctx context.Context, path string) (node, error) {
	n, err := ask(ctx, s, func(c *zk.Conn, epoch uint64) (node, error) {
		data, stat, err := c.Get(path)
		if errors.Is(err, zk.ErrNoNode) {
			return node{epoch: epoch}, nil
		}
		if err != nil {
			return node{}, err
		}
		return node{found: true, data: data, version: stat.Version, wrote: stampOf(stat), made: time.UnixMilli(stat.Ctime).UTC(), epoch: epoch}, nil
	})
	return n, before(err)
}

// sync makes the server of the connection catch up with the leader.
func (s *Store) sync(ctx context.Context) error {
	_, err := ask(ctx, s, func(c *zk.Conn, _ uint64) (string, error) { return c.Sync(s.paths.root) })
	return before(err)
}

func (s *Store) children(ctx context.Context, path string) ([]string, error) {
	all, err := ask(ctx, s, func(c *zk.Conn, _ uint64) ([]string, error) {
		names, _, err := c.Children(path)
		if errors.Is(err, zk.ErrNoNode) {
			return nil, nil
		}
		return names, err
	})
	return all, before(err)
}

// stats are what a transaction of several writes tells of each of them.
type stats struct {
	of     []zk.MultiResponse
	failed int // the first one that was refused; -1 without one
}

// errElsewhere keeps a write from a connection that is not the one of its read: the
// ensemble may have been put back to an older copy in between, and count versions
// anew.
var errElsewhere = ruling.Ruling{Kind: errAgain.Kind, Err: errors.New("the connection was lost since the record was read"), Again: true}

// commit makes several writes in one step, or none of them. They belong to a read of
// the connection with the given epoch; 0 is any.
func (s *Store) commit(ctx context.Context, since uint64, ops ...any) (stats, error) {
	return ask(ctx, s, func(c *zk.Conn, epoch uint64) (stats, error) {
		if since != 0 && since != epoch {
			return stats{failed: -1}, errElsewhere
		}
		sent := s.clock.now()
		of, err := c.Multi(ops...)
		done := stats{of: of, failed: -1}
		for i, r := range of {
			if r.Error != nil && done.failed < 0 {
				done.failed = i
			}
			if r.Stat != nil && err == nil {
				s.clock.note(stampOf(r.Stat), sent, epoch)
			}
		}
		return done, err
	})
}

// ensure makes a folder and those above it, where they are missing.
func (s *Store) ensure(ctx context.Context, folder string) error {
	for range maxTries {
		err := s.create(ctx, folder, zk.FlagPersistent)
		if err == nil || errors.Is(err, zk.ErrNodeExists) {
			return nil
		}
		if !errors.Is(err, zk.ErrNoNode) || path.Dir(folder) == "/" {
			return before(err)
		}
		if err := s.ensure(ctx, path.Dir(folder)); err != nil {
			return err
		}
	}
	return pause.ErrBusy
}

func (s *Store) create(ctx context.Context, path string, flags int32) error {
	_, err := ask(ctx, s, func(c *zk.Conn, _ uint64) (string, error) {
		if flags == zk.FlagContainer {
			return c.CreateContainer(path, nil, flags, s.acl)
		}
		return c.Create(path, nil, flags, s.acl)
	})
	return err
}
