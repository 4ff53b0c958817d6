package zkstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/pause"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// Break implements driver.Breaker.
func (s *Store) Break(ctx context.Context, name, by string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	if err := driver.CheckHolder(by); err != nil {
		return driver.Record{}, err
	}
	return run(ctx, s, "break "+fence.Quote(name), func(ctx context.Context) (driver.Record, error) {
		for range maxTries {
			v, was, err := s.inspect(ctx, name)
			if err != nil || was.State != driver.Held {
				return was, err
			}
			c := s.newCall(name, stamp.Breaking(v.Now, by))
			if _, _, err = c.take(ctx); !errors.Is(err, driver.ErrEnded) {
				return was, err
			}
		}
		return driver.Record{}, pause.ErrBusy
	})
}

// List implements driver.Lister. It reads the names of all records, and the records
// of its page.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
	if limit < 1 {
		return nil, fmt.Errorf("%w limit %d of a list: want 1 or more", fence.ErrInvalid, limit)
	}
	return run(ctx, s, "list", func(ctx context.Context) ([]driver.Record, error) {
		names, err := s.names(ctx)
		if err != nil {
			return nil, err
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name <= after || !strings.HasPrefix(name, prefix) })
		slices.Sort(names)
		var page []driver.Record
		for len(names) > 0 && len(page) < limit {
			n := min(len(names), limit-len(page))
			views, err := each(names[:n], func(name string) (view, error) { return s.look(ctx, name, false) })
			if err != nil {
				return nil, err
			}
			names = names[n:]
			for _, v := range views {
				if v.Now == nil { // removed since
					continue
				}
				at, err := s.timeOf(ctx, v)
				if err != nil {
					return nil, err
				}
				page = append(page, v.Record(stamped(at)))
			}
		}
		return page, nil
	})
}

// names lists the names of all records, in no order.
func (s *Store) names(ctx context.Context) ([]string, error) {
	if err := s.sync(ctx); err != nil {
		return nil, err
	}
	shards, err := s.children(ctx, s.paths.leases())
	if err != nil {
		return nil, err
	}
	all, err := each(shards, func(shard string) ([]string, error) {
		return s.children(ctx, s.paths.leases()+"/"+shard)
	})
	var names []string
	for _, znode := range slices.Concat(all...) {
		name, ok := decode(znode)
		if !ok {
			return nil, ruling.Refuse(fmt.Errorf("the znode %s is not a record of Ringfence", fence.Quote(znode)), foreign)
		}
		names = append(names, name)
	}
	return names, err
}

// readers is how many reads are under way at once.
const readers = 16

// each calls f for all of in, several at once, and returns the results in order.
func each[A, R any](in []A, f func(A) (R, error)) ([]R, error) {
	out, errs := make([]R, len(in)), make([]error, len(in))
	free := make(chan struct{}, readers)
	var all sync.WaitGroup
	for i, a := range in {
		free <- struct{}{}
		all.Go(func() {
			out[i], errs[i] = f(a)
			<-free
		})
	}
	all.Wait()
	return out, errors.Join(errs...)
}
