package natsjournal

import (
	"context"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// message is one of the stream.
type message struct {
	seq    uint64
	at     time.Time // when the server stored it
	events int
	bundle []byte
}

// info is the state of the stream, and what the server's clock says.
func (j *Journal) info(ctx context.Context) (jetstream.StreamInfo, error) {
	s, err := j.js.Stream(ctx, j.stream)
	if err != nil {
		return jetstream.StreamInfo{}, err
	}
	return *s.CachedInfo(), nil
}

// page reads the messages from first to last, or only their headers. What the server
// has dropped meanwhile is missing.
func (j *Journal) page(ctx context.Context, first, last uint64, headers bool) ([]message, error) {
	c, err := j.js.CreateConsumer(ctx, j.stream, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: first, AckPolicy: jetstream.AckNonePolicy,
		HeadersOnly: headers, MemoryStorage: true, Replicas: 1, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = j.js.DeleteConsumer(ctx, j.stream, c.CachedInfo().Name) // or else it goes by itself
	}()
	var page []message
	for {
		batch, err := c.Fetch(int(min(last-first+1, pageSize)), jetstream.FetchContext(ctx))
		if err != nil {
			return nil, err
		}
		got := 0
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return nil, err
			}
			got++
			if meta.Sequence.Stream > last {
				return page, nil
			}
			events, _ := strconv.Atoi(m.Headers().Get(counter)) // somebody else's message has none
			page = append(page, message{meta.Sequence.Stream, meta.Timestamp.UTC(), events, m.Data()})
			if meta.Sequence.Stream == last || meta.NumPending == 0 {
				return page, nil
			}
		}
		if err := batch.Error(); err != nil || got == 0 {
			return page, err
		}
	}
}
