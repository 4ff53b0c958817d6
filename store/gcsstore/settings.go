package gcsstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/gcs"
)

// settings are findings about what the bucket does by itself with objects that are
// replaced.
func (p place) settings(ctx context.Context, prefix string) []driver.Finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := p.bucket.Settings(ctx)
	if err != nil {
		return []driver.Finding{{Subject: "settings of the bucket", Grade: driver.Warning, Found: "not readable: " + err.Error(),
			Means: "a retention policy would stop every renewal; lifecycle rules may remove records; versioning and soft delete cost",
			Do:    "see `gcloud storage buckets describe`, or give the identity storage.buckets.get"}}
	}
	return []driver.Finding{retention(s), lifecycle(s, prefix), copies(s), class(s)}
}

func retention(s gcs.Settings) driver.Finding {
	f := driver.Finding{Subject: "retention and holds", Grade: driver.Fit, Found: "none", Means: "an object can be replaced at any time"}
	bad := "a lease that was granted can't be renewed, released or granted again"
	switch {
	case s.RetentionPolicy != nil && s.RetentionPolicy.RetentionPeriod != "0":
		f.Grade, f.Found, f.Means = driver.Unfit, "objects are kept for "+s.RetentionPolicy.RetentionPeriod+" s", bad
		f.Do = "use a bucket without a retention policy"
	case s.DefaultEventBasedHold:
		f.Grade, f.Found, f.Means = driver.Unfit, "new objects are on hold", bad
		f.Do = "use a bucket without a default event-based hold"
	}
	return f
}

// lifecycle looks for a rule that deletes what is in force.
func lifecycle(s gcs.Settings, prefix string) driver.Finding {
	f := driver.Finding{Subject: "lifecycle", Grade: driver.Fit, Found: "no rule removes records", Means: "a record stays, and its number with it"}
	if slices.ContainsFunc(s.Lifecycle.Rule, func(r gcs.LifecycleRule) bool { return removes(r, prefix) }) {
		f.Grade, f.Found = driver.Warning, "a rule deletes objects below "+prefix
		f.Means = "the record of a name that rests is lost; only the clock keeps the next token above the last one"
		f.Do = "take the prefix out of the rule"
	}
	return f
}

func removes(r gcs.LifecycleRule, prefix string) bool {
	c := r.Condition
	return r.Deletes() && !r.Spares() && (len(c.MatchesPrefix) == 0 || slices.ContainsFunc(c.MatchesPrefix, func(p string) bool {
		return strings.HasPrefix(prefix, p) || strings.HasPrefix(p, prefix)
	}))
}

// copies looks for what each step leaves behind.
func copies(s gcs.Settings) driver.Finding {
	f := driver.Finding{Subject: "copies of what was replaced", Grade: driver.Fit, Found: "none are kept", Means: "a name costs one object"}
	var seconds int64
	if s.SoftDeletePolicy != nil {
		seconds, _ = strconv.ParseInt(s.SoftDeletePolicy.RetentionDurationSeconds, 10, 64)
	}
	bounded := slices.ContainsFunc(s.Lifecycle.Rule, func(r gcs.LifecycleRule) bool { return r.Deletes() && r.Spares() })
	switch {
	case s.Versioning.Enabled && !bounded:
		f.Grade, f.Found, f.Means = driver.Warning, "versioning, without end", "every acquire, renewal and release leaves an object behind for ever"
		f.Do = "let a lifecycle rule delete noncurrent versions, or switch versioning off"
	case seconds > 0:
		f.Grade, f.Found = driver.Warning, fmt.Sprintf("soft delete, for %s", time.Duration(seconds)*time.Second)
		f.Means = "every acquire, renewal and release leaves an object behind for so long, and it is paid for"
		f.Do = "gcloud storage buckets update gs://BUCKET --clear-soft-delete"
	}
	return f
}

// class looks for a minimum time of storage, which each object that is replaced costs.
func class(s gcs.Settings) driver.Finding {
	f := driver.Finding{Subject: "storage class", Grade: driver.Fit, Found: s.StorageClass, Means: "no minimum time of storage"}
	if s.StorageClass == "" {
		f.Found = "not told"
	}
	if slices.Contains([]string{"NEARLINE", "COLDLINE", "ARCHIVE"}, s.StorageClass) {
		f.Grade, f.Means = driver.Warning, "each object that is replaced is paid for as if it stayed for 30 days or more"
		f.Do = "use a bucket of class STANDARD"
	}
	return f
}
