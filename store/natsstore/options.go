package natsstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
)

// Options change how a store is opened. A nil *Options means the defaults.
type Options struct {
	// Bucket names the key-value bucket, in letters, digits, - and _. It must be of
	// Ringfence alone. Defaults to "ringfence".
	Bucket string

	// Label names the store for people, in errors and logs. Defaults to the bucket
	// and the server's address.
	Label string

	// Replicas is how many servers keep a bucket that Open makes, 1 to 5. Take 3 in
	// a cluster. Defaults to 1. A bucket that exists stays as it is.
	Replicas int

	// InMemory makes Open make a bucket that lives in the memory of its servers: a
	// restart loses the leases, and the store declares itself not durable. Defaults
	// to false. A bucket that exists stays as it is.
	InMemory bool

	// NoSetup makes Open refuse a missing bucket instead of making one. Defaults to
	// false.
	NoSetup bool

	// AnswerWithin is how long the server may take to answer one request, before
	// the store asks what came of it. Defaults to 2 seconds.
	AnswerWithin time.Duration
}

func (o *Options) withDefaults() (Options, error) {
	full := Options{}
	if o != nil {
		full = *o
	}
	if full.Bucket == "" {
		full.Bucket = "ringfence"
	}
	if full.Replicas == 0 {
		full.Replicas = 1
	}
	if full.AnswerWithin == 0 {
		full.AnswerWithin = 2 * time.Second
	}
	if full.Replicas < 1 || full.Replicas > 5 {
		return full, fmt.Errorf("%w option Replicas %d: want 1 to 5", fence.ErrInvalid, full.Replicas)
	}
	if full.AnswerWithin < 0 {
		return full, fmt.Errorf("%w option AnswerWithin %s: want more than 0", fence.ErrInvalid, full.AnswerWithin)
	}
	return full, checkBucket(full.Bucket)
}

// Open returns a store in a bucket, which it makes where it is missing. The
// connection of js stays the caller's: close the store first. The error is
// driver.ErrUnavailable where the server could not be asked, and driver.ErrUnfit
// where it or the bucket can't host leases; its text says what to do.
func Open(ctx context.Context, js jetstream.JetStream, o *Options) (*Store, error) {
	if js == nil {
		return nil, fmt.Errorf("%w call of natsstore.Open: it needs a JetStream", fence.ErrInvalid)
	}
	full, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := newStore(js, full)
	_, err = run(ctx, s, "open the store", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.setUp(ctx, full)
	})
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) setUp(ctx context.Context, o Options) error {
	info, err := s.info(ctx)
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamNotFound && !o.NoSetup {
		if err = s.makeBucket(ctx, o); err == nil {
			info, err = s.info(ctx)
		}
	}
	if err != nil {
		return before(err)
	}
	s.props.Durable = info.Config.Storage == jetstream.FileStorage
	return before(s.verify(ctx))
}

// leastRevision is where the revisions of a bucket made here begin, or above.
const leastRevision = 1 << 40

// makeBucket makes the stream of a key-value bucket. Its revisions begin at a
// random number: a write that expects a revision of a bucket that is gone can't
// meet the same one in its successor.
func (s *Store) makeBucket(ctx context.Context, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	storage := jetstream.FileStorage
	if o.InMemory {
		storage = jetstream.MemoryStorage
	}
	_, err := s.js.CreateStream(ctx, jetstream.StreamConfig{
		Name:              s.stream,
		Description:       "leases of Ringfence",
		Subjects:          []string{"$KV." + s.bucket + ".>"},
		Storage:           storage,
		Replicas:          o.Replicas,
		MaxMsgsPerSubject: 1,
		MaxMsgs:           -1,
		MaxBytes:          -1,
		MaxMsgSize:        -1,
		MaxConsumers:      -1,
		Discard:           jetstream.DiscardNew,
		Duplicates:        2 * time.Minute,
		FirstSeq:          leastRevision + rand.Uint64N(1<<52-leastRevision),
		AllowRollup:       true,
		AllowDirect:       true,
		AllowMsgTTL:       true,
		DenyDelete:        true,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil // by another client just now
	}
	return err
}

// fit reports why a bucket of this configuration can't host leases, or nil.
func fit(c jetstream.StreamConfig) error {
	unless := func(reason, hint string) error {
		return ruling.Refuse(fmt.Errorf("the bucket %s %s", c.Name, reason), hint)
	}
	const remake = "delete it and let Ringfence make it; no number comes back, because the clock lends the floor"
	switch {
	case !c.AllowMsgTTL:
		return unless("does not allow a time to live of a message", oldServer+", and let Ringfence make the bucket")
	case c.FirstSeq < leastRevision:
		return unless("was made by another program: its revisions can be those of a bucket before it", remake)
	case c.Retention != jetstream.LimitsPolicy, c.Mirror != nil, len(c.Sources) > 0, c.SubjectTransform != nil,
		c.MaxMsgsPerSubject != 1, c.DiscardNewPerSubject, !c.AllowRollup, !c.AllowDirect:
		return unless("does not keep the last message of each subject, and that alone", remake)
	case c.MaxAge != 0:
		return unless("forgets records after "+c.MaxAge.String(), "take its max age away with `nats stream edit`")
	case c.Discard != jetstream.DiscardNew:
		return unless("drops old records when it is full", "set its discard policy to new with `nats stream edit`")
	case c.MaxMsgSize > 0 && c.MaxMsgSize < maxEntry:
		return unless(fmt.Sprintf("takes messages of at most %d bytes", c.MaxMsgSize), fmt.Sprintf("allow %d", maxEntry))
	case c.NoAck, c.Sealed:
		return unless("acknowledges no writes", remake)
	case c.PersistMode == jetstream.AsyncPersistMode:
		return unless("acknowledges writes before they are stored", "set its persist mode to default")
	}
	return nil
}

// maxEntry bounds the bytes of a record: a name, an attempt and a label twice
// over, each byte of them escaped at worst.
const maxEntry = 16 << 10
