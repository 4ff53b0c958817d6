// Package driver is the contract between package ringfence and the stores that
// host its leases. Users hold a ringfence.Locker; only authors of stores need
// this package. docs/contract.md numbers the clauses that
// store/storetest checks.
package driver

import (
	"context"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// MaxTTL is the longest lease that any store grants.
const MaxTTL = 30 * 24 * time.Hour

// MaxAttemptBytes and MaxHolderBytes bound the other two texts of a request.
const (
	MaxAttemptBytes = 64
	MaxHolderBytes  = 256
)

// Store grants leases. All methods may be called by many goroutines at once.
//
// Acquire, Renew and Release each happen in one atomic step inside the store,
// judged by the store's own clock at the moment of that step. No clock of the
// caller enters: a duration goes in, a duration comes out.
//
// Every method returns soon after its context ends, whatever the store does. An
// error matches exactly one of [ErrHeld], [ErrEnded], [ErrFull], [ErrUnknown],
// [ErrUnavailable], [ErrUnfit], [ErrClosed] and fence.ErrInvalid, and unwraps to
// the underlying client's own error where there is one. When in doubt whether a
// change was made, the error is ErrUnknown, never ErrUnavailable.
type Store interface {
	// Acquire grants r.Name when it is free or its last term is over, with a
	// token above every token the name ever had. Otherwise it fails with a
	// *HeldError and costs the store no write.
	//
	// An attempt gets at most one grant: asked again, Acquire returns the same
	// term with the time that is left of it, or an *EndedError when that term is
	// over. That makes an acquire whose reply was lost safe to repeat.
	Acquire(ctx context.Context, r Request) (Term, error)

	// Renew makes exactly this term, token and attempt, last ttl from now. A term
	// that is over, if only by a moment and even if nobody took the name since,
	// stays over: *EndedError. Renewing never shortens a lease to nothing: a ttl
	// that the store can't honour is fence.ErrInvalid and changes nothing.
	Renew(ctx context.Context, t Term, ttl time.Duration) (Term, error)

	// Release ends exactly this term, so that the name is free at once. When the
	// term was over before, it changes nothing and fails with an *EndedError.
	Release(ctx context.Context, t Term) error

	// Inspect reads the record of a name and changes nothing. A name without a
	// record is a free one with token 0, not an error.
	Inspect(ctx context.Context, name string) (Record, error)

	// Properties says what this store promises. It is constant and reaches out
	// to nothing.
	Properties() Properties

	// Close ends the store's own goroutines and connections. Afterwards every
	// method but Close and Properties fails with ErrClosed. Close may be repeated.
	Close() error
}

// Request asks for a lease.
type Request struct {
	Name    string        // what to lease; see fence.CheckName
	Attempt string        // random id of this acquire; 1 to 64 bytes of printable ASCII
	Holder  string        // label for people, up to 256 bytes of UTF-8; proof of nothing
	TTL     time.Duration // how long the lease lasts from the store's step on
}

// Term is one uninterrupted holding. Token and attempt together are its
// identity, and the right to renew and release it: a store shows an attempt to
// nobody but the caller who brought it.
type Term struct {
	fence.Fence
	Attempt string
	// Remaining is how long the lease still lasted when the store answered,
	// rounded down to the store's resolution. The store's step lies between the
	// start of the call and its answer, so a holder that counts Remaining from
	// before the call never believes longer than the store does.
	Remaining time.Duration
}

// State is what a record says about its name.
type State string

// The states of a name. Only Held keeps others out.
const (
	Free     State = "free"     // no record
	Held     State = "held"     // a term that is not over
	Expired  State = "expired"  // the last term ran out
	Released State = "released" // the last term was given back
	Forced   State = "forced"   // the last term was ended by an operator
)

// Record is what a store shows about a name. It never holds an attempt.
type Record struct {
	Name      string        `json:"name"`
	State     State         `json:"state"`
	Token     fence.Token   `json:"token,omitzero"` // of the last term
	Holder    string        `json:"holder,omitempty"`
	GrantedAt time.Time     `json:"granted_at,omitzero"` // these two on the store's clock
	ExpiresAt time.Time     `json:"expires_at,omitzero"`
	Remaining time.Duration `json:"-"`                  // as the store judged; 0 unless Held
	EndedBy   string        `json:"ended_by,omitempty"` // who forced the end, where forced
}

// Properties are what a store promises beyond the contract. The suite checks
// each of them both ways.
type Properties struct {
	// Store names the store for people, in errors and logs: its kind and address, never a password.
	Store string
	// Clock says whose clock judges leases.
	Clock string
	// Resolution is the store's unit of time: a lease is rounded up to it.
	Resolution time.Duration
	// MinTTL is the shortest lease that the store grants; shorter is refused.
	MinTTL time.Duration
	// Durable means that grants and tokens survive the end of the store's process.
	Durable bool
}

// The optional abilities of a store, found by a type assertion; Queue is one more.
type (
	// Lister pages through records in byte order of their names.
	Lister interface {
		// List returns at most limit records of names that begin with prefix and
		// come after the name after; fewer than limit means that there are no more.
		List(ctx context.Context, prefix, after string, limit int) ([]Record, error)
	}

	// Breaker ends a term by force.
	Breaker interface {
		// Break ends the current term of name, whoever holds it, and returns its
		// record as it was. by says who did it. The broken holder's next call
		// fails with an *EndedError of cause EndForced. A name that nobody holds
		// is left alone and returned as it is.
		Break(ctx context.Context, name, by string) (Record, error)
	}

	// Watcher tells early that a name may be free. A hint may be late, too many or
	// lost, so whoever waits asks again from time to time all the same.
	Watcher interface {
		// Watch returns a channel that gets a hint when the term of name was ended
		// before it ran out. From the return of Watch on nothing is missed while the
		// connection lasts. The watch ends with ctx. Where several callers in this
		// process wait for a name, a hint goes to one of them, in turn; one whose
		// ctx ends with a hint that it has not taken leaves it to the next.
		Watch(ctx context.Context, name string) (<-chan struct{}, error)
	}

	// BatchRenewer renews many terms for the price of one.
	BatchRenewer interface {
		// RenewAll does what Renew does with each of the renewals, in one round trip
		// or a few, and returns their outcomes in the same order. None of them hangs
		// on another: each succeeds or fails as it would have alone.
		RenewAll(ctx context.Context, all []Renewal) []Renewed
	}

	// Recoverer raises the floor by hand.
	Recoverer interface {
		// Raise makes the store grant only tokens above the given one, and returns
		// the floor in force, which never falls. It also accepts the store's
		// present identity where the store had stopped granting for it.
		Raise(ctx context.Context, above fence.Token) (fence.Token, error)
		// Identity reads what the store knows about itself.
		Identity(ctx context.Context) (Identity, error)
	}

	// Pruner forgets names that nobody uses.
	Pruner interface {
		// Prune removes up to limit records whose last term has been over for
		// idle or longer, and returns how many went. No number comes back by it.
		Prune(ctx context.Context, idle time.Duration, limit int) (int, error)
	}
)

// Renewal asks for a term to last TTL from now.
type Renewal struct {
	Term Term
	TTL  time.Duration
}

// Renewed is the outcome of a renewal: what Renew would have returned.
type Renewed struct {
	Term Term
	Err  error
}

// Identity is how a store tells that another one answers at its address.
type Identity struct {
	Current   string      `json:"current"`             // e.g. PostgreSQL's system identifier and timeline
	Previous  string      `json:"previous,omitempty"`  // the one before, if it ever changed
	ChangedAt time.Time   `json:"changed_at,omitzero"` // when the change was noticed, on the store's clock
	Floor     fence.Token `json:"floor,omitzero"`      // nothing at or below it is granted
}
