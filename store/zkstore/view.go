package zkstore

import (
	"time"

	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// unit is the resolution of the leader's clock: a stamp leaves out up to one unit.
const unit = time.Millisecond

// stamped is the stamp of a write at a time of the leader. A grant is in force or not
// written at all, since its write has the floor as a condition, so none has to be told
// from another.
func stamped(at time.Time) stamp.Stamp { return stamp.Stamp{At: at, Unit: unit} }

// view is what is known of a name.
type view struct {
	stamp.View
	found   bool // a znode
	version int32
	epoch   uint64 // of the connection that told it
	floor   *floor // the store's record as it was known before that
}

// resolve gives the outcome of what a znode holds.
func resolve(name string, n node, f *floor) (view, error) {
	v := view{View: stamp.View{Name: name, At: n.wrote}, found: n.found, version: n.version, epoch: n.epoch, floor: f}
	if !n.found {
		return v, nil
	}
	var err error
	if v.View, err = stamp.Read(name, n.data, stamped(n.wrote)); err != nil {
		return v, ruling.Refuse(err, foreign)
	}
	return v, nil
}
