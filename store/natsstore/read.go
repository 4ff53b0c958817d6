package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
)

// stored is the last message on a subject.
type stored struct {
	revision uint64
	at       time.Time // the server's timestamp
	data     []byte    // empty where a clean-up has left its mark
}

// look reads the record of a name and the bucket's own in one view of a replica
// that knows the revision atLeast.
func (s *Store) look(ctx context.Context, name string, atLeast uint64) (view, error) {
	for p := newPause(); ; {
		if !s.checked() {
			if err := s.verify(ctx); err != nil {
				return view{}, before(err)
			}
		}
		found, known, err := s.fetch(ctx, s.floorSubject(), s.leaseSubject(name))
		if err != nil {
			return view{}, err
		}
		f, ok, err := readFloor(found[s.floorSubject()])
		if err != nil {
			return view{}, err
		}
		if ok && known >= atLeast && s.checked() { // also now: it may have answered over a new connection
			s.floored.Store(&f)
			return resolve(name, f, found[s.leaseSubject(name)])
		}
		if !ok {
			if err := s.verify(ctx); err != nil {
				return view{}, before(err)
			}
		}
		if err := before(p.Wait(ctx, nil)); err != nil {
			return view{}, err
		}
	}
}

// checked reports whether the bucket that answers is the one that was checked last.
func (s *Store) checked() bool {
	return s.verified.Load() == s.js.Conn().Stats().Reconnects && s.strayed.Load() == 0
}

// fetch reads the last message of each subject in one view of one replica. known
// is the last revision of the bucket that this replica had.
func (s *Store) fetch(ctx context.Context, subjects ...string) (found map[string]stored, known uint64, err error) {
	found = make(map[string]stored, len(subjects))
	end, err := s.ask(ctx, getRequest{Last: subjects}, func(subject string, m stored) error {
		found[subject] = m
		return nil
	})
	if err != nil || end == nil {
		return nil, 0, err
	}
	if known, err = strconv.ParseUint(end.Get("Nats-UpTo-Sequence"), 10, 64); err != nil {
		return nil, 0, ruling.Refuse(err, oldServer)
	}
	s.saw(known)
	return found, known, nil
}

// getRequest is a read of JetStream that any replica answers with many messages:
// the last of each subject, or the next ones of one.
type getRequest struct {
	Last  []string `json:"multi_last,omitempty"`
	From  uint64   `json:"seq,omitempty"`
	Next  string   `json:"next_by_subj,omitempty"`
	Batch int      `json:"batch,omitempty"`
}

// ask sends a read and gives each message of the answer to f. It returns the
// header that ends the answer, or nil where nothing was found.
func (s *Store) ask(ctx context.Context, request getRequest, f func(subject string, m stored) error) (nats.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	if err := s.reachable(); err != nil {
		return nil, err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, ruling.Refuse(err, "")
	}
	nc := s.js.Conn()
	inbox := nc.NewInbox()
	answer := make(chan *nats.Msg, max(len(request.Last), request.Batch)+1) // and the end
	sub, err := nc.ChanSubscribe(inbox, answer)
	if err != nil {
		return nil, before(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := nc.PublishRequest(s.api+"DIRECT.GET."+s.stream, inbox, body); err != nil {
		return nil, before(err)
	}
	for {
		var m *nats.Msg
		select {
		case m = <-answer:
		case <-ctx.Done():
			return nil, before(ctx.Err())
		}
		if m == nil {
			return nil, judge(nats.ErrConnectionClosed)
		}
		if end, over, err := ending(m.Header); over {
			return end, s.silent(ctx, err)
		}
		subject, r, err := read(m.Header, m.Data)
		if err == nil {
			err = f(subject, r)
		}
		if err != nil {
			return nil, err
		}
	}
}

// ending reports whether a header ends an answer, and with what.
func ending(h nats.Header) (end nats.Header, over bool, err error) {
	switch status := h.Get("Status"); status {
	case "":
		return nil, false, nil
	case "204":
		return h, true, nil
	case "404":
		return nil, true, nil
	case "503":
		return nil, true, nats.ErrNoResponders
	case "408":
		return nil, true, ruling.Refuse(errors.New("the server does not know how to read several messages at once"), oldServer)
	default:
		return nil, true, ruling.Unavailable(fmt.Errorf("the server answers a read with %s %s", status, h.Get("Description")))
	}
}

// read takes one message of an answer apart.
func read(h nats.Header, data []byte) (subject string, r stored, err error) {
	revision, err := strconv.ParseUint(h.Get("Nats-Sequence"), 10, 64)
	if err != nil {
		return "", stored{}, ruling.Refuse(err, oldServer)
	}
	at, err := time.Parse(time.RFC3339Nano, h.Get("Nats-Time-Stamp"))
	if err != nil {
		return "", stored{}, ruling.Refuse(err, oldServer)
	}
	return h.Get("Nats-Subject"), stored{revision: revision, at: at, data: data}, nil
}

// silent says why nobody answers for the bucket: it is gone, or has no leader.
func (s *Store) silent(ctx context.Context, err error) error {
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) {
		if _, e := s.info(ctx); e != nil && judge(e).Kind == driver.ErrUnfit {
			return e
		}
	}
	return before(err)
}

// info asks the bucket's leader about it, and for the time.
func (s *Store) info(ctx context.Context) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	if err := s.reachable(); err != nil {
		return nil, err
	}
	stream, err := s.js.Stream(ctx, s.stream)
	if err != nil {
		return nil, before(err)
	}
	info := stream.CachedInfo()
	if info.TimeStamp.IsZero() {
		return nil, ruling.Refuse(errors.New("the server does not tell its time"), oldServer)
	}
	return info, nil
}

// now is the time at the bucket's leader, and never before what a record says.
func (s *Store) now(ctx context.Context, least time.Time) (time.Time, error) {
	info, err := s.info(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if info.TimeStamp.Before(least) {
		return least, nil
	}
	return info.TimeStamp, nil
}

// nowFor is the time that tells whether a term is over. One that was ended is, at
// any time.
func (s *Store) nowFor(ctx context.Context, v view) (time.Time, error) {
	if v.Now == nil || v.Now.Cause != "" {
		return v.At, nil
	}
	return s.now(ctx, v.At)
}

var errCut = errors.New("the connection to the server is cut")

// reachable reports why nothing could be sent, or nil: what is sent without a
// connection is kept by the client, and goes out when it has one again.
func (s *Store) reachable() error {
	switch nc := s.js.Conn(); {
	case nc.IsClosed():
		return judge(nats.ErrConnectionClosed)
	case !nc.IsConnected():
		return ruling.Unavailable(errCut)
	}
	return nil
}

// write stores a message after the expected revision, and returns its own.
func (s *Store) write(ctx context.Context, subject string, expected uint64, body []byte, o ...jetstream.PublishOpt) (uint64, error) {
	m := nats.NewMsg(subject)
	m.Data = body
	return s.publish(ctx, m, expected, o...)
}

// writeStep stores a step, and notes one that may have gone to a bucket which has not
// been checked since the connection to it was made.
func (s *Store) writeStep(ctx context.Context, name string, expected uint64, body []byte) (uint64, error) {
	checked := s.verified.Load()
	if s.beforeWrite != nil {
		s.beforeWrite(name)
	}
	revision, err := s.write(ctx, s.leaseSubject(name), expected, body)
	if s.js.Conn().Stats().Reconnects != checked {
		s.strayed.Add(1)
	} else if err == nil {
		s.saw(revision)
	}
	return revision, err
}

func (s *Store) publish(ctx context.Context, m *nats.Msg, expected uint64, o ...jetstream.PublishOpt) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	if err := s.reachable(); err != nil {
		return 0, err
	}
	ack, err := s.js.PublishMsg(ctx, m, append(o,
		jetstream.WithExpectStream(s.stream), jetstream.WithExpectLastSequencePerSubject(expected))...)
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		return 0, s.silent(ctx, err)
	}
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}
