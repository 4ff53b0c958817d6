package rules_test

import (
	"fmt"
	"testing"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/rules"
)

// TestSeverity takes one fault, a release that checks no owner, and changes what is
// done under the lock, and what the lock is called.
func TestSeverity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, work string
		want            rule.Severity
	}{
		{"a cache fill", "lock:report", `r.set("report", build())`, rule.Note},
		{"nothing in sight", "lock:report", `build()`, rule.Warning},
		{"a row", "lock:report", `db.execute("UPDATE report SET n = 1 WHERE id = 2")`, rule.Warning},
		{"a row and a cache", "lock:report", `db.execute("UPDATE report SET n = 1 WHERE id = 2"); r.set("report", 1)`, rule.Warning},
		{"a payment", "lock:report", `stripe.Charge.create(amount=5)`, rule.Error},
		{"a mail", "lock:report", `smtp.send_message(m)`, rule.Error},
		{"a request", "lock:report", `requests.post("https://example.test", data=m)`, rule.Error},
		{"a leader's write", "leader:report", `db.execute("UPDATE report SET n = 1 WHERE id = 2")`, rule.Error},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := fmt.Sprintf("import redis, requests, smtplib, stripe, uuid\nr = redis.Redis()\nsmtp = smtplib.SMTP()\ndef f(db, m):\n"+
				"    if r.set(%[1]q, str(uuid.uuid4()), nx=True, ex=60):\n        try:\n            %[2]s\n        finally:\n            r.delete(%[1]q)\n", c.key, c.work)
			u := lock.NewUnit([]*ir.File{lang.Parse(ir.Python, "a.py", []byte(src))})
			found := rule.Run(rules.Named("unchecked-release"), u)
			if len(found) != 1 || found[0].Severity != c.want || found[0].Confidence < rule.Likely {
				t.Errorf("found %+v, want one of severity %s", found, c.want)
			}
		})
	}
}
