// Package rules is the list of all rules, in the order of their numbers.
package rules

import (
	"strconv"

	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/rules/callerclock"
	"github.com/ringfence-go/ringfence/review/rules/checkthenact"
	"github.com/ringfence-go/ringfence/review/rules/failopen"
	"github.com/ringfence-go/ringfence/review/rules/fencebesidewrite"
	"github.com/ringfence-go/ringfence/review/rules/ignoredrelease"
	"github.com/ringfence-go/ringfence/review/rules/inventedfence"
	"github.com/ringfence-go/ringfence/review/rules/leaderwithoutterm"
	"github.com/ringfence-go/ringfence/review/rules/pooledsession"
	"github.com/ringfence-go/ringfence/review/rules/quorumwithoutfence"
	"github.com/ringfence-go/ringfence/review/rules/readthenrelease"
	"github.com/ringfence-go/ringfence/review/rules/revivingrenewal"
	"github.com/ringfence-go/ringfence/review/rules/sharedowner"
	"github.com/ringfence-go/ringfence/review/rules/stepwiseacquire"
	"github.com/ringfence-go/ringfence/review/rules/strayrelease"
	"github.com/ringfence-go/ringfence/review/rules/transactionclock"
	"github.com/ringfence-go/ringfence/review/rules/unboundedwork"
	"github.com/ringfence-go/ringfence/review/rules/uncheckedrelease"
	"github.com/ringfence-go/ringfence/review/rules/unfencedwrite"
	"github.com/ringfence-go/ringfence/review/rules/unitslip"
	"github.com/ringfence-go/ringfence/review/rules/unrepeatableeffect"
)

//go:generate go test -run TestPages -update .

// All are the rules; the first has number 1.
var All = []*rule.Rule{
	uncheckedrelease.Rule, readthenrelease.Rule, stepwiseacquire.Rule, unfencedwrite.Rule, inventedfence.Rule,
	callerclock.Rule, unboundedwork.Rule, unrepeatableeffect.Rule, failopen.Rule, ignoredrelease.Rule,
	leaderwithoutterm.Rule, checkthenact.Rule, pooledsession.Rule, quorumwithoutfence.Rule, fencebesidewrite.Rule,
	revivingrenewal.Rule, transactionclock.Rule, strayrelease.Rule, sharedowner.Rule, unitslip.Rule,
}

// Named finds a rule by its name or its number, nil if there is none.
func Named(name string) *rule.Rule {
	for _, r := range All {
		if r.Name == name || strconv.Itoa(r.Number) == name {
			return r
		}
	}
	return nil
}
