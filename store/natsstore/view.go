package natsstore

import (
	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// stamp is what the server says of a stored message.
func (m stored) stamp() stamp.Stamp { return stamp.Stamp{At: m.at, Revision: m.revision} }

// view is what a read shows of a name.
type view struct {
	stamp.View
	floor    floor
	revision uint64 // of the last message on the subject; 0 without one
}

// resolve reads a stored message. A message without a body is the mark of a
// clean-up: nothing is known of the name.
func resolve(name string, f floor, m stored) (view, error) {
	v := view{View: stamp.View{Name: name, At: m.at}, floor: f, revision: m.revision}
	if len(m.data) == 0 {
		return v, nil
	}
	var err error
	if v.View, err = stamp.Read(name, m.data, m.stamp()); err != nil {
		return v, ruling.Refuse(err, foreign)
	}
	return v, nil
}
