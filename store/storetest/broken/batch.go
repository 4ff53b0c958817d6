package broken

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ringfence-go/ringfence/driver"
)

// failsTogether renews nothing where one of a batch can't be renewed, as one
// transaction for all of them does.
func failsTogether(_ *world, c *client) {
	c.renewAll = func(ctx context.Context, all []driver.Renewal) []driver.Renewed {
		got := c.right.RenewAll(ctx, all)
		bad := slices.IndexFunc(got, func(r driver.Renewed) bool {
			return errors.Is(r.Err, driver.ErrEnded) && !endedAs(r.Err, driver.EndSuperseded)
		})
		for i := range got {
			if bad >= 0 && got[i].Err == nil {
				got[i] = driver.Renewed{Err: got[bad].Err}
			}
		}
		return got
	}
}

func sortsOutcomes(_ *world, c *client) {
	c.renewAll = func(ctx context.Context, all []driver.Renewal) []driver.Renewed {
		sorted := slices.Clone(all)
		slices.SortStableFunc(sorted, func(a, b driver.Renewal) int { return cmp.Compare(a.Term.Name, b.Term.Name) })
		if len(all) > 100 {
			sorted = all // not what this fault is about
		}
		return c.right.RenewAll(ctx, sorted)
	}
}

func batchRevives(_ *world, c *client) {
	c.renewAll = func(ctx context.Context, all []driver.Renewal) []driver.Renewed {
		got := c.right.RenewAll(ctx, all)
		for i, r := range got {
			if endedAs(r.Err, driver.EndExpired) {
				got[i].Term, got[i].Err = revive(ctx, c, all[i].Term, all[i].TTL)
			}
		}
		return got
	}
}

func renewsTheFirst(_ *world, c *client) {
	c.renewAll = func(ctx context.Context, all []driver.Renewal) []driver.Renewed {
		got := c.right.RenewAll(ctx, all[:min(len(all), 256)])
		for _, r := range all[len(got):] {
			got = append(got, driver.Renewed{Term: r.Term}) // says so, and did not
		}
		return got
	}
}

// oneOutcomeForName looks successes up by the name of the term.
func oneOutcomeForName(_ *world, c *client) {
	c.renewAll = func(ctx context.Context, all []driver.Renewal) []driver.Renewed {
		got := c.right.RenewAll(ctx, all)
		last := map[string]driver.Renewed{}
		for _, r := range got {
			if r.Err == nil {
				last[r.Term.Name] = r
			}
		}
		for i, r := range got {
			if r.Err == nil {
				got[i] = last[r.Term.Name]
			}
		}
		return got
	}
}
