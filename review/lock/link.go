package lock

import "github.com/ringfence-go/ringfence/review/ir"

// link carries what helpers do to where they are called, a few levels up.
func (u *Unit) link() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			if len(s.Ops) > 0 && s.Ops[0].Library != nil && s.Ops[0].far == nil {
				continue // a method of a library's lock, whatever else is called like it
			}
			g := u.callee(f, s.Call)
			for _, over := range u.overrides(f, s.Call) {
				if over != g && over != f {
					f.calls = append(f.calls, call{site: s, to: over})
					over.calledBy = append(over.calledBy, call{site: s, to: over})
				}
			}
			if g != nil && g != f {
				f.calls = append(f.calls, call{site: s, to: g})
				g.calledBy = append(g.calledBy, call{site: s, to: g})
			} else if list := u.iterated(f, s); len(list) > 0 {
				f.calls = append(f.calls, list...)
			} else if c, ok := u.started(f, s); ok {
				f.calls = append(f.calls, c)
				c.to.Beside = true
			}
		}
	}
	u.bind()
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			s.carryResult()
		}
	}
	for range 3 {
		for _, f := range u.Functions {
			for _, c := range f.calls {
				if !c.beside {
					c.site.carry(c.to)
				}
			}
		}
	}
}

// iterated are the functions of the unit that a call runs for each part of a list:
// rows.forEach(this::write).
func (u *Unit) iterated(f *Function, s *Site) (list []call) {
	if !iterators[s.Call.Method()] {
		return nil
	}
	for _, a := range s.Call.Args {
		if a.Kind == ir.Name || a.Kind == ir.Member {
			if g := u.referred(f, a); g != nil && g != f {
				list = append(list, call{site: s, to: g, args: []*ir.Expr{}})
			}
		}
	}
	return list
}

// carry adds what a helper does to the call of it.
func (s *Site) carry(g *Function) {
	for _, inner := range g.Sites {
		if len(inner.Ops) == 0 || g.handsOut(inner) {
			continue
		}
		for _, o := range inner.Ops {
			if len(s.Ops) < 20 && !s.has(o.Root()) {
				if out := g.exported(o); out != nil {
					out.Site = s
					s.Ops = append(s.Ops, out)
				}
			}
		}
	}
}

func (s *Site) has(root *Op) bool {
	for _, o := range s.Ops {
		if o.Root() == root {
			return true
		}
	}
	return false
}

// behindHelper is an op as a call of its helper has it; the caller sets its site.
func (o *Op) behindHelper() *Op {
	return &Op{Do: o.Do, Key: o.Key, KeyAt: o.KeyAt, Family: o.Family, TTL: o.TTL, Value: o.Value, Command: o.Command, SQL: o.SQL, Library: o.Library, Of: o.Of, Conn: o.Conn, Through: o}
}

// exported is what an op in a helper means to its caller; nil if it means nothing.
func (g *Function) exported(o *Op) *Op {
	out := o.behindHelper()
	switch o.Do {
	case Acquire:
		if g.ends(o) {
			return nil
		}
		out.Gives = g.tells(o)
	case Release, GiveUp:
		if g.takes(o) {
			return nil
		}
		out.Gives = g.tells(o)
	case Read, Exists, Confirm:
		out.Do, out.Gives = Confirm, g.tells(o)
		if o.Do == Read && g.File.Language == ir.Go && out.Gives == errors && o.returned() && !g.takes(o) && !g.ends(o) {
			out.Do, out.Gives = Read, value|errors // who has it: the caller compares
			return out
		}
		if out.Gives&value == 0 && (out.Gives == 0 || !o.comparesOwner()) || g.takes(o) || g.ends(o) {
			return nil
		}
	case Put:
		out.Gives = g.tells(o)
	case Renew, Expire:
	default:
		return nil
	}
	return out
}

// ends reports whether a function also gives back what an op takes.
func (g *Function) ends(o *Op) bool {
	return g.does(o, func(other *Op) bool { return other.Is(Release, GiveUp) && !other.inFailure() })
}

// inFailure reports whether an op stands in a handler: it undoes what failed.
func (o *Op) inFailure() bool {
	for _, st := range o.Path {
		if st.Branch == InCatch {
			return true
		}
	}
	return false
}

func (g *Function) takes(o *Op) bool {
	return g.does(o, func(other *Op) bool { return other.Do == Acquire })
}

func (g *Function) does(o *Op, match func(*Op) bool) bool {
	for _, s := range g.Sites {
		if len(s.Ops) == 0 || g.handsOut(s) {
			continue
		}
		for _, other := range s.Ops {
			if other != o && other.Family == o.Family && match(other) && (sameKey(other.Key, o.Key) || other.Of != nil && other.Of == o.Of || o.Family == Advisory) {
				return true
			}
		}
	}
	return false
}

// tells says how a function hands on whether an op of its own worked.
func (g *Function) tells(o *Op) (gives Gives) {
	if g.File.Language == ir.Go {
		return resultsTell(g.Func)
	}
	if o.Use == Returned {
		gives |= value
	}
	g.eachStmt(func(s *ir.Stmt) {
		switch {
		case s.Does == ir.Raise && s.Pos > o.Stmt().Pos-1:
			gives |= throws
		case s.Does == ir.Return && s.X != nil && !s.X.Is("nil") && s.End > o.Pos():
			gives |= value
		}
	})
	if g.Short && gives == 0 {
		gives = value
	}
	return gives
}
