package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/pause"
)

// Inspect implements driver.Store.
func (s *Store) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	rec, err := reading(ctx, s, func(ctx context.Context, c *sql.Conn) (driver.Record, error) {
		return inspect(ctx, s.backend, c, name)
	})
	return rec, s.explain("inspect "+fence.Quote(name), false, err)
}

// lastName is what sorts behind every rest of a name.
var lastName = strings.Repeat(string(utf8.MaxRune), fence.MaxNameBytes/utf8.UTFMax)

// List implements driver.Lister.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
	for _, text := range []string{prefix, after} {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			return nil, fmt.Errorf("%w prefix or start of a list %s: want UTF-8 without NUL", fence.ErrInvalid, fence.Quote(text))
		}
	}
	if limit < 1 {
		return nil, fmt.Errorf("%w limit %d of a list: want 1 or more", fence.ErrInvalid, limit)
	}
	records, err := reading(ctx, s, func(ctx context.Context, c *sql.Conn) ([]driver.Record, error) {
		statement, args := s.backend.statement("list", prefix, prefix+lastName, after, limit)
		return records(ctx, c, statement, args...)
	})
	return records, s.explain("list", false, err)
}

// Break implements driver.Breaker.
func (s *Store) Break(ctx context.Context, name, by string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	if err := driver.CheckHolder(by); err != nil {
		return driver.Record{}, err
	}
	rec, err := on(ctx, s, func(ctx context.Context, c *sql.Conn) (driver.Record, error) {
		return s.backend.end(ctx, c, name, by)
	})
	return rec, s.explain("break "+fence.Quote(name), true, err)
}

// Identity implements driver.Recoverer.
func (s *Store) Identity(ctx context.Context) (driver.Identity, error) {
	id, err := reading(ctx, s, s.backend.identity)
	return id, s.explain("read its identity", false, err)
}

// Raise implements driver.Recoverer. When it returns, no grant at or below the
// floor is under way either.
func (s *Store) Raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	if above < 0 || above > fence.MaxToken {
		return 0, fmt.Errorf("%w floor %d: want 0 to %d", fence.ErrInvalid, int64(above), fence.MaxToken)
	}
	floor, err := s.raise(ctx, above)
	return floor, s.explain("raise the floor above "+above.String(), true, err)
}

func (s *Store) raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	return on(ctx, s, func(ctx context.Context, c *sql.Conn) (fence.Token, error) {
		floor, err := s.backend.raise(ctx, c, above)
		if err != nil {
			return 0, err
		}
		return floor, s.backend.settle(ctx, c)
	})
}

// Settle returns when each step that any client of the store had under way is over.
// It is for what has to be seen by every step from then on.
func (s *Store) Settle(ctx context.Context) error {
	_, err := reading(ctx, s, func(ctx context.Context, c *sql.Conn) (struct{}, error) {
		return struct{}{}, s.backend.settle(ctx, c)
	})
	return s.explain("wait for the steps under way", false, err)
}

// Prune implements driver.Pruner. The floor rises above the numbers that go
// before they go, in a commit of its own, so that none comes back.
func (s *Store) Prune(ctx context.Context, idle time.Duration, limit int) (int, error) {
	if idle < 0 || limit < 1 {
		return 0, fmt.Errorf("%w clean-up of %d names idle for %s: want 1 or more, and no negative time", fence.ErrInvalid, limit, idle)
	}
	ms := (min(idle, math.MaxInt64-time.Millisecond) + time.Millisecond - 1).Milliseconds() // rounded up
	n, err := on(ctx, s, func(ctx context.Context, c *sql.Conn) (int, error) {
		return prune(ctx, s.backend, c, ms, limit)
	})
	return n, s.explain("prune", true, err)
}

func prune(ctx context.Context, b backend, c *sql.Conn, idle int64, limit int) (int, error) {
	var highest int64
	statement, args := b.statement("prune_find", idle, limit)
	if err := c.QueryRowContext(ctx, statement, args...).Scan(&highest); err != nil || highest == 0 {
		return 0, err
	}
	statement, args = b.statement("prune_floor", highest)
	if _, err := c.ExecContext(ctx, statement, args...); err != nil {
		return 0, err
	}
	if err := b.settle(ctx, c); err != nil {
		return 0, err
	}
	n, err := b.remove(ctx, c, idle, limit, highest)
	if err == nil {
		statement, args = b.statement("line_prune")
		_, err = c.ExecContext(ctx, statement, args...)
	}
	return int(n), err
}

// affected is how many rows a statement changed.
func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// explain names the store in the error of an operator's call. Where the call
// changes nothing there is no doubt about its outcome.
func (s *Store) explain(what string, changes bool, err error) error {
	if err == nil {
		return nil
	}
	r := s.dialect.judge(err)
	if !changes {
		r = before(r)
	}
	return r.fault(s.props.Store + ": " + what)
}

// on calls f with a connection, again while it certainly did nothing.
func on[R any](ctx context.Context, s *Store, f func(context.Context, *sql.Conn) (R, error)) (R, error) {
	return work(ctx, s, 0, f)
}

// reading is on for an f that changes nothing, which is also tried again after a
// lost connection.
func reading[R any](ctx context.Context, s *Store, f func(context.Context, *sql.Conn) (R, error)) (R, error) {
	return work(ctx, s, maxLost, f)
}

func work[R any](ctx context.Context, s *Store, lost int, f func(context.Context, *sql.Conn) (R, error)) (R, error) {
	var none R
	if ctx.Err() != nil {
		return none, left(ctx, false, nil)
	}
	if !s.queue.enter() {
		return none, errClosed
	}
	return apart(ctx, s.queue.leave, func() (R, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.queue.ctx, cancel)()
		return persist(ctx, s.dialect, lost, func() (R, error) {
			c, giveBack, err := s.backend.borrow(ctx)
			if err != nil {
				return none, before(s.dialect.judge(err))
			}
			result, err := f(ctx, c)
			giveBack(err)
			return result, err
		})
	})
}

// persist repeats f while it certainly did nothing and ctx allows, and after up
// to lost connections that broke under it.
func persist[R any](ctx context.Context, d Dialect, lost int, f func() (R, error)) (R, error) {
	for p := (pause.Pause{}); ; {
		result, err := f()
		if err == nil {
			return result, nil
		}
		r := d.judge(err)
		if r.kind == driver.ErrUnknown && lost > 0 {
			lost--
			r.again = true
		}
		if !r.again {
			return result, r
		}
		if p.Wait(ctx, nil) != nil {
			return result, left(ctx, false, r)
		}
	}
}
