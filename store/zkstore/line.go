package zkstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// line is who stands in line for a name: their znodes, from the first to the last. A
// znode's name is that of its attempt, and the number that ZooKeeper gives.
type line struct {
	folder bool // is there
	znodes []string
	at     map[string]int // where the first znode of each attempt stands
}

// idOf begins the znodes of an attempt. It shows no attempt, and has one length.
func idOf(attempt string) string {
	sum := sha256.Sum256([]byte(attempt))
	return hex.EncodeToString(sum[:16]) + "-"
}

const idLength = 33

// number is the place that ZooKeeper gave to a znode: ten digits at its end.
func number(znode string) string { return znode[max(0, len(znode)-10):] }

func newLine(znodes []string) line {
	slices.SortFunc(znodes, func(a, b string) int { return strings.Compare(number(a), number(b)) })
	l := line{true, znodes, make(map[string]int, len(znodes))}
	for i, znode := range slices.Backward(znodes) {
		l.at[znode[:min(idLength, len(znode))]] = i
	}
	return l
}

// of is how many stand before an attempt, and its znode; "" where it has no place, and all
// are before it.
func (l line) of(attempt string) (ahead int, own string) {
	if i, ok := l.at[idOf(attempt)]; ok {
		return i, l.znodes[i]
	}
	return len(l.znodes), ""
}

// line reads who stands in line. A server that lags may still show who has gone, and never
// hides one who came before somebody that it shows.
func (s *Store) line(ctx context.Context, name string) (line, error) {
	l, err := ask(ctx, s, func(c *zk.Conn, _ uint64) (line, error) {
		all, _, err := c.Children(s.paths.waiters(name))
		if errors.Is(err, zk.ErrNoNode) {
			return line{}, nil
		}
		return newLine(all), err
	})
	return l, before(err)
}

// waiting is the body of a place's znode.
type waiting struct {
	Holder string        `json:"holder"`
	Keep   time.Duration `json:"keep_ns"`
}

func (w waiting) encode() []byte {
	text, _ := json.Marshal(w)
	return text
}

func decodeWaiting(n node) (waiting, error) {
	var w waiting
	if json.Unmarshal(n.data, &w) != nil {
		return w, ruling.Refuse(errors.New("a znode of those who wait is not one of Ringfence"), foreign)
	}
	return w, nil
}

// turn is what a grant does to a line, in the same step.
type turn struct {
	own   string // the znode of the attempt's place; "" where it has none
	alone bool   // nobody else is there, and nobody will be while that is so
	open  bool   // the folder of the line is there
}

// goesOn takes the attempt's place out of the line, which fails if it is not there. Where
// nobody else is in it the folder goes, which fails while it holds anything; and with it the
// mark in the record that says to look there.
func (s *Store) goesOn(t turn, name string) []any {
	var ops []any
	p := s.paths
	if t.own != "" {
		ops = append(ops, &zk.DeleteRequest{Path: p.waiter(name, t.own), Version: -1})
	}
	if t.alone && !t.open {
		ops = append(ops, &zk.CreateRequest{Path: p.waiters(name), Acl: s.acl}) // fails if it is there
	}
	if t.alone {
		ops = append(ops, &zk.DeleteRequest{Path: p.waiters(name), Version: -1})
	}
	return ops
}

// inTurn finds what the grant of v has to do to the line, or says for whom the name is kept.
func (c *call) inTurn(ctx context.Context, v view) (turn, error) {
	l, err := c.store.line(ctx, c.name)
	if err != nil {
		return turn{}, err
	}
	ahead, own := l.of(c.step.Attempt)
	c.store.places.note(c.name, c.step.Attempt, own)
	if ahead == 0 {
		return turn{own: own, open: l.folder, alone: len(l.znodes) == 0 || own != "" && len(l.znodes) == 1}, nil
	}
	n, err := c.store.get(ctx, c.store.paths.waiter(c.name, l.znodes[0]))
	if err == nil && !n.found {
		err = errAgain
	}
	if err != nil {
		return turn{}, err
	}
	first, err := decodeWaiting(n)
	if err != nil {
		return turn{}, err
	}
	held := &driver.HeldError{Name: c.name, Holder: first.Holder, Remaining: min(first.Keep, driver.MaxKeep), Ahead: ahead, Kept: true}
	if v.Now != nil {
		held.Token = v.Now.Token
	}
	return turn{}, held
}

// behind adds to a refusal how many are served before the attempt.
func (c *call) behind(ctx context.Context, err error) error {
	held, ok := errors.AsType[*driver.HeldError](err)
	if !ok || held.Kept || !c.line {
		return err
	}
	l, failed := c.store.line(ctx, c.name)
	if failed != nil {
		return err // it is held all the same
	}
	held.Ahead, _ = l.of(c.step.Attempt)
	return err
}

// mark has the record of a name say that there may be a line, so that whoever acquires it
// looks there. Whoever marks it has a place already: so a mark that was taken away since
// its place was made took the place away with it.
func (s *Store) mark(ctx context.Context, name string) error {
	for p := newPause(); ; {
		v, err := s.look(ctx, name, false)
		if err == nil && v.Line {
			return nil
		}
		if err == nil {
			c := s.newCall(name, stamp.Step{Kind: stamp.Stay})
			c.line = true
			_, err = c.write(ctx, v)
		}
		if r := judge(err); err == nil || !r.Again && r.Kind != driver.ErrUnknown {
			return before(err)
		}
		if err := before(p.Wait(ctx, nil)); err != nil {
			return err
		}
	}
}

// disband takes the mark away from a record that nobody holds, if nobody is in line.
func (s *Store) disband(ctx context.Context, v view) (view, error) {
	l, err := s.line(ctx, v.Name)
	if err != nil || len(l.znodes) > 0 {
		return v, err
	}
	c := s.newCall(v.Name, stamp.Step{Kind: stamp.Stay})
	c.turn = turn{alone: true, open: l.folder}
	return c.write(ctx, v)
}
