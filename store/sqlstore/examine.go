package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Examine looks at what decides whether db can host leases, and at what can take
// their promises away. It changes nothing, and works where [Open] refuses: without
// tables, without rights, on a standby. o are the options that the store would be
// opened with. The error is for a database that could not be asked at all.
func Examine(ctx context.Context, db *sql.DB, d Dialect, o *Options) ([]driver.Finding, error) {
	if db == nil || d == nil {
		return nil, fmt.Errorf("%w call of sqlstore.Examine: it needs a *sql.DB and a dialect", fence.ErrInvalid)
	}
	full, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	fail := func(err error) ([]driver.Finding, error) {
		return nil, before(d.judge(err)).fault("examine the " + d.String() + " store")
	}
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	found, err := apart(ctx, func() {}, func() (findings, error) { return d.examine(ctx, db, full) })
	if err != nil {
		return fail(err)
	}
	return found, nil
}

// findings is what an examination has found so far.
type findings []driver.Finding

// fit, warn and unfit add a finding: what was looked at, how it is, what follows
// and, where something needs doing, what.
func (f *findings) fit(subject, found, means string) {
	*f = append(*f, driver.Finding{Subject: subject, Grade: driver.Fit, Found: found, Means: means})
}

func (f *findings) warn(subject, found, means, do string) {
	*f = append(*f, driver.Finding{Subject: subject, Grade: driver.Warning, Found: found, Means: means, Do: do})
}

func (f *findings) unfit(subject, found, means, do string) {
	*f = append(*f, driver.Finding{Subject: subject, Grade: driver.Unfit, Found: found, Means: means, Do: do})
}

// refused adds what a ruling says, which may hold an address, as unfit.
func (f *findings) refused(subject, means string, r ruling) {
	f.unfit(subject, redact(r.Error()), means, r.hint)
}
