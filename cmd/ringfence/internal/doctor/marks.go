package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Destination is a place that keeps marks, and can list them.
type Destination struct {
	// Label names it for people. It holds no password.
	Label string
	// Marks lists all that are there.
	Marks func(context.Context) ([]guard.HighMark, error)
}

// mostMarks is how many marks of a destination are compared with the store, the highest
// first: an invented number is high.
const mostMarks = 1000

// destinations finds the marks that the store's own tokens have not reached.
func (c Config) destinations(ctx context.Context) (found []driver.Finding) {
	if len(c.Destinations) == 0 {
		return nil
	}
	s, err := c.open(ctx)
	if err != nil {
		return []driver.Finding{failure("marks", err)}
	}
	defer closeAll([]driver.Store{s})
	for _, d := range c.Destinations {
		c.Progress("comparing the marks of " + d.Label)
		found = append(found, d.compare(ctx, s))
	}
	return found
}

// compare reads the marks before it asks the store, so that a term which begins
// meanwhile only lifts what the store has issued.
func (d Destination) compare(ctx context.Context, s driver.Store) driver.Finding {
	all, err := d.read(ctx)
	if err != nil {
		return unknown(d.Label, err, "see that the destination runs and that its address and rights are right")
	}
	slices.SortFunc(all, func(a, b guard.HighMark) int { return cmp.Compare(b.Token, a.Token) })
	looked := all[:min(len(all), mostMarks)]
	high, err := beyond(ctx, s, looked)
	if err != nil {
		return unknown(d.Label, err, "run the doctor again")
	}
	f := driver.Finding{Subject: "marks", Grade: driver.Fit, Means: "no holder is shut out by an invented number"}
	f.Found = fmt.Sprintf("%s: %d looked at, of %d; none above what the store has issued", d.Label, len(looked), len(all))
	if len(high) > 0 {
		f.Grade, f.Found = driver.Warning, d.Label+": "+strings.Join(high, "; ")
		f.Means = "somebody invented a number, or the store was replaced: until it has issued a higher one, every write of the lease is refused there as superseded"
		f.Do = "find out who wrote it; if the store is new, `ringfence recover --destination` raises it above; else `ringfence guard reset` or sqlguard.Reset moves the resource to a new incarnation"
	}
	return f
}

// unknown is the finding where marks could not be compared.
func unknown(label string, err error, do string) driver.Finding {
	return driver.Finding{Subject: "marks", Grade: driver.Warning, Found: label + ": " + err.Error(),
		Means: "whether a mark there is too high is not known", Do: do}
}

func (d Destination) read(ctx context.Context) ([]guard.HighMark, error) {
	ctx, cancel := context.WithTimeout(ctx, examineLimit)
	defer cancel()
	return d.Marks(ctx)
}

// mostTold is how many marks are told one by one.
const mostTold = 5

// beyond tells of those marks that are higher than the last token of their lease. Where
// the store no longer knows the lease, that is a token that is ahead of the clock.
func beyond(ctx context.Context, s driver.Store, marks []guard.HighMark) (told []string, err error) {
	more := 0
	for _, m := range marks {
		last, err := issued(ctx, s, m.Lease)
		switch {
		case err != nil:
			return nil, err
		case m.Token <= last:
		case len(told) == mostTold:
			more++
		default:
			told = append(told, fmt.Sprintf("%s has the mark %s of %s for lease %s, above %s", fence.Quote(m.Resource), m.Token,
				m.Token.Time().Format(time.RFC3339), fence.Quote(m.Lease), last))
		}
	}
	if more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return told, nil
}

// issued is the highest token that a lease can have had.
func issued(ctx context.Context, s driver.Store, name string) (fence.Token, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	rec, err := s.Inspect(ctx, name)
	if err == nil && rec.Token > 0 {
		return rec.Token, nil
	}
	if err != nil && !errors.Is(err, fence.ErrInvalid) { // a name that this store can't hold has no record there
		return 0, err
	}
	return fence.TickOf(time.Now().Add(time.Minute)).First(), nil
}
