package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

const kindHelp = `More kinds of lease, of which all who use a name have to use the same (docs/kinds.md):
  --permits N    N holders at once. Each has a permit, a lease of NAME#1 to NAME#N with tokens
                 of its own: RINGFENCE_NAME is that name, and RINGFENCE_PERMIT the number. Fences
                 of two permits have no order.
  --shared       a reader beside other readers, 16 at most, and beside no --exclusive one. Its token
                 orders it among the writers; --establish keeps earlier ones out. It writes nothing.
  --exclusive    the one writer. New readers wait behind it, and it waits for those before it.
  --also NAME    more names, all or none; may be repeated. RINGFENCE_FENCES holds the fences of all
                 names, in byte order of the names, with a space in between. The other variables
                 and --fence are about the first NAME; --establish begins the term of
                 each that protects a table there.
  --delay-after-expiry D
                 for what can't check a fence: a name that was not released stays held for D more.
                 After a break, and where no record tells how the last term ended, the command
                 waits as long with the name held. All who use the name give the same.`

// kindFlags ask for another kind of lease.
type kindFlags struct {
	permits           int
	shared, exclusive bool
	also              []string
	delay             duration
}

func (f *kindFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.IntVar(&f.permits, "permits", 0, "be one of up to `N` holders of NAME")
	fl.BoolVar(&f.shared, "shared", false, "share NAME with other readers")
	fl.BoolVar(&f.exclusive, "exclusive", false, "hold NAME without any reader")
	fl.StringArrayVar(&f.also, "also", nil, "hold `NAME` too, all or none; may be repeated")
	fl.Var(&f.delay, "delay-after-expiry", "how long a name that was not released stays held after the end of its lease")
}

// check is the kind that they ask for, of a lease of name.
func (f kindFlags) check(c *cobra.Command, name string) (ringfence.Kind, error) {
	given := c.Flags().Changed
	k := ringfence.Kind{Permits: f.permits, Also: f.also, DelayAfterExpiry: time.Duration(f.delay)}
	kinds := 0
	for _, flag := range []string{"permits", "shared", "exclusive", "also"} {
		if given(flag) {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return k, usage("give one of --permits, --shared, --exclusive and --also")
	case given("permits") && (f.permits < 1 || f.permits > ringfence.MaxPermits):
		return k, usage("--permits %d: want 1 to %d", f.permits, ringfence.MaxPermits)
	case given("also") && len(k.Names(name)) > ringfence.MaxNames:
		return k, usage("--also: %d names in all; the most is %d", len(k.Names(name)), ringfence.MaxNames)
	case given("delay-after-expiry") && (f.delay <= 0 || f.delay > duration(driver.MaxTTL)):
		return k, usage("--delay-after-expiry %s: want more than 0s, and at most 720h, which are 30 days", span(k.DelayAfterExpiry))
	case given("also") && given("sign"):
		return k, usage("--sign does not go with --also: a signature is for the fence of one name")
	case f.shared && given("fence"):
		return k, usage("--fence does not go with --shared: a reader writes nothing; what it writes to needs a lease of its own")
	case f.shared:
		k.Access = ringfence.Shared
	case f.exclusive:
		k.Access = ringfence.Exclusive
	}
	return k, k.Check(name)
}

// fences are those that the command's writes carry, one for each name.
func (j job) fences(lease *ringfence.Lease) []fence.Fence {
	if len(j.work.Kind.Also) == 0 {
		return []fence.Fence{lease.Fence()}
	}
	var all []fence.Fence
	for _, name := range j.work.Kind.Names(j.name) {
		all = append(all, lease.FenceOf(name))
	}
	return all
}

// terms are the leases at the store that the command runs under.
func (j job) terms(lease *ringfence.Lease) []fence.Fence {
	if j.work.Kind.Access == ringfence.Shared {
		return []fence.Fence{lease.Term()}
	}
	return j.fences(lease)
}

// addKind adds to env, where a lease is, what its kind has more.
func (j job) addKind(env map[string]string, lease *ringfence.Lease) {
	if n := lease.Permit(); n != 0 {
		env["RINGFENCE_PERMIT"] = strconv.Itoa(n)
	}
	if len(j.work.Kind.Also) != 0 {
		var all []string
		for _, f := range j.fences(lease) {
			all = append(all, f.String())
		}
		env["RINGFENCE_FENCES"] = strings.Join(all, " ")
	}
}

// established reports whether no older term can write any more, as a reader needs it: its own
// was begun, or a later one's, which is that of another reader while its lease lasts, as ctx does.
func (j job) established(ctx context.Context, err error) bool {
	refused, ok := errors.AsType[*fence.RefusedError](err)
	return err == nil || ok && j.work.Kind.Access == ringfence.Shared && refused.Verdict.Cause == fence.Superseded && ctx.Err() == nil
}

// slotsOf are the permits and the slots of readers of name that are held.
func slotsOf(ctx context.Context, s open.Store, name string) ([]leaseJSON, error) {
	return page(ctx, s, name+"#", func(r driver.Record) bool {
		of, ok := ringfence.SlotOf(r.Name)
		return ok && of == name && r.State == driver.Held
	})
}
