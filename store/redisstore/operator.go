package redisstore

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Inspect implements driver.Store.
func (s *Store) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	rec, _, r := s.record(ctx, name, inspect)
	if r != nil {
		return driver.Record{}, before(*r).fault(s.about("inspect " + fence.Quote(name)))
	}
	return rec, nil
}

// Break implements driver.Breaker.
func (s *Store) Break(ctx context.Context, name, by string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	if err := driver.CheckHolder(by); err != nil {
		return driver.Record{}, err
	}
	rec, doubt, r := s.record(ctx, name, breaking, by, name)
	if r != nil {
		return driver.Record{}, r.fault(s.about("break " + fence.Quote(name)))
	}
	if doubt && rec.State == driver.Forced && rec.EndedBy == by { // by a try whose answer was lost
		rec.State, rec.EndedBy = driver.Held, ""
	}
	return rec, nil
}

// record reads what a script shows of a record. doubt: an earlier try may have been applied.
func (s *Store) record(ctx context.Context, name string, sc script, args ...any) (rec driver.Record, doubt bool, _ *ruling) {
	got, r := s.do(ctx, name, sc, args...)
	if r != nil {
		return driver.Record{}, false, r
	}
	w := got.words(shown)
	rec = w.record(name)
	return rec, got.doubt, w.err
}

// about names the store in the error of an operator's call.
func (s *Store) about(what string) string { return s.props.Store + ": " + what }

// maxPage keeps a script short, since Redis serves nobody else meanwhile.
const maxPage = 500

// List implements driver.Lister.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
	if limit < 1 {
		return nil, fmt.Errorf("%w limit %d of a list: want 1 or more", fence.ErrInvalid, limit)
	}
	from, to := "["+prefix, "+"
	if after >= prefix && after != "" {
		from = "(" + after
	}
	if prefix != "" {
		to = "(" + prefix + "\xff" // which no name has
	}
	var all []driver.Record
	for len(all) < limit {
		page, last, r := s.page(ctx, from, to, min(limit-len(all), maxPage))
		if r != nil {
			return nil, before(*r).fault(s.about("list"))
		}
		all = append(all, page...)
		if last == "" {
			break
		}
		from = "(" + last
	}
	return all, nil
}

// page reads up to n records, fewer where names have none, and the last name
// that was looked at.
func (s *Store) page(ctx context.Context, from, to string, n int) (all []driver.Record, last string, _ *ruling) {
	got, r := s.do(ctx, "", list, from, to, n)
	if r != nil {
		return nil, "", r
	}
	last, w := got.page()
	for i := 0; i+shown < len(w.text); i += 1 + shown {
		one := words{text: w.text[i+1 : i+1+shown], err: w.err}
		all = append(all, one.record(w.text[i]))
		w.err = one.err
	}
	return all, last, w.err
}

// Identity implements driver.Recoverer.
func (s *Store) Identity(ctx context.Context) (driver.Identity, error) {
	got, r := s.do(ctx, "", identity, s.link.weak)
	if r != nil {
		return driver.Identity{}, before(*r).fault(s.about("read its identity"))
	}
	w := got.words(4)
	id := driver.Identity{Current: w.text[0], Previous: w.text[1], ChangedAt: w.moment(2), Floor: w.token(3)}
	if w.err != nil {
		return driver.Identity{}, w.err.fault(s.about("read its identity"))
	}
	return id, nil
}

// Raise implements driver.Recoverer.
func (s *Store) Raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	if above < 0 || above > fence.MaxToken {
		return 0, fmt.Errorf("%w floor %d: want 0 to %d", fence.ErrInvalid, int64(above), fence.MaxToken)
	}
	what := s.about("raise the floor above " + above.String())
	got, r := s.do(ctx, "", raise, above.String(), s.link.weak, "lost")
	if r != nil {
		return 0, r.fault(what)
	}
	w := got.words(2)
	floor := w.token(1)
	if w.err != nil {
		return 0, w.err.fault(what)
	}
	return floor, nil
}

// Prune implements driver.Pruner. It looks at all names in their order, in pages.
func (s *Store) Prune(ctx context.Context, idle time.Duration, limit int) (int, error) {
	if idle < 0 || limit < 1 {
		return 0, fmt.Errorf("%w clean-up of %d names idle for %s: want 1 or more, and no negative time", fence.ErrInvalid, limit, idle)
	}
	ms := strconv.FormatInt((min(idle, math.MaxInt64-time.Millisecond) + time.Millisecond - 1).Milliseconds(), 10) // rounded up
	gone := 0
	for from := "-"; gone < limit; {
		got, r := s.do(ctx, "", prune, from, maxPage, ms, limit-gone)
		if r != nil {
			return gone, r.fault(s.about("prune"))
		}
		w := got.words(2)
		if gone += int(w.number(0)); w.err != nil {
			return gone, w.err.fault(s.about("prune"))
		}
		if w.text[1] == "" {
			break
		}
		from = "(" + w.text[1]
	}
	return gone, nil
}
