package redisstore

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Watch implements driver.Watcher. The record of the name has a queue of the
// processes that wait for it, each once; a release and a break tell the first of
// them that still listens. All watches of a store share one connection, which the
// first one opens.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	hints, err := s.hub.watch(ctx, name)
	if err != nil {
		return nil, before(judge(err)).fault(s.about("watch " + fence.Quote(name)))
	}
	return hints, nil
}

// hub is this process as it stands in the queues of names: one channel of the
// server for all hints, and for each name the callers who share its place.
type hub struct {
	store  *Store
	id     string // random; names this process in the queues, and its channel
	ctx    context.Context
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu     sync.Mutex
	closed bool
	sub    *redis.PubSub // nil before the first watch
	heard  chan struct{} // closed when the server has confirmed the subscription
	topics map[string]*topic
	turns  map[turn][]chan struct{} // who listens for them
}

func newHub(s *Store) *hub {
	h := &hub{store: s, id: rand.Text()[:10], heard: make(chan struct{}), topics: map[string]*topic{}, turns: map[turn][]chan struct{}{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// topic is a name that somebody here waits for.
type topic struct {
	waiting []chan struct{} // in their order
	ready   chan struct{}   // closed when this process stood in the queue for the first time
	queued  bool            // it stands there, as far as is known
	pass    bool            // it was told, and nobody here took the hint
	told    fence.Token     // of the term whose end was told last
	busy    bool            // settle runs
}

// wanted is what the server has to be told next, or empty.
func (t *topic) wanted() string {
	switch here := len(t.waiting) > 0; {
	case here && !t.queued:
		return "wait"
	case !here && t.pass:
		return "pass"
	case !here && t.queued:
		return "stop"
	}
	return ""
}

// wake gives a hint to the one without one that has waited longest, who goes to the
// end.
func (t *topic) wake() {
	if len(t.waiting) == 0 {
		t.pass = true
		return
	}
	for i, hints := range t.waiting {
		select {
		case hints <- struct{}{}:
			t.waiting = append(slices.Delete(t.waiting, i, i+1), hints)
			return
		default:
		}
	}
}

func (h *hub) watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if ctx.Err() != nil {
		return nil, left(ctx, false, nil)
	}
	hints := make(chan struct{}, 1)
	t, err := h.join(name, hints)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { h.leave(name, hints) })
	select {
	case <-t.ready:
		return hints, nil
	case <-ctx.Done():
		return nil, left(ctx, false, nil)
	case <-h.ctx.Done():
		return nil, errClosed
	}
}

func (h *hub) join(name string, hints chan struct{}) (*topic, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	h.subscribe()
	t := h.topics[name]
	if t == nil {
		t = &topic{ready: make(chan struct{})}
		h.topics[name] = t
	}
	t.waiting = append(t.waiting, hints)
	if t.pass {
		t.pass = false
		t.wake()
	}
	h.settle(name, t)
	return t, nil
}

// subscribe opens the connection for hints, once. h.mu is locked.
func (h *hub) subscribe() {
	if h.sub == nil {
		h.sub = h.store.link.client.Subscribe(h.ctx, h.store.tag+"hints:"+h.id)
		messages := h.sub.ChannelWithSubscriptions()
		h.all.Go(func() { h.listen(messages) })
	}
}

// leave ends a watch. A hint that it has not taken goes to the next.
func (h *hub) leave(name string, hints chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[name]
	if t == nil {
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
	h.settle(name, t)
}

// settle makes the server know what t wants, one word after the other, and
// forgets a topic that wants nothing. h.mu is locked.
func (h *hub) settle(name string, t *topic) {
	if t.busy || h.closed {
		return
	}
	if t.wanted() != "" {
		t.busy = true
		h.all.Go(func() { h.tell(name, t) })
	} else if len(t.waiting) == 0 {
		delete(h.topics, name)
	}
}

// tell tells the server what t wants until it wants nothing.
func (h *hub) tell(name string, t *topic) {
	select {
	case <-h.heard: // whoever is in a queue must listen
	case <-h.ctx.Done():
	}
	for h.ctx.Err() == nil {
		h.mu.Lock()
		word := t.wanted()
		if word == "" {
			t.busy = false
			h.settle(name, t)
			h.mu.Unlock()
			return
		}
		t.queued, t.pass = word == "wait", false
		h.mu.Unlock()
		if err := h.say(name, t, word); err != nil {
			h.mu.Lock()
			t.queued, t.pass = word == "stop", t.pass || word == "pass"
			h.mu.Unlock()
			select {
			case <-time.After(deafness):
			case <-h.ctx.Done():
			}
		}
	}
}

// deafness is for how long a hub leaves a server alone that could not be told.
const deafness = 300 * time.Millisecond

// say tells the server one word. Where the name is free after a later term than
// the one whose end was told, another hint was missed in between.
func (h *hub) say(name string, t *topic, word string) error {
	got, r := h.store.do(h.ctx, name, waiting, h.id, name, word)
	if r != nil {
		return *r
	}
	w := got.words(2)
	state, token := w.text[0], w.token(1)
	if w.err != nil {
		return *w.err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if word != "wait" {
		return nil
	}
	select {
	case <-t.ready:
		if state != string(driver.Held) && token > t.told {
			t.told = token
			t.wake()
		}
	default:
		t.told = token
		close(t.ready)
	}
	return nil
}

func (h *hub) listen(messages <-chan any) {
	for m := range messages {
		h.mu.Lock()
		switch m := m.(type) {
		case *redis.Message:
			h.hint(m.Payload)
		case *redis.Subscription:
			h.confirm(m)
		}
		h.mu.Unlock()
	}
}

// grace is how soon after a hint its process stands in the queue again, where
// one caller alone waits here: mostly it gets the name, and waits no more.
const grace = 5 * time.Millisecond

// hint passes on that a term is over: its token, a space and its name. For a turn it
// says so before, and has the attempt in between.
func (h *hub) hint(text string) {
	number, name, _ := strings.Cut(text, " ")
	if number == "turn" {
		_, rest, _ := strings.Cut(name, " ")
		attempt, name, _ := strings.Cut(rest, " ")
		h.callTurn(turn{name, attempt})
		return
	}
	token, err := fence.ParseToken(number)
	t := h.topics[name]
	switch {
	case err != nil:
		return
	case t == nil: // they have all left just now
		t = &topic{ready: make(chan struct{})}
		h.topics[name] = t
	}
	t.queued, t.told = false, max(t.told, token)
	t.wake()
	if len(t.waiting) == 1 {
		time.AfterFunc(grace, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.topics[name] == t {
				h.settle(name, t)
			}
		})
		return
	}
	h.settle(name, t)
}

// confirm notes that the server has the subscription. A later one follows a lost
// connection, and with it maybe a hint and the place in the queues.
func (h *hub) confirm(m *redis.Subscription) {
	if m.Kind != "subscribe" {
		return
	}
	select {
	case <-h.heard:
	default:
		close(h.heard)
		return
	}
	for name, t := range h.topics {
		t.queued = false
		t.wake()
		h.settle(name, t)
	}
	for t := range h.turns {
		h.callTurn(t)
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
