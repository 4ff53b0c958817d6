package guard

import "github.com/ringfence-go/ringfence/fence"

// Marks sums up the marks that a destination keeps of the leases whose names begin
// with some prefix, for a recovery: docs/recovery.md.
type Marks struct {
	Count   int         `json:"marks"`            // how many there are
	Highest fence.Token `json:"highest,omitzero"` // of all of them; 0 where there is none
}

// Add is m with the sums of another place.
func (m Marks) Add(other Marks) Marks {
	return Marks{Count: m.Count + other.Count, Highest: max(m.Highest, other.Highest)}
}
