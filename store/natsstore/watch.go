package natsstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/life"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
)

// Watch implements driver.Watcher: the server sends what is stored for the name. All
// who wait for a name in this process share one consumer.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	return run(ctx, s, "watch "+fence.Quote(name), func(call context.Context) (<-chan struct{}, error) {
		if err := s.reachable(); err != nil {
			return nil, err
		}
		hints := make(chan struct{}, 1)
		t := s.join(name, hints)
		if t == nil {
			return nil, life.ErrClosed
		}
		select {
		case <-t.ready:
		case <-call.Done():
			s.leave(name, t, hints)
			return nil, before(call.Err())
		}
		if t.err != nil {
			s.leave(name, t, hints)
			return nil, before(t.err)
		}
		context.AfterFunc(ctx, func() { s.leave(name, t, hints) })
		return hints, nil
	})
}

// hub holds the names that this process waits for.
type hub struct {
	mu     sync.Mutex
	topics map[string]*topic
}

// topic is one name and those who wait for it, the next one first.
type topic struct {
	waiting []chan struct{}
	end     context.CancelFunc
	ready   chan struct{} // closed when the consumer is there, or err is set
	err     error
}

// join adds a waiter, and starts the consumer for the first one. It is nil where
// the store is closed.
func (s *Store) join(name string, hints chan struct{}) *topic {
	h := &s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[name]
	if t == nil {
		t = &topic{ready: make(chan struct{})}
		var ctx context.Context
		ctx, t.end = context.WithCancel(s.life.Context())
		if !s.life.Start(func() { s.listen(ctx, name, t) }) {
			t.end()
			return nil
		}
		h.topics[name] = t
	}
	t.waiting = append(t.waiting, hints)
	return t
}

// leave removes a waiter. A hint that it has not taken goes to the next; the last
// one ends the consumer.
func (s *Store) leave(name string, t *topic, hints chan struct{}) {
	h := &s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(t.waiting, hints)
	if i < 0 {
		return
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	select {
	case <-hints:
		t.hint()
	default:
	}
	if len(t.waiting) == 0 {
		t.end()
		if h.topics[name] == t {
			delete(h.topics, name)
		}
	}
}

// hint goes to the first waiter that has none, who then is the last in the line.
func (t *topic) hint() {
	for i, hints := range t.waiting {
		select {
		case hints <- struct{}{}:
			t.waiting = append(slices.Delete(t.waiting, i, i+1), hints)
			return
		default:
		}
	}
}

// listen consumes what is stored for a name until its topic ends. The consumer makes
// itself anew when the server has lost it.
func (s *Store) listen(ctx context.Context, name string, t *topic) {
	consuming, err := s.consume(ctx, name, t)
	t.err = err
	close(t.ready)
	if err != nil {
		s.drop(name, t)
		return
	}
	<-ctx.Done()
	consuming.Stop()
	select {
	case <-consuming.Closed():
	case <-time.After(s.patience):
	}
}

// drop takes a topic that failed out of the hub, so that the next watch tries anew.
func (s *Store) drop(name string, t *topic) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.hub.topics[name] == t {
		delete(s.hub.topics, name)
	}
}

func (s *Store) consume(ctx context.Context, name string, t *topic) (jetstream.ConsumeContext, error) {
	creating, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	c, err := s.js.OrderedConsumer(creating, s.stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{s.leaseSubject(name)}, DeliverPolicy: jetstream.DeliverNewPolicy,
	})
	if err != nil {
		return nil, err
	}
	return c.Consume(func(m jetstream.Msg) {
		v, err := s.arrived(m)
		if err == nil && !v.Free() {
			return
		}
		if err == nil {
			s.recent.put(v) // whoever is told now need not read it, from a replica that may lag
		}
		s.hub.mu.Lock()
		defer s.hub.mu.Unlock()
		t.hint()
	})
}

// arrived resolves a message as a consumer delivers it.
func (s *Store) arrived(m jetstream.Msg) (view, error) {
	meta, err := m.Metadata()
	if err != nil {
		return view{}, ruling.Refuse(err, foreign)
	}
	return s.viewOf(m.Subject(), stored{revision: meta.Sequence.Stream, at: meta.Timestamp.UTC(), data: m.Data()})
}
