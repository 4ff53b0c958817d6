package pgxstore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// beat is how often a listener says that it lives, and life how long the server
	// takes its word for it: for so long the hints of those behind a dead one go astray.
	beat = 2 * time.Second
	life = 6 * time.Second
	// sweep is how often a listener removes what dead ones left, and how long they are dead.
	sweep = time.Minute
	// hear is how long a notification through a pooler may take.
	hear = 2 * time.Second
	// reply is how long the server may take to answer before the connection is given up.
	reply = 5 * time.Second
)

// listener is the one connection on which a process is told of free names.
type listener struct {
	*hub
	conn      *pgx.Conn
	nextBeat  time.Time
	nextSweep time.Time
}

// listen serves those who wait until nobody does, over one connection after the other.
func (h *hub) listen() {
	for p := (pause{}); !h.retire(); {
		l, err := h.connect()
		if err != nil {
			h.refuse(err)
		} else {
			began := time.Now()
			if err := l.serve(); err != errIdle && !l.conn.IsClosed() {
				h.refuse(err) // the server answers, and won't have it
			}
			l.end()
			h.lineIsLost()
			if time.Since(began) > beat {
				p = pause{}
			}
		}
		if !p.wait(h.ctx) {
			h.refuse(errClosed)
		}
	}
}

// connect opens a connection on which notifications of the channel arrive.
func (h *hub) connect() (*listener, error) {
	ctx, cancel := context.WithTimeout(h.ctx, reply)
	defer cancel()
	conn, err := h.dialer.dial(ctx)
	if err != nil {
		return nil, err
	}
	l := &listener{hub: h, conn: conn, nextSweep: time.Now()}
	pooled, err := behindPooler(ctx, conn)
	if err == nil {
		_, err = conn.Exec(ctx, "LISTEN "+h.channel)
	}
	if err == nil && pooled {
		err = l.hears(ctx)
	}
	if err == nil {
		_, err = conn.Exec(ctx, statement("end"), h.channel) // who waited over an earlier connection joins again
	}
	if err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return l, nil
}

// hears sends itself a notification over another connection. In transaction mode, that
// one or nobody gets it.
func (l *listener) hears(ctx context.Context) error {
	if _, err := l.db.ExecContext(ctx, statement("probe"), l.channel); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, hear)
	defer cancel()
	_, err := l.conn.WaitForNotification(ctx)
	if err != nil && ctx.Err() != nil {
		return errDeaf
	}
	return err
}

// serve keeps the line and gives hints, until it can't or nobody waits. It says why.
func (l *listener) serve() error {
	for {
		if err := l.keepAlive(); err != nil {
			return err
		}
		pause, t, joining := l.work(l.nextBeat)
		if err := l.tell(t); err != nil {
			return err
		}
		if err := l.stand(joining); err != nil {
			return err
		}
		n, err := l.conn.WaitForNotification(pause)
		switch {
		case err == nil:
			place, name, _ := strings.Cut(n.Payload, " ")
			if number, err := strconv.ParseInt(place, 10, 64); err == nil {
				l.hint(name, number)
			}
		case l.conn.IsClosed() || l.ctx.Err() != nil || pause.Err() == nil:
			return err
		}
	}
}

// errIdle ends a listener that nobody needs.
var errIdle = errors.New("nobody waits")

// keepAlive says that the listener lives, when it is time to.
func (l *listener) keepAlive() error {
	now := time.Now()
	if now.Before(l.nextBeat) {
		return nil
	}
	if !l.nextBeat.IsZero() && l.idle() {
		return errIdle
	}
	l.nextBeat = now.Add(beat)
	known := false
	err := l.query(statement("beat"), []any{l.channel, life.Milliseconds()}, func(pgx.Rows) error {
		known = true
		return nil
	})
	if err == nil && !known {
		l.lineIsLost()
	}
	if err == nil && !now.Before(l.nextSweep) {
		l.nextSweep = now.Add(sweep)
		err = l.query(statement("sweep"), []any{sweep.Milliseconds()}, nil)
	}
	return err
}

// idle reports whether nobody waits, and no hint is left to pass on to another process.
func (l *listener) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) == 0 && len(l.todo.pass) == 0
}

// tell gives up places, and then passes hints on: to somebody who has a place.
func (l *listener) tell(t todo) error {
	if len(t.places) > 0 {
		if err := l.query(statement("leave"), []any{l.channel, t.names, t.places}, nil); err != nil {
			return err
		}
	}
	if len(t.pass) > 0 {
		return l.query(statement("pass"), []any{t.pass}, nil)
	}
	return nil
}

// stand puts waiters in line. Their watches begin when every release that may not have
// seen them there is over.
func (l *listener) stand(joining []*waiter) error {
	if len(joining) == 0 {
		return nil
	}
	names, attempts := make([]string, len(joining)), make([]string, len(joining))
	byName := map[string][]*waiter{}
	for i, w := range joining {
		names[i], attempts[i] = w.name, w.attempt
		byName[w.name] = append(byName[w.name], w)
	}
	err := l.query(statement("join"), []any{l.channel, life.Milliseconds(), names, attempts}, func(r pgx.Rows) error {
		var name string
		var place int64
		if err := r.Scan(&name, &place); err != nil {
			return err
		}
		next := byName[name]
		byName[name] = next[1:]
		l.placed(next[0], place)
		return nil
	})
	if err != nil {
		return err
	}
	l.all.Go(func() {
		ctx, cancel := context.WithTimeout(l.ctx, reply)
		defer cancel()
		if err := l.settle(ctx); err != nil {
			l.refuse(err)
		}
		l.begin(joining)
	})
	return nil
}

// query executes a statement on the connection, and gives its rows to scan.
func (l *listener) query(statement string, args []any, scan func(pgx.Rows) error) error {
	ctx, cancel := context.WithTimeout(l.ctx, reply)
	defer cancel()
	rows, err := l.conn.Query(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if scan != nil {
			if err := scan(rows); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}

// end leaves the server without a trace, where it can: a place that is left behind
// swallows hints. The connection is gone where the store was closed in the middle of
// a statement; another one does it then.
func (l *listener) end() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), reply/2)
	defer cancel()
	if _, err := l.conn.Exec(ctx, statement("end"), l.channel); err != nil {
		_, _ = l.db.ExecContext(ctx, statement("end"), l.channel)
	}
	_ = l.conn.Close(ctx)
}
