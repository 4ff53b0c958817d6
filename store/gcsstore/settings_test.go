package gcsstore_test

import (
	"net/http"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/gcstest"
	"github.com/ringfence-go/ringfence/store/gcsstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func examine(t *testing.T, server *server, bucket string) []driver.Finding {
	t.Helper()
	all, err := gcsstore.Examine(t.Context(), http.DefaultClient, bucket, server.options(gcsstore.Options{}))
	return storetest.Findings(t, all, err)
}

func TestExamine(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	storetest.WantFinding(t, examine(t, server, bucket), "settings of the bucket", driver.Warning, "storage.buckets.get")
	storetest.WantFinding(t, examine(t, server, "missing"), "reading and writing", driver.Unfit, "make the bucket")
	server.Set(func(h *gcstest.Hooks) {
		h.Bucket = `{"storageClass":"STANDARD","softDeletePolicy":{"retentionDurationSeconds":"0"}}`
	})
	storetest.WantFit(t, examine(t, server, bucket))
	server.Set(func(h *gcstest.Hooks) { h.Ignore = func(string) bool { return true } })
	storetest.WantFinding(t, examine(t, server, bucket), "conditional writes", driver.Unfit, "granted twice")
}

func TestExamineSettings(t *testing.T) {
	t.Parallel()
	deleting := func(condition string) string {
		return `{"lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":` + condition + `}]}}`
	}
	for _, c := range []struct {
		bucket  string
		subject string
		grade   driver.Grade
		words   string
	}{
		{`{"retentionPolicy":{"retentionPeriod":"3600"}}`, "retention and holds", driver.Unfit, "3600 s"},
		{`{"defaultEventBasedHold":true}`, "retention and holds", driver.Unfit, "on hold"},
		{`{"versioning":{"enabled":true}}`, "copies of what was replaced", driver.Warning, "for ever"},
		{`{"versioning":{"enabled":true},"lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"numNewerVersions":2}}]}}`,
			"copies of what was replaced", driver.Fit, "none"},
		{`{"softDeletePolicy":{"retentionDurationSeconds":"604800"}}`, "copies of what was replaced", driver.Warning, "168h"},
		{`{"storageClass":"COLDLINE"}`, "storage class", driver.Warning, "STANDARD"},
		{deleting(`{"age":30}`), "lifecycle", driver.Warning, "below ringfence/"},
		{deleting(`{"age":30,"matchesPrefix":["ring"]}`), "lifecycle", driver.Warning, "below ringfence/"},
		{deleting(`{"age":30,"matchesPrefix":["ringfence/lease/"]}`), "lifecycle", driver.Warning, "below ringfence/"},
		{deleting(`{"age":30,"matchesPrefix":["logs/"]}`), "lifecycle", driver.Fit, "no rule"},
		{deleting(`{"age":30,"isLive":false}`), "lifecycle", driver.Fit, "no rule"},
		{`{"lifecycle":{"rule":[{"action":{"type":"SetStorageClass"},"condition":{"age":30}}]}}`, "lifecycle", driver.Fit, "no rule"},
	} {
		server := startServer(t)
		server.Set(func(h *gcstest.Hooks) { h.Bucket = c.bucket })
		storetest.WantFinding(t, examine(t, server, bucket), c.subject, c.grade, c.words)
	}
}
