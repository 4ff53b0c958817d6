// Package doctor says whether a store can host leases: by what the store's own
// package finds about it, and by taking leases on a throw-away name.
package doctor

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// Config says which store is looked at, and how.
type Config struct {
	// Label names the store for people. It holds no password.
	Label string
	// Examine finds what the store's package knows to look for, and changes nothing.
	// It fails with errors.ErrUnsupported where the package knows nothing.
	Examine func(context.Context) ([]driver.Finding, error)
	// Open connects to the store. It is called twice, so that two clients compete.
	Open func(context.Context) (driver.Store, error)
	// Quick leaves out the wait for a lease to expire.
	Quick bool
	// ReadOnly takes no lease at all.
	ReadOnly bool
	// Destinations are places where the fences of the store's leases are checked. To
	// compare them the store is opened, so there are none with ReadOnly.
	Destinations []Destination
	// Progress is told what is being done, and may be nil.
	Progress func(stage string)
}

// Report is what was found.
type Report struct {
	Store    string           `json:"store"`
	Grade    driver.Grade     `json:"grade"` // the worst of the findings
	Findings []driver.Finding `json:"findings"`

	Left []string `json:"left,omitempty"` // names that may stay held until their leases end, for want of an answer

	measured int  // how many findings, from the first on, were measured here
	spared   bool // none, since the store is unfit as it is
}

// examineLimit bounds the questions of an examination.
const examineLimit = 20 * time.Second

// Run looks at the store, and then measures it unless it is unfit. What goes wrong
// is a finding; the error is that of a context that has ended. Nothing is held
// when Run returns but what the report calls left: the store could not be told
// within a few seconds.
func Run(ctx context.Context, c Config) (Report, error) {
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	r := Report{Store: c.Label}
	c.Progress("looking at the store")
	found, err := c.examine(ctx)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		r.add(failure("connection", err))
		return r, ctx.Err()
	}
	r.add(found...)
	if !c.ReadOnly && rank(r.Grade) < rank(driver.Unfit) {
		measured, left := c.measure(ctx)
		if again, err := c.examine(ctx); err == nil { // by now the store is set up, and there is more to see
			found = again
		}
		if slices.ContainsFunc(found, isClock) { // which the store's package has looked at better
			measured = slices.DeleteFunc(measured, isClock)
		}
		r.Left = left
		r.Findings = nil
		r.add(append(measured, found...)...)
		r.measured = len(measured)
	}
	r.spared = !c.ReadOnly && r.measured == 0
	if rank(r.Grade) < rank(driver.Unfit) {
		r.add(c.destinations(ctx)...)
	}
	return r, ctx.Err()
}

func (c Config) examine(ctx context.Context) ([]driver.Finding, error) {
	ctx, cancel := context.WithTimeout(ctx, examineLimit)
	defer cancel()
	return c.Examine(ctx)
}

func (r *Report) add(found ...driver.Finding) {
	r.Findings = append(r.Findings, found...)
	r.Grade = driver.Fit
	for _, f := range r.Findings {
		if rank(f.Grade) > rank(r.Grade) {
			r.Grade = f.Grade
		}
	}
}

// rank orders the grades, from good to bad. A grade that isn't known is bad.
func rank(g driver.Grade) int {
	i := slices.Index([]driver.Grade{driver.Fit, driver.Warning, driver.Unfit}, g)
	if i < 0 {
		return 2
	}
	return i
}

// failure is a step that could not be taken.
func failure(subject string, err error) driver.Finding {
	f := driver.Finding{Subject: subject, Grade: driver.Unfit, Found: err.Error(), Means: "no lease can be had there as it is",
		Do: "see that the store runs, that its address is right and that nothing stands between, and try again"}
	fault, ok := errors.AsType[*driver.Fault](err)
	if ok && fault.Err != nil {
		f.Found = fault.Err.Error()
	}
	if ok && fault.Hint != "" {
		f.Do = fault.Hint
	}
	return f
}

// closeAll leaves a store behind that doesn't close soon.
func closeAll(stores []driver.Store) {
	for _, s := range stores {
		closed := make(chan struct{})
		go func(s io.Closer) { _ = s.Close(); close(closed) }(s)
		select {
		case <-closed:
		case <-time.After(time.Second):
		}
	}
}
