package open

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/filejournal"
	"github.com/ringfence-go/ringfence/journal/sqljournal"
	"github.com/ringfence-go/ringfence/store/natsstore/natsjournal"
	"github.com/ringfence-go/ringfence/store/redisstore/redisjournal"
)

// JournalForms tells a person where a journal can be.
const JournalForms = "a file, sqlite:///path/file.db, postgres://user@host:5432/database, mysql://user@host:3306/database, redis://user@host:6379/0 or nats://host:4222/bucket"

// Journal is where a record is kept, connected at its first use.
type Journal struct {
	// Label names it in whatever is printed.
	Label string
	// Target is what it is kept in, where that is a store or a database.
	Target Target

	clock string
	open  func(context.Context) (journal.Journal, error)

	mu     sync.Mutex
	opened journal.Journal
	close  func() error
}

var _ journal.Journal = (*Journal)(nil)

// ParseJournal reads a URL or the path of a file.
func ParseJournal(raw string) (*Journal, error) {
	if scheme, _, ok := strings.Cut(raw, ":"); !ok || scheme == "file" || !strings.Contains(raw, "://") && !strings.HasPrefix(scheme, "sqlite") {
		path := strings.TrimPrefix(strings.TrimPrefix(raw, "file:"), "//")
		if path == "" || strings.ContainsRune(path, 0) {
			return nil, fmt.Errorf("%w journal: it names no file; want %s", fence.ErrInvalid, JournalForms)
		}
		j := filejournal.Open(path, nil)
		return &Journal{Label: path, clock: j.Clock(), open: func(context.Context) (journal.Journal, error) { return j, nil }}, nil
	}
	t, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	return t.Journal()
}

// Journal is the record in the store or the database behind t, on a connection of its own.
func (t Target) Journal() (*Journal, error) {
	j := t.journal()
	j.open = func(ctx context.Context) (journal.Journal, error) {
		if t.Kind == Redis {
			client := redis.NewClient(t.redis)
			j.close = client.Close
			return t.journalIn(client), nil
		}
		if t.Kind == NATS {
			js, err := t.nats.connect(ctx)
			if err != nil {
				return nil, err
			}
			j.close = func() error { js.Conn().Close(); return nil }
			return t.journalAt(js)
		}
		db, err := t.recorded(ctx)
		if err != nil {
			return nil, err
		}
		j.close = db.Close
		return t.journalOn(db)
	}
	return j, t.holdsJournal()
}

func (t Target) recorded(ctx context.Context) (*sql.DB, error) {
	if t.Kind == MySQL {
		return t.mysql.database()
	}
	return t.Database(ctx)
}

// OwnJournal is the record of the store at t: in it, or for SQLite in a file beside it.
// SQLite has one writer at a time: a process that is stopped in the middle of writing
// its record would keep everybody from every lease in the file.
func (t Target) OwnJournal() (*Journal, error) {
	if t.Kind == SQLite {
		beside := FromFile(t.path + ".history")
		beside.makeFolder = t.makeFolder
		return beside.Journal()
	}
	return t.Journal()
}

// Journal is the record of the store, on the connections of the store where it is
// kept there.
func (l *Lazy) Journal() (*Journal, error) {
	if l.target.Kind == SQLite {
		return l.target.OwnJournal()
	}
	j := l.target.journal()
	j.open = func(ctx context.Context) (journal.Journal, error) {
		s, err := l.open(ctx)
		if err != nil {
			return nil, err
		}
		return l.target.journalOf(s)
	}
	return j, l.target.holdsJournal()
}

// journalOf is the record in an open store of t.
func (t Target) journalOf(s Store) (journal.Journal, error) {
	switch in := s.(type) {
	case interface{ database() *sql.DB }:
		return t.journalOn(in.database())
	case *inRedis:
		return t.journalIn(in.client), nil
	case *inNATS:
		return t.journalAt(in.js)
	}
	return nil, t.noJournal()
}

func (s *inDatabase) database() *sql.DB { return s.db }

var journals = map[Kind]sqljournal.Dialect{Postgres: sqljournal.Postgres, MySQL: sqljournal.MySQL, SQLite: sqljournal.SQLite}

func (t Target) journalOn(db *sql.DB) (journal.Journal, error) {
	return sqljournal.Open(db, journals[t.Kind], &sqljournal.Options{Label: t.Label})
}

func (t Target) journalIn(client *redis.Client) journal.Journal {
	return redisjournal.Open(client, &redisjournal.Options{Label: t.Label})
}

func (t Target) journalAt(js jetstream.JetStream) (journal.Journal, error) {
	return natsjournal.Open(js, &natsjournal.Options{Label: t.Label, Bucket: t.nats.Bucket, Replicas: t.nats.Replicas})
}

// journal is one that is not connected yet.
func (t Target) journal() *Journal {
	clock, other := map[Kind]string{Redis: "the Redis server", NATS: "the NATS server"}[t.Kind]
	if !other {
		clock = "the database"
	}
	return &Journal{Label: t.Label, Target: t, clock: clock}
}

func (t Target) holdsJournal() error {
	if _, ok := journals[t.Kind]; ok || t.Kind == Redis || t.Kind == NATS {
		return nil
	}
	return t.noJournal()
}

func (t Target) noJournal() error {
	return fmt.Errorf("%w journal: %s holds none; name one by --journal or RINGFENCE_JOURNAL: %s", fence.ErrInvalid, t.Kind, JournalForms)
}

// use connects where that has not been done.
func (j *Journal) use(ctx context.Context) (journal.Journal, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.opened == nil {
		opened, err := j.open(ctx)
		if err != nil {
			return nil, err
		}
		j.opened = opened
	}
	return j.opened, nil
}

// Append implements journal.Journal.
func (j *Journal) Append(ctx context.Context, events []journal.Event) error {
	in, err := j.use(ctx)
	if err != nil {
		return err
	}
	return in.Append(ctx, events)
}

// Read implements journal.Journal.
func (j *Journal) Read(ctx context.Context, q journal.Query) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		in, err := j.use(ctx)
		if err != nil {
			yield(journal.Event{}, err)
			return
		}
		in.Read(ctx, q)(yield)
	}
}

// Prune implements journal.Journal.
func (j *Journal) Prune(ctx context.Context, b journal.Bounds) (int, error) {
	in, err := j.use(ctx)
	if err != nil {
		return 0, err
	}
	return in.Prune(ctx, b)
}

// Clock implements journal.Journal.
func (j *Journal) Clock() string { return j.clock }

// Close implements journal.Journal. A store that it shares stays open.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open = func(context.Context) (journal.Journal, error) { return nil, &driver.Fault{Kind: driver.ErrClosed} }
	if j.close == nil {
		return nil
	}
	return j.close()
}
