package redisstore

import (
	"context"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
)

// Watch implements driver.Watcher: a release and a break publish to the channel of
// the name. All watches of a store share one connection, which the first one opens.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	hints, err := s.hub.watch(ctx, s.lease(name))
	if err != nil {
		return nil, before(judge(err)).fault(s.about("watch " + fence.Quote(name)))
	}
	return hints, nil
}

// hub shares one subscription among all that wait in this process.
type hub struct {
	client redis.UniversalClient
	ctx    context.Context
	cancel context.CancelFunc
	all    sync.WaitGroup

	adjusting sync.Mutex // one change of the subscription at a time

	mu     sync.Mutex
	closed bool
	sub    *redis.PubSub // nil before the first watch
	topics map[string]*topic
}

// topic is one channel of the server and those who wait on it, in their order.
type topic struct {
	waiting []chan struct{}
	ready   chan struct{} // closed when the server has confirmed the subscription
}

func newHub(client redis.UniversalClient) *hub {
	h := &hub{client: client, topics: map[string]*topic{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

func (h *hub) watch(ctx context.Context, channel string) (<-chan struct{}, error) {
	if ctx.Err() != nil {
		return nil, left(ctx, false, nil)
	}
	hints := make(chan struct{}, 1)
	t, err := h.join(channel, hints)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { h.leave(channel, hints) })
	select {
	case <-t.ready:
		return hints, nil
	case <-ctx.Done():
		return nil, left(ctx, false, nil)
	case <-h.ctx.Done():
		return nil, errClosed
	}
}

func (h *hub) join(channel string, hints chan struct{}) (*topic, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	if h.sub == nil {
		h.sub = h.client.Subscribe(h.ctx) // sends nothing yet
		messages := h.sub.ChannelWithSubscriptions()
		h.all.Go(func() { h.listen(messages) })
	}
	t := h.topics[channel]
	if t == nil {
		t = &topic{ready: make(chan struct{})}
		h.topics[channel] = t
		h.all.Go(func() { h.adjust(channel) })
	}
	t.waiting = append(t.waiting, hints)
	return t, nil
}

// adjust makes the subscription what the topics say by now. The client repeats
// what fails here when it has a connection again.
func (h *hub) adjust(channel string) {
	h.adjusting.Lock()
	defer h.adjusting.Unlock()
	h.mu.Lock()
	sub, wanted := h.sub, h.topics[channel] != nil
	h.mu.Unlock()
	if wanted {
		_ = sub.Subscribe(h.ctx, channel)
	} else {
		_ = sub.Unsubscribe(h.ctx, channel)
	}
}

// leave ends a watch. A hint that it has not taken goes to the next.
func (h *hub) leave(channel string, hints chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[channel]
	if t == nil || h.closed {
		return
	}
	i := slices.Index(t.waiting, hints)
	if i < 0 {
		return
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	select {
	case <-hints:
		t.wake()
	default:
	}
	if len(t.waiting) == 0 {
		delete(h.topics, channel)
		h.all.Go(func() { h.adjust(channel) })
	}
}

// wake gives a hint to the one that has waited longest, who goes to the end.
func (t *topic) wake() {
	if len(t.waiting) == 0 {
		return
	}
	next := t.waiting[0]
	t.waiting = append(t.waiting[1:], next)
	select {
	case next <- struct{}{}:
	default: // it has one already
	}
}

func (h *hub) listen(messages <-chan any) {
	for m := range messages {
		h.mu.Lock()
		switch m := m.(type) {
		case *redis.Message:
			if t := h.topics[m.Channel]; t != nil {
				t.wake()
			}
		case *redis.Subscription:
			h.confirm(m)
		}
		h.mu.Unlock()
	}
}

// confirm notes that the server has a subscription. One that had it before has
// lost its connection in between, and maybe a hint.
func (h *hub) confirm(m *redis.Subscription) {
	t := h.topics[m.Channel]
	if t == nil || m.Kind != "subscribe" {
		return
	}
	select {
	case <-t.ready:
		t.wake()
	default:
		close(t.ready)
	}
}

func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	sub := h.sub
	h.mu.Unlock()
	h.cancel()
	if sub != nil {
		_ = sub.Close()
	}
	h.all.Wait()
}
