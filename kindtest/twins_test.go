package kindtest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence"
)

// twin is an implementation with one fault.
type twin struct {
	name    string
	clause  string
	others  []string // clauses that fail with it
	acquire acquirer
}

var twins = []twin{
	{"count one permit too many", "K01", []string{"K02"}, oneTooMany},
	{"wait for the first permit alone", "K02", nil, theFirstAlone},
	{"let readers have the name one by one", "K03", []string{"K04", "K07", "K08"}, readersAlone},
	{"look for no reader", "K04", nil, noDrain},
	{"read without passing the gate", "K05", []string{"K06", "K07", "K08"}, noGate},
	{"let readers in until there is none", "K06", nil, noQueue},
	{"give a reader the fence of its slot", "K07", nil, fenceOfTheSlot},
	{"take no notice of how the gate was released", "K08", []string{"K07"}, gateUnchecked},
	{"keep what they got when they can't get all", "K09", nil, keepsTheRest},
	{"acquire names in the caller's order", "K10", nil, callersOrder},
	{"hold several names apart", "K11", []string{"K09", "K12"}, apart},
	{"let the first name lapse while they wait for the next", "K12", nil, notKept},
	{"delay nothing", "K13", []string{"K14"}, noDelay},
	{"delay after an expiry alone", "K14", []string{"K13"}, expiryAlone},
	{"take the nearest kind that can be had", "K15", nil, mends},
}

// names for what every twin handles.
type (
	locker = *ringfence.Locker
	leased = *ringfence.Lease
)

func oneTooMany(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if h.Kind.Permits > 0 && h.Kind.Permits < ringfence.MaxPermits {
		h.Kind.Permits++
	}
	return ofTheLocker(ctx, l, name, wait, h)
}

func theFirstAlone(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if h.Kind.Permits == 0 || wait == 0 {
		return ofTheLocker(ctx, l, name, wait, h)
	}
	return l.Acquire(ctx, name+"#1", wait, ringfence.Hold{TTL: h.TTL})
}

func readersAlone(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if h.Kind.Access == ringfence.Shared && h.Kind.Also == nil {
		h.Kind.Access = ringfence.Exclusive
	}
	return ofTheLocker(ctx, l, name, wait, h)
}

func noDrain(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if valid(h, name) && h.Kind.Access == ringfence.Exclusive {
		h.Kind = ringfence.Kind{}
	}
	return ofTheLocker(ctx, l, name, wait, h)
}

// valid leaves alone what K15 is about.
func valid(h ringfence.Hold, name string) bool {
	return h.Kind.Permits == 0 && h.Kind.Also == nil && len(name) < 100 && !slices.Contains([]byte(name), '#')
}

func noGate(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if !valid(h, name) || h.Kind.Access != ringfence.Shared {
		return ofTheLocker(ctx, l, name, wait, h)
	}
	return aSlot(ctx, l, name, h)
}

func aSlot(ctx context.Context, l locker, name string, h ringfence.Hold) (lease leased, err error) {
	h.Kind = ringfence.Kind{}
	for i := range ringfence.MaxShared {
		if lease, err = l.TryAcquire(ctx, name+"#r"+strconv.Itoa(i+1), h); err == nil {
			break
		}
	}
	return lease, err
}

func noQueue(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if h.Kind.Access != ringfence.Exclusive {
		return ofTheLocker(ctx, l, name, wait, h)
	}
	for begun := time.Now(); ; {
		lease, err := l.TryAcquire(ctx, name, h)
		if !errors.Is(err, ringfence.ErrHeld) || time.Since(begun) > wait || !pause(ctx, 20*time.Millisecond) {
			return lease, err
		}
	}
}

func fenceOfTheSlot(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if !valid(h, name) || h.Kind.Access != ringfence.Shared {
		return ofTheLocker(ctx, l, name, wait, h)
	}
	slot, told := throughTheGate(ctx, l, name, h)
	if told != nil {
		if slot != nil {
			_ = slot.Release(ctx)
		}
		return nil, told
	}
	return slot, nil
}

func gateUnchecked(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if !valid(h, name) || h.Kind.Access != ringfence.Shared {
		return ofTheLocker(ctx, l, name, wait, h)
	}
	if slot, told := throughTheGate(ctx, l, name, h); slot != nil {
		return slot, nil
	} else {
		return nil, told
	}
}

// throughTheGate takes a slot while it holds the gate, and returns what its release told.
func throughTheGate(ctx context.Context, l locker, name string, h ringfence.Hold) (leased, error) {
	gate, err := l.TryAcquire(ctx, name, ringfence.Hold{TTL: min(h.TTL, 10*time.Second)})
	if err != nil {
		return nil, err
	}
	slot, err := aSlot(ctx, l, name, h)
	if err != nil {
		return nil, err
	}
	return slot, gate.Release(ctx)
}

func keepsTheRest(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	lease, err := ofTheLocker(ctx, l, name, wait, h)
	if errors.Is(err, ringfence.ErrHeld) {
		for _, n := range h.Kind.Also {
			_, _ = l.TryAcquire(ctx, n, ringfence.Hold{TTL: h.TTL})
		}
	}
	return lease, err
}

// callersOrder leases what stands for each name before the names themselves.
func callersOrder(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if len(h.Kind.Also) == 0 || len(h.Kind.Also) == ringfence.MaxNames || slices.Contains(h.Kind.Also, "") {
		return ofTheLocker(ctx, l, name, wait, h)
	}
	var before []leased
	done := func() {
		for _, lease := range before {
			_ = lease.Release(context.WithoutCancel(ctx))
		}
	}
	for _, n := range append([]string{name}, h.Kind.Also...) {
		if n == name && len(before) > 0 {
			continue // twice
		}
		lease, err := l.Acquire(ctx, "before "+n, max(wait, time.Second), ringfence.Hold{TTL: long})
		if err != nil {
			done()
			return nil, err
		}
		before = append(before, lease)
	}
	lease, err := ofTheLocker(ctx, l, name, wait, h)
	if err != nil {
		done()
		return nil, err
	}
	context.AfterFunc(lease.Context(), done)
	return lease, nil
}

func apart(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if len(h.Kind.Also) == 0 || len(h.Kind.Also) == ringfence.MaxNames || h.Kind.Access != 0 {
		return ofTheLocker(ctx, l, name, wait, h)
	}
	names := append([]string{name}, h.Kind.Also...)
	slices.Sort(names)
	h.Kind = ringfence.Kind{}
	all := map[string]leased{}
	for _, n := range slices.Compact(names) {
		lease, err := ofTheLocker(ctx, l, n, wait, h)
		if err != nil {
			for _, other := range all {
				_ = other.Release(ctx)
			}
			return nil, err
		}
		all[n] = lease
	}
	context.AfterFunc(all[name].Context(), func() {
		for _, other := range all {
			_ = other.Release(context.WithoutCancel(ctx))
		}
	})
	return all[name], nil
}

func notKept(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if wait == 0 || len(h.Kind.Also) == 0 {
		return ofTheLocker(ctx, l, name, wait, h)
	}
	names := append([]string{name}, h.Kind.Also...)
	slices.Sort(names)
	for _, n := range names { // each waited for, and none kept
		lease, err := l.Acquire(ctx, n, wait, ringfence.Hold{TTL: h.TTL})
		if err != nil {
			return nil, err
		}
		_ = lease.Release(ctx)
	}
	return ofTheLocker(ctx, l, name, wait, h)
}

func noDelay(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if h.Kind.DelayAfterExpiry > 0 && h.Kind.DelayAfterExpiry < time.Hour {
		h.Kind.DelayAfterExpiry = 0
	}
	return ofTheLocker(ctx, l, name, wait, h)
}

func expiryAlone(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	if d := h.Kind.DelayAfterExpiry; d > 0 && d < time.Hour {
		h.TTL, h.Notice, h.Kind.DelayAfterExpiry = h.TTL+d, d, 0
	}
	return ofTheLocker(ctx, l, name, wait, h)
}

func mends(ctx context.Context, l locker, name string, wait time.Duration, h ringfence.Hold) (leased, error) {
	lease, err := ofTheLocker(ctx, l, name, wait, h)
	if errors.Is(err, ringfence.ErrInvalid) {
		h.Kind = ringfence.Kind{}
		return ofTheLocker(ctx, l, name, wait, h)
	}
	return lease, err
}
