package gcs

import (
	"context"
	"net/http"
	"net/url"
)

// Settings are what a bucket does with objects that are replaced.
type Settings struct {
	StorageClass          string
	DefaultEventBasedHold bool
	Versioning            struct{ Enabled bool }
	RetentionPolicy       *struct{ RetentionPeriod string }          // in seconds
	SoftDeletePolicy      *struct{ RetentionDurationSeconds string } // "0" is none
	Lifecycle             struct{ Rule []LifecycleRule }
}

// LifecycleRule does something to objects by themselves.
type LifecycleRule struct {
	Action    struct{ Type string }
	Condition struct {
		IsLive                  *bool
		MatchesPrefix           []string
		NumNewerVersions        int
		DaysSinceNoncurrentTime int
	}
}

// Deletes reports whether the rule deletes objects.
func (r LifecycleRule) Deletes() bool { return r.Action.Type == "Delete" }

// Spares reports whether the rule leaves the object in force alone, and is only about
// those that it has replaced.
func (r LifecycleRule) Spares() bool {
	c := r.Condition
	return c.IsLive != nil && !*c.IsLive || c.NumNewerVersions > 0 || c.DaysSinceNoncurrentTime > 0
}

// Settings reads them. It takes a right of its own, storage.buckets.get.
func (b Bucket) Settings(ctx context.Context) (s Settings, err error) {
	resp, err := b.send(ctx, http.MethodGet, "/storage/v1", "", url.Values{"fields": {
		"storageClass,defaultEventBasedHold,versioning,retentionPolicy,softDeletePolicy,lifecycle"}}, nil, "")
	if err == nil {
		err = decode(resp, &s)
	}
	return s, err
}
