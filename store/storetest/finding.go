package storetest

import (
	"strings"

	"github.com/ringfence-go/ringfence/driver"
)

// Findings takes what a store's Examine returned and hands on the findings, each of
// which has to be complete: what was looked at, what was found, what that means, and
// what to do unless it is as it should be.
func Findings(t T, found []driver.Finding, err error) []driver.Finding {
	t.Helper()
	if err != nil {
		t.Fatalf("examine: %v", err)
	}
	for _, f := range found {
		if f.Subject == "" || f.Found == "" || f.Means == "" || (f.Grade != driver.Fit) != (f.Do != "") {
			t.Errorf("incomplete: %+v", f)
		}
	}
	return found
}

// WantFinding looks for one finding of that subject and grade whose text has the words.
func WantFinding(t T, found []driver.Finding, subject string, grade driver.Grade, words string) {
	t.Helper()
	for _, f := range found {
		if f.Subject == subject && f.Grade == grade && strings.Contains(f.Found+"; "+f.Means+"; "+f.Do, words) {
			return
		}
	}
	t.Errorf("want %s to be %s and say %q; found %+v", subject, grade, words, found)
}

// WantFit fails the test for each finding that is not as it should be.
func WantFit(t T, found []driver.Finding) {
	t.Helper()
	for _, f := range found {
		if f.Grade != driver.Fit {
			t.Errorf("nothing is wrong, and yet: %+v", f)
		}
	}
}
