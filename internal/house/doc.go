// Package house keeps the rules of this code base by tests: which package may
// import which, and what else no compiler checks. Each rule is listed with its
// reason; each is shown to bite on examples that break it.
//
// The package holds tests only. When one fails, the message says which rule was
// broken and why the rule is there. To change a rule, change its line in
// directions_test.go or rules_test.go together with the reason.
package house
