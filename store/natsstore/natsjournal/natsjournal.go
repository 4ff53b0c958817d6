// Package natsjournal keeps a journal in a JetStream stream beside the bucket of the
// leases, on the clock of the server that leads it.
//
//	j, err := natsjournal.Open(js, nil)
//
// The stream is BUCKET-journal, on the subject BUCKET.journal; a message is a batch, and
// its timestamp says when it was written. The first append makes the stream, where the
// user may: at most 90 days and 64 MiB, the oldest go first.
package natsjournal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/bundle"
)

// Options change how a journal is kept. Nil means the defaults.
type Options struct {
	// Bucket is that of the store: see natsstore.Options. Defaults to "ringfence".
	Bucket string

	// Label names the journal for people, in errors. Defaults to the stream.
	Label string

	// Replicas is how many servers keep a stream that Append makes, 1 to 5. Defaults to 1.
	Replicas int

	// NoSetup makes Append fail where the stream is missing, instead of making it.
	// Defaults to false.
	NoSetup bool
}

// Journal is a journal in a stream. It implements journal.Journal.
type Journal struct {
	js              jetstream.JetStream
	stream, subject string
	opts            Options
}

var _ journal.Journal = (*Journal)(nil)

// Open returns the journal that js leads to, whose connection stays the caller's.
// Nothing is sent before it is used.
func Open(js jetstream.JetStream, o *Options) (*Journal, error) {
	if js == nil {
		return nil, fmt.Errorf("%w call of natsjournal.Open: it needs a JetStream", fence.ErrInvalid)
	}
	j := &Journal{js: js}
	if o != nil {
		j.opts = *o
	}
	if j.opts.Bucket == "" {
		j.opts.Bucket = "ringfence"
	}
	if j.opts.Replicas == 0 {
		j.opts.Replicas = 1
	}
	j.stream, j.subject = j.opts.Bucket+"-journal", j.opts.Bucket+".journal"
	if j.opts.Label == "" {
		j.opts.Label = "the NATS stream " + j.stream
	}
	return j, nil
}

// Clock implements journal.Journal.
func (j *Journal) Clock() string { return "the NATS server" }

// Close implements journal.Journal. The connection stays open.
func (j *Journal) Close() error { return nil }

// Append implements journal.Journal, by one message, or a few where the server takes
// none so large.
func (j *Journal) Append(ctx context.Context, events []journal.Event) error {
	text, err := bundle.Pack(events)
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return j.fault("write", driver.ErrUnavailable, err)
	}
	if len(events) == 0 {
		return nil
	}
	if half := len(events) / 2; half > 0 && int64(len(text)) > j.js.Conn().MaxPayload()-headerRoom {
		if err := j.Append(ctx, events[:half]); err != nil {
			return err
		}
		return j.Append(ctx, events[half:])
	}
	err = j.publish(ctx, text, len(events))
	if missing(err) && !j.opts.NoSetup {
		if err = j.setUp(ctx); err == nil {
			text, _ = bundle.Pack(events) // how long ago they were has changed
			err = j.publish(ctx, text, len(events))
		}
	}
	return j.fault("write", driver.ErrUnknown, err)
}

const (
	counter    = "Ringfence-Events" // the header that says how many events a message has
	headerRoom = 1 << 10
)

// publish waits for the word that the message is stored. The server says nothing to
// whoever may not publish, but to the connection.
func (j *Journal) publish(ctx context.Context, text []byte, events int) error {
	m := &nats.Msg{Subject: j.subject, Data: text, Header: nats.Header{counter: {strconv.Itoa(events)}}}
	sent, err := j.js.PublishMsgAsync(m, jetstream.WithExpectStream(j.stream))
	if err != nil {
		return err
	}
	look := time.NewTicker(25 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-sent.Ok():
			return nil
		case err := <-sent.Err():
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-look.C:
			if err := j.js.Conn().LastError(); denies(err, j.subject) {
				return err
			}
		}
	}
}

// maxBytes bounds the stream on each of its servers, which count it as taken.
const maxBytes = 64 << 20

func (j *Journal) setUp(ctx context.Context) error {
	_, err := j.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: j.stream, Description: "journal of Ringfence", Subjects: []string{j.subject}, Storage: jetstream.FileStorage,
		Replicas: j.opts.Replicas, MaxAge: journal.DefaultBounds.Age, MaxBytes: maxBytes, MaxMsgs: -1, MaxConsumers: -1,
		MaxMsgSize: -1, Discard: jetstream.DiscardOld, AllowDirect: true,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil // by another client just now
	}
	return err
}

// pageSize is how many messages are held at once.
const pageSize = 500

// Read implements journal.Journal, by one consumer for each 500 messages.
func (j *Journal) Read(ctx context.Context, q journal.Query) iter.Seq2[journal.Event, error] {
	return journal.Once(func(yield func(journal.Event, error) bool) {
		info, err := j.info(ctx)
		for last := info.State.LastSeq; err == nil && last > 0 && last >= info.State.FirstSeq; {
			first := max(info.State.FirstSeq, last-min(last, pageSize)+1)
			var page []message
			page, err = j.page(ctx, first, last, false)
			for _, m := range slices.Backward(page) {
				if !m.each(q, yield) {
					return
				}
			}
			last = first - 1
		}
		if err != nil && !missing(err) {
			yield(journal.Event{}, j.fault("read", driver.ErrUnavailable, err))
		}
	})
}

// each yields what q wants of the message, the last first, and reports whether to go on.
func (m message) each(q journal.Query, yield func(journal.Event, error) bool) bool {
	events, err := bundle.Unpack(m.bundle, m.at)
	if err != nil {
		return yield(journal.Event{}, fmt.Errorf("message %d of the stream: %w", m.seq, err))
	}
	for _, e := range slices.Backward(events) {
		if q.Wants(e) && !yield(e, nil) {
			return false
		}
	}
	return true
}

// Prune implements journal.Journal. It reads the headers of all messages, and has the
// server drop those before the first that is to stay.
func (j *Journal) Prune(ctx context.Context, b journal.Bounds) (int, error) {
	info, err := j.info(ctx)
	if missing(err) {
		return 0, nil
	}
	var all []message
	if err == nil && info.State.Msgs > 0 {
		all, err = j.page(ctx, info.State.FirstSeq, info.State.LastSeq, true)
	}
	oldest, newer, excess := info.TimeStamp.Add(-b.Age), 0, 0
	before := uint64(0) // which messages are to go
	for _, m := range slices.Backward(all) {
		if before == 0 && (newer >= b.Events || m.at.Before(oldest)) {
			before = m.seq + 1
		}
		if newer += m.events; before > 0 {
			excess += m.events
		}
	}
	if err == nil && before > 0 {
		var s jetstream.Stream
		if s, err = j.js.Stream(ctx, j.stream); err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSequence(before))
		}
	}
	if err != nil {
		return 0, j.fault("prune", driver.ErrUnknown, err)
	}
	return excess, nil
}
