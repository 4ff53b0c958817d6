package broken

import (
	"cmp"
	"context"
	"crypto/rand"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func listsLikeDictionary(_ *world, c *client) {
	c.list = func(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
		page, err := c.right.List(ctx, prefix, after, limit)
		slices.SortStableFunc(page, func(a, b driver.Record) int {
			return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		})
		return page, err
	}
}

func repeatsLastName(_ *world, c *client) {
	c.list = func(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
		page, err := c.right.List(ctx, prefix, after, limit)
		if after == "" || err != nil {
			return page, err
		}
		last, err := c.right.Inspect(ctx, after)
		page = append([]driver.Record{last}, page...)
		return page[:min(limit, len(page))], err
	}
}

func prefixIsPattern(_ *world, c *client) {
	c.list = func(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
		like := strings.NewReplacer("%", ".*", "_", ".").Replace(regexp.QuoteMeta(prefix))
		pattern := regexp.MustCompile("^(?s:" + like + ")")
		all, err := c.right.List(ctx, "", after, 1<<20)
		all = slices.DeleteFunc(all, func(rec driver.Record) bool { return !pattern.MatchString(rec.Name) })
		return all[:min(limit, len(all))], err
	}
}

func listsCleanPaths(_ *world, c *client) {
	c.list = func(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
		page, err := c.right.List(ctx, prefix, after, limit)
		for i := range page {
			page[i].Name = path.Clean(page[i].Name)
		}
		return page, err
	}
}

func breakIsRelease(w *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(ctx, r)
		if err == nil {
			w.note(t)
		}
		return t, err
	}
	c.breakName = func(ctx context.Context, name, _ string) (driver.Record, error) {
		rec, err := c.right.Inspect(ctx, name)
		if err != nil || rec.State != driver.Held {
			return rec, err
		}
		f := fence.Fence{Name: name, Token: rec.Token}
		return rec, c.right.Release(ctx, driver.Term{Fence: f, Attempt: w.attemptOf(f)})
	}
}

func breaksFreeNames(_ *world, c *client) {
	c.breakName = func(ctx context.Context, name, by string) (driver.Record, error) {
		rec, err := c.right.Break(ctx, name, by)
		if err != nil || rec.State == driver.Held {
			return rec, err
		}
		_, err = c.right.Acquire(ctx, driver.Request{Name: name, Attempt: rand.Text(), TTL: time.Minute})
		if err == nil {
			_, err = c.right.Break(ctx, name, by)
		}
		return rec, err
	}
}

// raisesNewNames lets a name that has a record count on below the floor.
func raisesNewNames(w *world, c *client) {
	w.shows(c, func(before driver.Record) (fence.Token, bool) {
		id, err := c.right.Identity(context.Background())
		return before.Token + 1, err == nil && before.Token != 0 && before.Token < id.Floor
	})
}

func reportsLowerFloor(_ *world, c *client) {
	c.raise = func(ctx context.Context, above fence.Token) (fence.Token, error) {
		_, err := c.right.Raise(ctx, above)
		return above, err
	}
}

func clampsFloor(_ *world, c *client) {
	c.raise = func(ctx context.Context, above fence.Token) (fence.Token, error) {
		if above < 0 || above > fence.MaxToken {
			above = 0
		}
		return c.right.Raise(ctx, above)
	}
}

func neverPrunes(_ *world, c *client) {
	c.prune = func(ctx context.Context, _ time.Duration, _ int) (int, error) {
		return c.right.Prune(ctx, driver.MaxTTL, 1)
	}
}

func prunesAtOnce(_ *world, c *client) {
	c.prune = func(ctx context.Context, _ time.Duration, limit int) (int, error) {
		return c.right.Prune(ctx, 0, limit)
	}
}

func prunesHeld(_ *world, c *client) {
	c.prune = func(ctx context.Context, idle time.Duration, limit int) (int, error) {
		all, err := c.right.List(ctx, "", "", 1<<20)
		if idle != 0 || err != nil {
			return c.right.Prune(ctx, idle, limit)
		}
		for _, rec := range all {
			if _, err := c.right.Break(ctx, rec.Name, "fault"); err != nil {
				return 0, err
			}
		}
		return c.right.Prune(ctx, idle, limit)
	}
}
