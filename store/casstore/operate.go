package casstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/pause"
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
			v, err := s.look(ctx, name, false)
			if was := v.record(); err != nil || was.State != driver.Held {
				return was, err
			}
			c := s.newCall(name, step{kind: force, attempt: v.rec.Attempt, token: v.rec.Token, by: by})
			if _, err = c.take(ctx); !errors.Is(err, driver.ErrEnded) {
				return v.record(), err
			}
		}
		return driver.Record{}, pause.ErrBusy
	})
}

// List implements driver.Lister. It reads every record that it returns.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
	if limit < 1 {
		return nil, fmt.Errorf("%w limit %d of a list: want 1 or more", fence.ErrInvalid, limit)
	}
	if len(prefix) > fence.MaxNameBytes {
		return nil, nil
	}
	return run(ctx, s, "list", func(ctx context.Context) ([]driver.Record, error) {
		var page []driver.Record
		// No name is longer, so none lies between a longer text and its beginning.
		last := s.keys.lease(after[:min(len(after), fence.MaxNameBytes)])
		for {
			keys, more, err := s.listKeys(ctx, s.keys.leases(prefix), last, limit-len(page)+1)
			if err != nil {
				return nil, before(err)
			}
			records, err := s.readAll(ctx, keys)
			if err != nil {
				return nil, err
			}
			for _, r := range records {
				if strings.HasPrefix(r.Name, prefix) && len(page) < limit {
					page = append(page, r)
				}
			}
			if len(page) == limit || !more {
				return page, nil
			}
			last = keys[len(keys)-1]
		}
	})
}

// mostKeys is how many keys one request lists: services list up to 1,000.
const mostKeys = 1000

// listKeys lists keys after one of them, in order.
func (s *Store) listKeys(ctx context.Context, prefix, after string, limit int) (keys []string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	keys, more, err = s.bucket.List(ctx, prefix, after, min(limit, mostKeys))
	return keys, more && len(keys) > 0, err
}

// readers is how many records a list reads at once.
const readers = 8

// readAll reads the records at these keys.
func (s *Store) readAll(ctx context.Context, keys []string) ([]driver.Record, error) {
	records, errs := make([]driver.Record, len(keys)), make([]error, len(keys))
	free := make(chan struct{}, readers)
	var all sync.WaitGroup
	for i, key := range keys {
		free <- struct{}{}
		all.Go(func() {
			records[i], errs[i] = s.readKey(ctx, key)
			<-free
		})
	}
	all.Wait()
	return records, errors.Join(errs...)
}

// readKey reads the record at a key that a list has shown.
func (s *Store) readKey(ctx context.Context, key string) (driver.Record, error) {
	o, err := s.get(ctx, key)
	if err != nil {
		return driver.Record{}, err
	}
	var named struct{ Name string }
	if err := json.Unmarshal(o.Data, &named); err != nil || s.keys.lease(named.Name) != key {
		return driver.Record{}, unfit(fmt.Errorf("the value at %s is not a record of Ringfence", key), foreign)
	}
	v, err := s.readRecord(named.Name, o)
	return v.record(), err
}
