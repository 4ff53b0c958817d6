package storetest

import (
	"math"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// oddNames are names that some store or file system folds, splits or expands.
// Every two that look alike here are two names.
var oddNames = []string{
	"a//b", "a/b", "a/./b", "file:///x", "../x", "./x", "/x", "x/", "..", ".",
	"Router-A", "router-a", "ROUTER-A", "two  spaces", "two spaces", "no\u00a0break",
	"a:b", "{a}", "{a}b", "a*", "*", "a%", "%", "%2F", "a_b", "axb", "?", "#", "[a]", `a\b`,
	`"`, `'`, "';--", "`", "$1", "a.*.>", "00", "0", "null", "-", "🔒", "🔒🔑",
	"\u00e1", "a\u0301", "stra\u00dfe", "strasse", "\u212a", "k", "\ufb01", "fi",
}

// names makes the odd names this clause's own, and adds the longest ones.
func (e *env) names(prefix string) []string {
	fill := strings.Repeat("é", (fence.MaxNameBytes-len(prefix)-1)/2)
	pad := strings.Repeat("0", fence.MaxNameBytes-len(prefix)-len(fill)-1)
	list := []string{prefix + fill + pad + "1", prefix + fill + pad + "2"}
	for _, odd := range oddNames {
		list = append(list, prefix+odd)
	}
	return list
}

func namesAreKeptApart(e *env) {
	terms := map[string]driver.Term{}
	var names []string
	for _, odd := range oddNames {
		names = append(names, odd+e.scope, odd+"/"+e.scope+"/"+odd)
	}
	names = append(names, e.names(e.scope)...)
	for _, name := range names {
		terms[name] = e.acquire(e.store, request(name, e.long()))
	}
	for _, name := range names {
		rec := e.inspect(name)
		if rec.Name != name || rec.State != driver.Held || rec.Token != terms[name].Token {
			e.Errorf("inspect %+q: %+v; want it held with token %s", name, rec, terms[name].Token)
		}
		e.release(terms[name])
	}
}

func badNamesRefused(e *env) {
	for _, bad := range []string{
		"", strings.Repeat("x", fence.MaxNameBytes+1), strings.Repeat("x", 1<<20), "a\x00b", "a\nb", "a\tb", "\x7f", "a\u0085b",
		"\xff", "a\xc3", "\xed\xa0\x80", " " + e.name("lead"), e.name("trail") + " ", "\u00a0" + e.name("lead"), " ",
	} {
		what := " of the name " + fence.Quote(bad)
		_, err := e.store.Acquire(e.ctx, request(bad, e.long()))
		e.is(err, fence.ErrInvalid, "acquire"+what)
		_, err = e.store.Inspect(e.ctx, bad)
		e.is(err, fence.ErrInvalid, "inspect"+what)
		t := driver.Term{Fence: fence.Fence{Name: bad, Token: 1}, Attempt: "a"}
		_, err = e.store.Renew(e.ctx, t, e.long())
		e.is(err, fence.ErrInvalid, "renew"+what)
		e.is(e.store.Release(e.ctx, t), fence.ErrInvalid, "release"+what)
		if b, ok := e.store.(driver.Breaker); ok {
			_, err = b.Break(e.ctx, bad, "suite")
			e.is(err, fence.ErrInvalid, "break"+what)
		}
	}
}

// oddDurations are lengths that no store grants.
var oddDurations = []time.Duration{
	0, 1, -1, -time.Second, driver.MaxTTL + 1, driver.MaxTTL + time.Second, math.MaxInt64, math.MinInt64,
}

func badDurationsRefused(e *env) {
	for _, ttl := range oddDurations {
		name := e.name(ttl.String())
		_, err := e.store.Acquire(e.ctx, request(name, ttl))
		e.is(err, fence.ErrInvalid, "acquire for "+ttl.String())
		if rec := e.inspect(name); rec.State != driver.Free {
			e.Errorf("after a refused acquire for %s the record is %+v; want none", ttl, rec)
		}
	}
}

func badRequestsRefused(e *env) {
	for what, spoil := range map[string]func(*driver.Request){
		"no attempt":                  func(r *driver.Request) { r.Attempt = "" },
		"an attempt of 65 bytes":      func(r *driver.Request) { r.Attempt = strings.Repeat("a", driver.MaxAttemptBytes+1) },
		"an attempt with a space":     func(r *driver.Request) { r.Attempt = "a b" },
		"an attempt that isn't ASCII": func(r *driver.Request) { r.Attempt = "é" },
		"a holder of 257 bytes":       func(r *driver.Request) { r.Holder = strings.Repeat("a", driver.MaxHolderBytes+1) },
		"a holder with a newline":     func(r *driver.Request) { r.Holder = "a\nb" },
		"a holder that isn't UTF-8":   func(r *driver.Request) { r.Holder = "\xff" },
	} {
		r := request(e.name(what), e.long())
		spoil(&r)
		_, err := e.store.Acquire(e.ctx, r)
		e.is(err, fence.ErrInvalid, "acquire with "+what)
	}
	for _, token := range []fence.Token{0, -1, fence.MaxToken + 1, math.MaxInt64} {
		t := driver.Term{Fence: fence.Fence{Name: e.name("token"), Token: token}, Attempt: "a"}
		_, err := e.store.Renew(e.ctx, t, e.long())
		e.is(err, fence.ErrInvalid, "renew with token "+token.String())
		e.is(e.store.Release(e.ctx, t), fence.ErrInvalid, "release with token "+token.String())
	}
}

func badRenewalChangesNothing(e *env) {
	t := e.take(e.name("renewed oddly"))
	before := e.inspect(t.Name)
	for _, ttl := range oddDurations {
		_, err := e.store.Renew(e.ctx, t, ttl)
		e.is(err, fence.ErrInvalid, "renew for "+ttl.String())
		e.unchanged(before, "a refused renewal for "+ttl.String())
	}
	if err := e.store.Release(e.ctx, t); err != nil {
		e.Errorf("release after refused renewals: %v; want the lease still held", err)
	}
}
