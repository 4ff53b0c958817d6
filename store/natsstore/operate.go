package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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

// List implements driver.Lister. It reads every record of the bucket for a page.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
	if limit < 1 {
		return nil, fmt.Errorf("%w limit %d of a list: want 1 or more", fence.ErrInvalid, limit)
	}
	return run(ctx, s, "list", func(ctx context.Context) ([]driver.Record, error) {
		views, at, err := s.everything(ctx, func(v view) bool {
			return v.Now != nil && v.Name > after && strings.HasPrefix(v.Name, prefix)
		})
		slices.SortFunc(views, func(a, b view) int { return strings.Compare(a.Name, b.Name) })
		var page []driver.Record
		for _, v := range views[:min(limit, len(views))] {
			page = append(page, v.Record(stamp.Stamp{At: later(at, v.At)}))
		}
		return page, err
	})
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// Prune implements driver.Pruner. The floor rises above the numbers that go before
// they go. A record that has changed since it was read stays.
func (s *Store) Prune(ctx context.Context, idle time.Duration, limit int) (int, error) {
	if idle < 0 || limit < 1 {
		return 0, fmt.Errorf("%w clean-up of %d names idle for %s: want 1 or more, and no negative time", fence.ErrInvalid, limit, idle)
	}
	return run(ctx, s, "prune", func(ctx context.Context) (int, error) {
		views, at, err := s.everything(ctx, func(v view) bool { return v.ID != "" })
		if err != nil {
			return 0, err
		}
		views = slices.DeleteFunc(views, func(v view) bool { return v.idle(at) < idle })
		views = views[:min(limit, len(views))]
		var highest fence.Token
		for _, v := range views {
			if v.Now != nil {
				highest = max(highest, v.Now.Token)
			}
		}
		if _, err := s.raiseAbove(ctx, highest); err != nil {
			return 0, err
		}
		return s.remove(ctx, views)
	})
}

// idle is how long nobody has held the name.
func (v view) idle(at time.Time) time.Duration {
	if v.Now == nil {
		return at.Sub(v.At)
	}
	return v.Now.OverFor(at)
}

// markTTL is how long the mark of a removed record stays for those who watch.
const markTTL = time.Minute

// remove replaces records by the mark with which a key-value bucket says that a
// key was purged, and which the server removes later.
func (s *Store) remove(ctx context.Context, views []view) (gone int, err error) {
	for _, v := range views {
		m := nats.NewMsg(s.leaseSubject(v.Name))
		m.Header.Set("KV-Operation", "PURGE")
		m.Header.Set("Nats-Rollup", "sub")
		revision, err := s.publish(ctx, m, v.revision, jetstream.WithMsgTTL(markTTL))
		if err == nil {
			s.saw(revision)
			s.recent.forget(v.Name)
			gone++
		} else if !judge(err).Again {
			return gone, err
		}
	}
	return gone, nil
}

// everything reads every record that keep wants, and the server's time after that.
func (s *Store) everything(ctx context.Context, keep func(view) bool) (views []view, at time.Time, err error) {
	newest, err := s.newest(ctx)
	if err != nil {
		return nil, at, err
	}
	for p := newPause(); ; {
		found := map[string]view{}
		last, err := s.walk(ctx, found)
		if err != nil {
			return nil, at, err
		}
		if last >= newest {
			views = slices.DeleteFunc(slices.Collect(maps.Values(found)), func(v view) bool { return !keep(v) })
			at, err = s.now(ctx, at)
			return views, at, err
		}
		if err := before(p.Wait(ctx, nil)); err != nil { // the replica lags
			return nil, at, err
		}
	}
}

// walk reads the records in the order of their revisions, and returns the last
// revision. A record that changes meanwhile comes again, later.
func (s *Store) walk(ctx context.Context, found map[string]view) (last uint64, err error) {
	for {
		end, err := s.ask(ctx, getRequest{From: last + 1, Next: s.leases(), Batch: 512}, func(subject string, m stored) error {
			v, err := s.viewOf(subject, m)
			found[v.Name], last = v, m.revision
			return err
		})
		if err != nil || end == nil || end.Get("Nats-Num-Pending") == "0" {
			return last, err
		}
	}
}

// newest asks the bucket's leader for the last revision of any record; 0 where
// there is none.
func (s *Store) newest(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	if err := s.reachable(); err != nil {
		return 0, err
	}
	body, err := json.Marshal(map[string]string{"last_by_subj": s.leases()})
	if err != nil {
		return 0, err
	}
	m, err := s.js.Conn().RequestWithContext(ctx, s.api+"STREAM.MSG.GET."+s.stream, body)
	if err != nil {
		return 0, s.silent(ctx, err)
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Revision uint64 `json:"seq"`
		} `json:"message"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return 0, ruling.Unavailable(err)
	}
	if answer.Error != nil && answer.Error.ErrorCode != jetstream.JSErrCodeMessageNotFound {
		return 0, judge(answer.Error)
	}
	return answer.Message.Revision, nil
}

// viewOf resolves a message of the bucket by its subject.
func (s *Store) viewOf(subject string, m stored) (view, error) {
	name, err := nameOf(subject)
	if err != nil {
		return view{}, err
	}
	var f floor
	if p := s.floored.Load(); p != nil {
		f = *p
	}
	return resolve(name, f, m)
}
