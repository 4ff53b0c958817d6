package s3store_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/s3store"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func examine(t *testing.T, client s3store.Client, bucket string) []driver.Finding {
	t.Helper()
	all, err := s3store.Examine(t.Context(), client, bucket, nil)
	return storetest.Findings(t, all, err)
}

// tell answers questions about the settings of the bucket, each by its word in the
// query: with a document, or with the code of an error.
func (s *server) tell(answers map[string]string) {
	s.set(func() {
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			for _, word := range []string{"lifecycle", "versioning", "object-lock"} {
				if !r.URL.Query().Has(word) {
					continue
				}
				switch said := answers[word]; {
				case said == "":
					fail(w, http.StatusNotFound, map[string]string{"lifecycle": "NoSuchLifecycleConfiguration",
						"versioning": "NoSuchThing", "object-lock": "ObjectLockConfigurationNotFoundError"}[word])
				case strings.HasPrefix(said, "<"):
					fmt.Fprint(w, said)
				default:
					fail(w, map[string]int{"NotImplemented": http.StatusNotImplemented, "AccessDenied": http.StatusForbidden}[said], said)
				}
				return false
			}
			return true
		}
	})
}

func TestExamineGoodBucket(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	server.tell(nil)
	all := examine(t, server.client(), bucket)
	if len(all) < 9 {
		t.Errorf("only %d findings", len(all))
	}
	storetest.WantFit(t, all)
	plain := struct{ s3store.Client }{server.client()}
	if few := examine(t, plain, bucket); len(few) != len(all)-3 {
		t.Errorf("%d findings of a client that can't ask for settings; want %d", len(few), len(all)-3)
	}
}

func TestExamineFindsFaults(t *testing.T) {
	t.Parallel()
	without := func(header string) func(*server) {
		return func(s *server) {
			s.before = func(_ http.ResponseWriter, r *http.Request) bool { r.Header.Del(header); return true }
		}
	}
	for _, c := range []struct {
		subject string
		grade   driver.Grade
		words   string
		spoil   func(*server)
	}{
		{"conditional writes", driver.Unfit, "granted twice", without("If-Match")},
		{"conditional writes", driver.Unfit, "granted twice", without("If-None-Match")},
		{"time of a write", driver.Unfit, "another clock", func(s *server) { s.ahead = time.Hour }},
		{"clock", driver.Warning, "which of the two", func(s *server) { s.now = func() time.Time { return time.Now().Add(-2 * time.Hour) } }},
		{"reading and writing", driver.Unfit, "s3:PutObject", func(s *server) {
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodPut {
					fail(w, http.StatusForbidden, "AccessDenied")
				}
				return r.Method != http.MethodPut
			}
		}},
		{"reading and writing", driver.Unfit, "a cache", func(s *server) {
			s.before = func(w http.ResponseWriter, _ *http.Request) bool { w.Header().Set("Age", "3"); return true }
		}},
		{"listing", driver.Warning, "s3:ListBucket", func(s *server) {
			s.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Has("list-type") {
					fail(w, http.StatusForbidden, "AccessDenied")
				}
				return !r.URL.Query().Has("list-type")
			}
		}},
	} {
		server := startServer(t)
		server.set(func() { c.spoil(server) })
		storetest.WantFinding(t, examine(t, server.client(), bucket), c.subject, c.grade, c.words)
	}
	storetest.WantFinding(t, examine(t, startServer(t).client(), "missing"), "reading and writing", driver.Unfit, "make the bucket")
	server := startServer(t)
	server.http.Close()
	_, err := s3store.Examine(t.Context(), server.client(), bucket, nil)
	wantError(t, err, driver.ErrUnavailable, "leases")
}

func archives(class string) string {
	return "<Transition><Days>30</Days><StorageClass>" + class + "</StorageClass></Transition>"
}

func TestExamineSettings(t *testing.T) {
	t.Parallel()
	rule := func(prefix, what string) string {
		return "<LifecycleConfiguration><Rule><ID>old</ID><Status>Enabled</Status><Filter><Prefix>" + prefix + "</Prefix></Filter>" + what + "</Rule></LifecycleConfiguration>"
	}
	const versioned = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
	const noncurrent = "<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration>"
	const expires = "<Expiration><Days>30</Days></Expiration>"
	for _, c := range []struct {
		answers map[string]string
		subject string
		grade   driver.Grade
		words   string
	}{
		{map[string]string{"lifecycle": rule("", expires)}, "lifecycle", driver.Warning, `"old"`},
		{map[string]string{"lifecycle": rule("ringfence/lease/", expires)}, "lifecycle", driver.Warning, `"old"`},
		{map[string]string{"lifecycle": rule("logs/", expires)}, "lifecycle", driver.Fit, "no rule"},
		{map[string]string{"lifecycle": strings.Replace(rule("", expires), "<Prefix></Prefix>", "<Tag><Key>a</Key><Value>b</Value></Tag>", 1)},
			"lifecycle", driver.Fit, "no rule"},
		{map[string]string{"lifecycle": rule("", archives("GLACIER"))}, "lifecycle", driver.Warning, "can't be read"},
		{map[string]string{"lifecycle": rule("", archives("STANDARD_IA"))}, "lifecycle", driver.Fit, "no rule"},
		{map[string]string{"lifecycle": rule("", noncurrent)}, "lifecycle", driver.Fit, "no rule"},
		{map[string]string{"lifecycle": "AccessDenied"}, "lifecycle", driver.Warning, "s3:GetLifecycleConfiguration"},
		{map[string]string{"lifecycle": "NotImplemented"}, "lifecycle", driver.Fit, "no such setting"},
		{map[string]string{"versioning": versioned}, "versioning", driver.Warning, "for ever"},
		{map[string]string{"versioning": versioned, "lifecycle": rule("", noncurrent)}, "versioning", driver.Fit, "expire"},
		{map[string]string{"object-lock": "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>"},
			"object lock", driver.Warning, "default retention"},
	} {
		server := startServer(t)
		server.tell(c.answers)
		storetest.WantFinding(t, examine(t, server.client(), bucket), c.subject, c.grade, c.words)
	}
}
