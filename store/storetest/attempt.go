package storetest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/ringfence-go/ringfence/driver"
)

func sameAttemptSameGrant(e *env) {
	r := request(e.name("repeated"), e.long())
	first := e.acquire(e.store, r)
	before := e.inspect(r.Name)
	r.TTL, r.Holder = 2*r.TTL, "another label" // a repeat asks for nothing new
	again := e.acquire(e.store, r)
	if again.Fence != first.Fence || again.Attempt != first.Attempt || again.Remaining > before.Remaining {
		e.Errorf("the same attempt got %+v, then %+v; want the same grant with at most %s left", first, again, before.Remaining)
	}
	e.unchanged(before, "the repeated acquire")
}

func sameAttemptAtOnce(e *env) {
	r := request(e.name("duplicated"), e.long())
	terms, errs := e.race(16, func(s driver.Store, _ int) (driver.Term, error) { return s.Acquire(e.ctx, r) })
	for i, err := range errs {
		if err != nil {
			e.Errorf("one of 16 copies of an acquire: %v; want the one grant", err)
		} else if terms[i].Fence != terms[0].Fence {
			e.Errorf("two copies of an acquire got tokens %s and %s; want one grant", terms[0].Token, terms[i].Token)
		}
	}
}

// race calls f from n goroutines at once, over four clients.
func (e *env) race(n int, f func(s driver.Store, i int) (driver.Term, error)) ([]driver.Term, []error) {
	e.Helper()
	clients := []driver.Store{e.store, e.open(), e.open(), e.open()}
	terms, errs := make([]driver.Term, n), make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			terms[i], errs[i] = f(clients[i%len(clients)], i)
		})
	}
	close(start)
	all.Wait()
	return terms, errs
}

func oneWinner(e *env) {
	for round := range 3 {
		name := e.name(fmt.Sprint("raced ", round))
		terms, errs := e.race(16, func(s driver.Store, _ int) (driver.Term, error) {
			return s.Acquire(e.ctx, request(name, e.long()))
		})
		winners := 0
		for _, err := range errs {
			if err == nil {
				winners++
			} else {
				e.is(err, driver.ErrHeld, "a losing acquire")
			}
		}
		if winners != 1 {
			e.Errorf("16 callers at once, %d of them got the lease: %+v; want exactly 1", winners, terms)
		}
	}
}

func spentAttemptRefused(e *env) {
	spent := map[driver.EndCause]driver.Request{}
	r := request(e.name("spent by release"), e.long())
	released := e.acquire(e.store, r)
	e.release(released)
	spent[driver.EndReleased] = r
	r, lapsed := e.lapse(e.name("spent by expiry"))
	spent[driver.EndExpired] = r

	for _, t := range []driver.Term{released, lapsed} {
		before := e.inspect(t.Name)
		cause := driver.EndCause(before.State)
		_, err := e.store.Acquire(e.ctx, spent[cause])
		e.ended(err, t.Fence, cause, "acquire with an attempt whose term is over")
		e.unchanged(before, "the refused attempt")
	}
}

func termNeedsItsAttempt(e *env) {
	t := e.take(e.name("guarded"))
	wrongAttempt, wrongToken := t, t
	wrongAttempt.Attempt += "x"
	wrongToken.Token++
	guesses := map[string]driver.Term{"a wrong attempt": wrongAttempt, "a wrong token": wrongToken}
	e.refuses(guesses)
	e.release(t)
	e.refuses(guesses) // when the term is over, a stranger learns no cause
}

// refuses checks that terms which were never granted renew and release nothing.
func (e *env) refuses(guesses map[string]driver.Term) {
	e.Helper()
	for what, guess := range guesses {
		before := e.inspect(guess.Name)
		_, err := e.store.Renew(e.ctx, guess, e.long())
		e.ended(err, guess.Fence, driver.EndSuperseded, "renew with "+what)
		e.ended(e.store.Release(e.ctx, guess), guess.Fence, driver.EndSuperseded, "release with "+what)
		e.unchanged(before, what)
	}
}

func attemptStaysSecret(e *env) {
	r := request(e.name("secret"), e.long())
	t := e.acquire(e.store, r)
	e.silent(r, "inspect of a held name", e.inspect(r.Name))
	_, err := e.store.Acquire(e.ctx, request(r.Name, e.long()))
	e.silent(r, "a refused acquire", *e.held(err, "acquire a held name"), err)
	guess := t
	guess.Attempt = "guess"
	_, err = e.store.Renew(e.ctx, guess, e.long())
	e.silent(r, "a refused renewal", err)
	if l, ok := e.store.(driver.Lister); ok {
		page, err := l.List(e.ctx, r.Name, "", 1)
		e.silent(r, "list", page, err)
	}
	e.release(t)
	e.silent(r, "inspect of a released name", e.inspect(r.Name))
}

// silent checks that nothing in what a store showed holds the attempt of r.
func (e *env) silent(r driver.Request, what string, shown ...any) {
	e.Helper()
	if text := fmt.Sprintf("%+v", shown); strings.Contains(text, r.Attempt) {
		e.Errorf("%s shows the attempt: %s", what, text)
	}
}
