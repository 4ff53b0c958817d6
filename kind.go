package ringfence

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// The bounds of a [Kind].
const (
	MaxPermits = 100 // permits of a name
	MaxShared  = 16  // holders that share a name
	MaxNames   = 16  // names of one lease
)

// Kind says what kind of lease is wanted. The zero Kind is one name and one holder. Every
// other is composed of such leases, so that each store has it, and has to be the same for all
// who use the name: the zero Kind keeps out no holder of a permit, and none that shares.
// At most one of Permits, Access and Also is set; DelayAfterExpiry goes with each.
//
// docs/kinds.md says what each can promise, and which fence a write carries.
type Kind struct {
	// Permits lets that many hold the name at once, MaxPermits at most. Each has one of the
	// names NAME#1 to NAME#Permits, whose tokens rise as ever: see [Lease.Permit]. Fences of two
	// permits have no order, so that what is written to has a mark for each permit, or needs
	// none. Of different numbers in use at the same time the greatest holds.
	Permits int

	// Access lets up to MaxShared readers share the name, or one writer have it for itself.
	Access Access

	// Also are more names, with which there are MaxNames at most. The lease is of all of them
	// or of none, and its context ends with the first that is lost. They are acquired in byte
	// order, so that no two who want some of the same wait for each other in a circle. A write
	// carries [Lease.FenceOf] the name of what it writes to.
	Also []string

	// DelayAfterExpiry keeps the name held for that long after the end of trust, where it was not
	// released: the time that a paused holder's last write may take to land where nothing
	// checks a fence. After a break, and where no record tells how the last term ended, the
	// next holder waits as long before its acquire returns. All holders give the same.
	DelayAfterExpiry time.Duration
}

// Access is what a holder does with a name that can be shared.
type Access uint8

// The ways to use a name that can be shared.
const (
	_ Access = iota
	// Shared is for a reader. Its fence orders it among the writers: it establishes that before its
	// first read, so that no earlier writer's write lands any more, and writes nothing. Readers come in
	// one by one: TryAcquire waits for up to 2 s where another may be on its way in.
	Shared
	// Exclusive is for a writer. It keeps new readers out, and waits until those before it are gone.
	Exclusive
)

// Check reports what is wrong with k for a lease of name, or nil. Every acquire calls it first.
func (k Kind) Check(name string) error {
	set := 0
	for _, is := range []bool{k.Permits != 0, k.Access != 0, len(k.Also) != 0} {
		if is {
			set++
		}
	}
	switch {
	case set > 1:
		return fmt.Errorf("%w Kind: give one of Permits, Access and Also", fence.ErrInvalid)
	case k.Permits < 0 || k.Permits > MaxPermits:
		return fmt.Errorf("%w Kind.Permits %d: want 1 to %d", fence.ErrInvalid, k.Permits, MaxPermits)
	case k.Access > Exclusive:
		return fmt.Errorf("%w Kind.Access %d: want Shared or Exclusive", fence.ErrInvalid, k.Access)
	case k.DelayAfterExpiry < 0 || k.DelayAfterExpiry > driver.MaxTTL:
		return fmt.Errorf("%w Kind.DelayAfterExpiry %s: want 0 to %s", fence.ErrInvalid, k.DelayAfterExpiry, driver.MaxTTL)
	}
	if k.Permits != 0 || k.Access != 0 {
		return checkSlots(name)
	}
	return k.checkNames(name)
}

func (k Kind) checkNames(name string) error {
	names := k.Names(name)
	if len(names) > MaxNames {
		return fmt.Errorf("%w Kind.Also: %d names in all; the most is %d", fence.ErrInvalid, len(names), MaxNames)
	}
	for _, n := range names {
		if err := fence.CheckName(n); err != nil {
			return err
		}
	}
	return nil
}

// Names are all names of a lease of name, in the one order in which everybody acquires them.
func (k Kind) Names(name string) []string {
	names := append([]string{name}, k.Also...)
	slices.Sort(names)
	return slices.Compact(names)
}

// permitSlot and sharedSlot name the leases that a permit and a reader hold.
func permitSlot(name string, n int) string { return name + "#" + strconv.Itoa(n) }
func sharedSlot(name string, n int) string { return name + "#r" + strconv.Itoa(n) }

var slotName = regexp.MustCompile(`^(.+)#r?[1-9][0-9]{0,2}$`)

// SlotOf tells from the name of a lease whose permit or reader's slot it can be: NAME of
// NAME#3 and NAME#r3.
func SlotOf(lease string) (name string, ok bool) {
	found := slotName.FindStringSubmatch(lease)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// checkSlots reports why name can have no slots, or nil.
func checkSlots(name string) error {
	if err := fence.CheckName(name); err != nil {
		return err
	}
	if _, ok := SlotOf(name); ok {
		return fmt.Errorf("%w name %s: permits and readers of another name are called like that; choose one that does not end in # and a number",
			fence.ErrInvalid, fence.Quote(name))
	}
	if most := fence.MaxNameBytes - len("#r") - len(strconv.Itoa(MaxPermits)); len(name) > most {
		return fmt.Errorf("%w name %s: it has %d bytes; with permits or readers, which have longer names, the most is %d",
			fence.ErrInvalid, fence.Quote(name), len(name), most)
	}
	return nil
}

// acquire leases name as h.Kind says, within wait; 0 is one try.
func (l *Locker) acquire(ctx context.Context, name string, wait time.Duration, h Hold) (*Lease, error) {
	if err := h.Kind.Check(name); err != nil {
		return nil, err
	}
	switch {
	case h.Kind.Permits != 0:
		return l.permit(ctx, name, wait, h)
	case h.Kind.Access == Shared:
		return l.shared(ctx, name, wait, h)
	case h.Kind.Access == Exclusive:
		return l.exclusive(ctx, name, wait, h)
	case len(h.Kind.Also) != 0:
		return l.several(ctx, name, wait, h)
	}
	return l.single(ctx, name, wait, h)
}

// FenceOf is what a write to what name protects carries: that of the one among several names, and
// Fence for the lease's own. It is the zero Fence for a name that the lease isn't of.
func (le *Lease) FenceOf(name string) fence.Fence {
	for part := range le.all() {
		if f := part.Fence(); f.Name == name {
			return f
		}
	}
	return fence.Fence{}
}

// Term is the fence of the lease at the store: what others see as held, and what events tell
// of. It is Fence but for a shared lease, whose Fence is of the name it shares, and whose Term is
// of its slot.
func (le *Lease) Term() fence.Fence { return le.term.Fence }

// Permit is the number of the permit, from 1 to Kind.Permits, and 0 for other kinds.
func (le *Lease) Permit() int { return le.permit }
