package sweep

import "sync/atomic"

// pool counts its generations, and a sweep leaves the entries of the latest: a matter of
// this process.
type pool struct {
	counter atomic.Uint32
	entries []*entry
}

type entry struct{ generation uint32 }

func (p *pool) next() uint32 { return p.counter.Add(1) }

func (p *pool) sweep(generation uint32) (left []*entry) {
	for _, e := range p.entries {
		if e.generation >= generation {
			left = append(left, e)
		}
	}
	return left
}

func (p *pool) renew() {
	p.entries = p.sweep(p.next())
}
