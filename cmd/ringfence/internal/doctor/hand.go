package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Prefix begins every name that the doctor leases.
const Prefix = "ringfence-doctor/"

const (
	callLimit     = 10 * time.Second // for one call
	giveBackLimit = 5 * time.Second  // for all that is held at the end
	places        = 9                // how many doctors can look at one store at once
)

// hand takes terms, and knows what it has to give back.
type hand struct {
	mu   sync.Mutex
	held map[string]driver.Term // by attempt; without a token where it isn't known whether there was a grant
	on   driver.Store           // for giving back
}

// acquire asks for name once.
func (h *hand) acquire(ctx context.Context, s driver.Store, name string, ttl time.Duration) (driver.Term, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	attempt := rand.Text()
	term, err := s.Acquire(ctx, driver.Request{Name: name, Attempt: attempt, Holder: "ringfence doctor", TTL: ttl})
	if err == nil || errors.Is(err, driver.ErrUnknown) {
		term.Name, term.Attempt = name, attempt
		h.mu.Lock()
		defer h.mu.Unlock()
		h.held[attempt] = term
	}
	return term, err
}

// release gives a term back.
func (h *hand) release(ctx context.Context, s driver.Store, term driver.Term) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := s.Release(ctx, term)
	if err == nil || errors.Is(err, driver.ErrEnded) {
		h.forget(term)
	}
	return err
}

func (h *hand) forget(term driver.Term) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, term.Attempt)
}

// giveBack releases all that may be held, also where ctx has ended, and returns the
// names of which that can't be said. A grant that was never answered is had by its
// attempt.
func (h *hand) giveBack(ctx context.Context) (left []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackLimit)
	defer cancel()
	for attempt, term := range h.held {
		if term.Token == 0 {
			r := driver.Request{Name: term.Name, Attempt: attempt, Holder: "ringfence doctor", TTL: h.on.Properties().MinTTL}
			got, err := h.on.Acquire(ctx, r)
			if errors.Is(err, driver.ErrEnded) || errors.Is(err, driver.ErrHeld) {
				continue // it holds nothing
			}
			if term = got; err != nil {
				left = append(left, r.Name)
				continue
			}
		}
		if err := h.on.Release(ctx, term); err != nil && !errors.Is(err, driver.ErrEnded) {
			left = append(left, term.Name)
		}
	}
	slices.Sort(left)
	return slices.Compact(left)
}

// takePlace finds a name below Prefix that no other doctor uses. The names are
// few and stay the same, so that they leave no more records than that.
func (h *hand) takePlace(ctx context.Context, s driver.Store) (string, error) {
	const enough = 5 * time.Minute // for everything
	for i := range places {
		name := fmt.Sprint(Prefix, i+1)
		_, err := h.acquire(ctx, s, name, enough)
		if !errors.Is(err, driver.ErrHeld) {
			return name + "/try", err
		}
	}
	return "", fmt.Errorf("%d other doctors are at work on this store (%s1 and so on are held)", places, fence.Quote(Prefix))
}
