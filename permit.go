package ringfence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// permit leases any of the permits of name.
func (l *Locker) permit(ctx context.Context, name string, wait time.Duration, h Hold) (*Lease, error) {
	slots := slots(name, h.Kind.Permits, permitSlot)
	return l.insist(ctx, name, wait, l.watchOneOf(ctx, slots), nil, func(patience time.Duration) (*Lease, error) {
		h.patience = patience
		lease, n, err := l.anyOf(ctx, name, slots, h)
		if err == nil {
			lease.permit = n
		}
		return lease, err
	})
}

func slots(name string, count int, slot func(string, int) string) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = slot(name, i+1)
	}
	return all
}

// anyOf leases the first of slots that is free, from one at random on, so that those who
// come together don't meet at each. It returns the slot's number too, from 1 on.
func (l *Locker) anyOf(ctx context.Context, name string, slots []string, h Hold) (*Lease, int, error) {
	full := &fullError{name: name, slots: len(slots)}
	for i, from := 0, rand.N(len(slots)); i < len(slots); i++ {
		n := (from + i) % len(slots)
		lease, err := l.single(ctx, slots[n], 0, h)
		held, isHeld := errors.AsType[*HeldError](err)
		if !isHeld {
			return lease, n + 1, err
		}
		if full.first == nil || held.Remaining < full.first.Remaining {
			full.first = held
		}
	}
	return nil, 0, l.wrap("acquire", fence.Fence{Name: name}, full)
}

// fullError says that every slot of a name is held.
type fullError struct {
	name  string
	slots int
	first *HeldError // of the lease that ends first by itself
}

func (e *fullError) Error() string {
	if e.slots == 1 {
		return e.first.Error()
	}
	return fmt.Sprintf("all %d slots of %s are held; of them, %v", e.slots, fence.Quote(e.name), e.first)
}

func (e *fullError) Unwrap() error { return e.first }
