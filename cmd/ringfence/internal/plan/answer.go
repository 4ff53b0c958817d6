package plan

import "fmt"

// Answer is what to use, for how long, and how to begin.
type Answer struct {
	Name        string `json:"name"`
	Goal        Goal   `json:"goal"`
	Destination string `json:"destination"`

	// Tool is "lease", "election" or "conditional-write".
	Tool string `json:"tool"`
	// RefusedBy is what refuses a stale write: a package of guards, "condition", or
	// "nobody" where the destination compares nothing.
	RefusedBy string `json:"refused_by"`
	// Rule is the guard's, "" without one.
	Rule string `json:"rule,omitempty"`

	// LeaseSeconds is how long the holder may trust its lease, 0 where there is none.
	LeaseSeconds float64 `json:"lease_seconds"`
	GraceSeconds float64 `json:"grace_seconds"`
	Renewed      bool    `json:"renewed"`

	Take string `json:"take"` // the tool in a sentence
	Why  string `json:"why"`  // what the lease is made of
	// Check says what is refused and how a write is told from another; Open what stays.
	Check string   `json:"check"`
	Open  []string `json:"open"`

	Command string `json:"command,omitempty"`
	Within  string `json:"within,omitempty"` // a write that Command makes, again and again
	Snippet string `json:"snippet"`          // the body of a function in Go
	Page    string `json:"page"`             // which says the rest

	lease, to string // for people
}

// Of answers a question, or says what is wrong with it.
func Of(q Question) (Answer, error) {
	if err := q.check(); err != nil {
		return Answer{}, err
	}
	d, err := lookUp(q.Destination)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{
		Name: q.Name, Goal: q.Goal, Destination: d.words[0], Page: d.page, to: d.name,
		Tool: q.Goal.tool(), RefusedBy: q.refusedBy(d), Take: q.take(d), Check: q.checks(d), Open: q.open(d),
	}
	var t duration
	if q.Goal == CAS {
		a.Why = "none. Whoever has read an old value is refused by the write itself; a lease would add a wait and no safety."
	} else {
		if t, err = q.derive(); err != nil {
			return Answer{}, err
		}
		a.LeaseSeconds, a.GraceSeconds, a.Renewed = t.lease.Seconds(), t.grace.Seconds(), t.work.Renew
		a.lease, a.Why = Span(t.lease), q.why(t)
		if !d.abroad() {
			a.Rule = q.Goal.rule().String()
		}
	}
	a.Command, a.Within, a.Snippet = q.command(d, t), q.within(d), q.snippet(d, t)
	return a, nil
}

func (g Goal) tool() string {
	switch g {
	case CAS:
		return "conditional-write"
	case Leader:
		return "election"
	}
	return "lease"
}

func (q Question) refusedBy(d destination) string {
	switch {
	case q.Goal == CAS:
		return "condition"
	case d.abroad():
		return "nobody"
	}
	return d.guard
}

// take is the tool in a sentence.
func (q Question) take(d destination) string {
	tool := map[string]string{"lease": "a lease", "election": "an election"}[q.Goal.tool()]
	switch {
	case q.Goal == CAS:
		return "a conditional write, and no lock"
	case d.abroad():
		return tool + ", a table of what was sent, and an idempotency key"
	}
	return fmt.Sprintf("%s with a fence, and %s with the rule %s", tool, d.guard, q.Goal.rule())
}

// checks says what the check does.
func (q Question) checks(d destination) string {
	switch {
	case q.Goal == CAS:
		return "the write counts only where nothing has changed since the read. After a lost answer read it again: write something of your own with each value, to know it by."
	case d.abroad():
		return "what is sent is noted before and after, in a table that refuses a stale holder; the key is made of what is sent, never of the token, which changes with every run."
	case q.Goal == Once:
		return "the first write of each term counts, the same sent again is a duplicate, and anything older is refused. A second run is a new term: " + oncePerDay(d)
	case q.Goal == Sequence:
		return "the writes of a term are numbered from 1 (the second from a shell has --seq 2), and each counts once, in this order; number and key stay the same when a write is sent again."
	}
	return "every write that is no older than the newest leader counts, and the last one stays. Where each has to count once, plan for sequence."
}

// oncePerDay is how two terms are kept from doing one day's work twice.
func oncePerDay(d destination) string {
	switch d.code {
	case "sql":
		return "the primary key below makes the day's work count once for all of them."
	case "redis":
		return "NX below makes the day's work count once for all of them."
	case "etcd":
		return "name the key after the day, so that it puts the same in the same place."
	case "http":
		return "the service has to keep the key, which is the day."
	}
	return "what it makes of the same day replaces the first, so let that be the same."
}

// open is what stays open.
func (q Question) open(d destination) []string {
	if q.Goal == CAS {
		return []string{"A program that writes without the condition is not stopped."}
	}
	open := []string{d.open}
	if q.Timeout > longLease && q.Goal != Leader {
		open = append(open, fmt.Sprintf("After a crash the name stays held for up to %s. ringfence break frees it; run --renew together with --timeout frees it soon by itself.", Span(q.Timeout)))
	}
	return append(open, "Without --store or RINGFENCE_STORE leases keep apart what runs on this machine only.")
}
