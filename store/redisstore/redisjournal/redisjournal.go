// Package redisjournal keeps a journal in a stream of the Redis that hosts the leases,
// on the clock of the server.
//
// The stream is as durable as the server, which for a Redis that doesn't write each
// command to its disk is not very: what is lost with it is the record, never a lease.
// It is {PREFIX}:journal; a user with rights of its own needs XADD, XREVRANGE and XTRIM.
package redisjournal

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/journal"
)

//go:embed lua
var files embed.FS

var (
	appending = load("append")
	pruning   = load("prune")
)

func load(name string) *redis.Script {
	text, err := files.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic(err) // an embedded file is always there
	}
	return redis.NewScript(string(text))
}

// Options change how a journal is kept. Nil means the defaults.
type Options struct {
	// Prefix is that of the store: see redisstore.Options. Defaults to "ringfence".
	Prefix string

	// Label names the server for people, in errors. Defaults to "Redis".
	Label string
}

// Journal is a journal in a stream. It implements journal.Journal.
type Journal struct {
	client redis.UniversalClient
	key    string
	label  string
}

var _ journal.Journal = (*Journal)(nil)

// Open returns the journal in the Redis of client, which stays the caller's. Nothing is
// sent before it is used.
func Open(client redis.UniversalClient, o *Options) *Journal {
	prefix, label := "ringfence", "Redis"
	if o != nil && o.Prefix != "" {
		prefix = o.Prefix
	}
	if o != nil && o.Label != "" {
		label = o.Label
	}
	return &Journal{client: client, key: "{" + prefix + "}:journal", label: label}
}

// Clock implements journal.Journal.
func (j *Journal) Clock() string { return "the Redis server" }

// Close implements journal.Journal. The client stays open.
func (j *Journal) Close() error { return nil }

// Append implements journal.Journal, by one script.
func (j *Journal) Append(ctx context.Context, events []journal.Event) error {
	now := time.Now()
	args := make([]any, 0, 3*len(events))
	for _, e := range events {
		if err := e.Check(); err != nil {
			return err
		}
		ago, span := now.Sub(e.At).Microseconds(), ""
		if !e.Until.IsZero() {
			span = strconv.FormatInt(e.Until.Sub(e.At).Microseconds(), 10)
		}
		e.At, e.Until = time.Time{}, time.Time{}
		rest, err := json.Marshal(e)
		if err != nil {
			return err
		}
		args = append(args, ago, span, rest)
	}
	if err := context.Cause(ctx); err != nil {
		return j.fault("write", driver.ErrUnavailable, err)
	}
	if len(events) == 0 {
		return nil
	}
	err := appending.Run(ctx, j.client, []string{j.key}, args...).Err()
	if errors.Is(err, redis.Nil) { // a script without an answer
		err = nil
	}
	return j.fault("write", driver.ErrUnknown, err)
}

// pageSize is how many events one command reads.
const pageSize = 500

// Read implements journal.Journal, by one command for each 500 events.
func (j *Journal) Read(ctx context.Context, q journal.Query) iter.Seq2[journal.Event, error] {
	return journal.Once(func(yield func(journal.Event, error) bool) {
		for from := "+"; ; {
			page, err := j.client.XRevRangeN(ctx, j.key, from, "-", pageSize).Result()
			if err != nil {
				yield(journal.Event{}, j.fault("read", driver.ErrUnavailable, err))
				return
			}
			for _, m := range page {
				e, err := decode(m)
				if (err != nil || q.Wants(e)) && !yield(e, err) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
			from = "(" + page[len(page)-1].ID
		}
	})
}

func decode(m redis.XMessage) (e journal.Event, err error) {
	word := func(field string) string { s, _ := m.Values[field].(string); return s }
	at, bad := strconv.ParseInt(word("at"), 10, 64)
	until, worse := strconv.ParseInt(word("until"), 10, 64)
	if err = errors.Join(bad, worse, json.Unmarshal([]byte(word("event")), &e)); err == nil {
		e.At = time.UnixMicro(at).UTC()
		if until != 0 {
			e.Until = time.UnixMicro(until).UTC()
		}
		err = e.Check()
	}
	if err != nil {
		return journal.Event{}, fmt.Errorf("entry %s of the stream: %w", m.ID, journal.ErrCorrupt)
	}
	return e, nil
}

// Prune implements journal.Journal, by one script.
func (j *Journal) Prune(ctx context.Context, b journal.Bounds) (int, error) {
	n, err := pruning.Run(ctx, j.client, []string{j.key}, b.Age.Milliseconds(), b.Events).Int()
	return n, j.fault("prune", driver.ErrUnknown, err)
}

// fault names the journal in an error. kind is for those that say nothing of what
// was done.
func (j *Journal) fault(what string, kind, err error) error {
	if err == nil {
		return nil
	}
	f := &driver.Fault{Kind: kind, Err: fmt.Errorf("%s the journal at %s: %w", what, j.label, err)}
	switch text := err.Error(); {
	case strings.Contains(text, "NOPERM"), strings.Contains(text, "No permission"), strings.Contains(text, "can't run this command"), strings.Contains(text, "WRONGTYPE"):
		f.Kind, f.Hint = driver.ErrUnfit, "grant the user XADD, XREVRANGE and XTRIM on "+j.key+", or name another journal"
	case strings.HasPrefix(text, "OOM"), strings.HasPrefix(text, "READONLY"), strings.HasPrefix(text, "MISCONF"):
		f.Kind = driver.ErrUnavailable
	}
	return f
}
