package driver

// Finding is one thing about a store that decides whether it can host leases, as it
// was found. A store's package finds them by its function Examine, which also works
// where Open refuses; `ringfence doctor` shows them.
type Finding struct {
	Subject string `json:"subject"`      // what was looked at, e.g. "eviction policy"
	Grade   Grade  `json:"grade"`        // how it is
	Found   string `json:"found"`        // what was found
	Means   string `json:"means"`        // what follows from it for a lease or its token
	Do      string `json:"do,omitempty"` // what to do; empty where nothing needs doing
}

// Grade is what a finding amounts to.
type Grade string

// The grades, from good to bad.
const (
	Fit     Grade = "fit"     // as it should be
	Warning Grade = "warning" // leases work; something that can happen takes a promise away
	Unfit   Grade = "unfit"   // leases must not be kept there as it is
)
