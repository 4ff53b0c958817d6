package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// deedOf is what the function of another package does that a call calls; nil if
// nothing is known of it.
func (u *Unit) deedOf(f *Function, e *ir.Expr) *Deed {
	if len(u.known) == 0 || e.Kind != ir.Call || e.X == nil {
		return nil
	}
	d, ok := u.deeds[e]
	if !ok {
		u.deeds[e] = nil // a call on a value that is made of itself ends here
		d = u.findDeed(f, e)
		u.deeds[e] = d
	}
	return d
}

func (u *Unit) findDeed(f *Function, e *ir.Expr) *Deed {
	if e.X.Callee != "" {
		return u.named(e.X.Callee)
	}
	receiver := e.Receiver()
	if receiver == nil {
		return nil
	}
	if receiver.Kind == ir.Name {
		if i, ok := f.File.Imported(receiver.Name); ok && u.known[i.Path] != nil {
			return u.known[i.Path].deed(e.Method())
		}
	}
	t := f.typeOf(receiver)
	if t == "" {
		t = u.returned(f, receiver)
	}
	return u.named(t + "." + e.Method())
}

// returned is the type of a value that a function of another package returned.
func (u *Unit) returned(f *Function, e *ir.Expr) string {
	d, ok := f.lookup(e.Name, e.Pos)
	if !ok || e.Kind != ir.Name || d.x == nil || d.x == e {
		return ""
	}
	if made := u.deedOf(d.in, d.x); made != nil && max(d.index, 0) < len(made.Returns) {
		return made.Returns[max(d.index, 0)]
	}
	return ""
}

// named finds a function by its import path, a dot, its name.
func (u *Unit) named(full string) *Deed {
	slash := strings.LastIndexByte(full, '/') + 1
	dot := strings.IndexByte(full[slash:], '.')
	for dot >= 0 { // the last part of a path may have dots in it
		if o := u.known[full[:slash+dot]]; o != nil {
			return o.deed(full[slash+dot+1:])
		}
		next := strings.IndexByte(full[slash+dot+1:], '.')
		if next < 0 {
			return nil
		}
		dot += 1 + next
	}
	return nil
}

// farOps are what a call does with locks by a function of another package.
func (f *Function) farOps(s *Site) (list []*Op) {
	if d := f.Unit.deedOf(f, s.Call); d != nil {
		for _, a := range d.Acts {
			list = append(list, f.farOp(s, s.Call, d, a))
		}
	}
	made, index := f.madeBy(s.Call)
	if made.Expr == nil {
		return list
	}
	if d := f.Unit.deedOf(made.In, made.Expr); d != nil {
		for _, r := range d.Results {
			if r.Index != index {
				continue
			}
			for _, a := range r.Acts {
				list = append(list, made.In.farOp(s, made.Expr, d, a))
			}
		}
	}
	return list
}

// farOp makes an op of an act at a site; call is what handed in the key.
func (f *Function) farOp(s *Site, call *ir.Expr, d *Deed, a Act) *Op {
	op := &Op{Site: s, Do: a.Do, Key: a.Key, Family: a.Family, Gives: a.Gives, Library: libraryNamed(a.Library), far: &a}
	op.TTL = TTL{Set: a.HasTTL, Value: a.TTL, Unit: 1}
	arg := func(place int) *ir.Expr {
		if place == 0 {
			return nil
		}
		return call.Arg(place - 1)
	}
	if t := arg(a.FromParam.TTL); t != nil {
		op.TTL = TTL{Set: true, Expr: t, Unit: 1, Value: f.duration(t, 1)}
	}
	for i, name := range d.Params {
		if hole := "{" + name + "}"; name != "" && strings.Contains(op.Key, hole) && call.Arg(i) != nil {
			op.Key = strings.ReplaceAll(op.Key, hole, f.Key(call.Arg(i)))
		}
	}
	if strings.ContainsAny(op.Key, "{}") {
		for _, x := range call.Args {
			if v := f.resolve(x); v.Kind == ir.String { // the key went through an object there
				op.Key = f.Key(x)
				break
			}
		}
	}
	if a.Lock == "" { // an op of the caller's own, by a wrapper of the client
		op.far = nil
		op.Value = arg(a.FromParam.Value)
		if a.Command != "" {
			op.Command = &Command{Name: a.Command, Key: arg(a.FromParam.Key), Value: op.Value, NX: a.Do == Acquire}
		}
	}
	return op
}

func libraryNamed(name string) *Library {
	if name == "" {
		return nil
	}
	for _, l := range append([]*Library{consulKV, callbackElection}, libraries...) {
		if l.Name == name && (l.Languages == nil || slices.Contains(l.Languages, ir.Go)) {
			return l
		}
	}
	return nil
}

// farLock is the lock of another package that an op is on: each key with which it is
// taken is one.
func (u *Unit) farLock(o *Op) *Lock {
	if o.Do != Acquire {
		if take := o.takenBy(); take != nil {
			return take.Lock
		}
	}
	for _, l := range u.Locks {
		if l.ID == o.far.Lock && (l.Key == o.Key || o.Do != Acquire) {
			l.Kept = l.Kept || o.far.Kept
			return l
		}
	}
	l := &Lock{ID: o.far.Lock, Key: o.Key, Family: o.Family, Library: o.Library, Leader: o.far.Leader, Kept: o.far.Kept}
	u.Locks = append(u.Locks, l)
	return l
}

// takenBy is the op that returned the object which an op is called on; nil if that
// is not in sight.
func (o *Op) takenBy() *Op {
	made := o.Call
	if r := o.Call.Receiver(); r != nil {
		d, ok := o.In.lookup(r.Name, r.Pos)
		if !ok || r.Kind != ir.Name {
			return nil
		}
		made = d.x
	} else if v, _ := o.In.madeBy(o.Call); v.Expr != nil {
		made = v.Expr
	}
	for _, s := range o.In.Sites {
		if s.Call != made {
			continue
		}
		for _, take := range s.Ops {
			if take.far != nil && take.far.Lock == o.far.Lock && take.Lock != nil {
				return take
			}
		}
	}
	return nil
}

// farCallbacks are what functions of other packages run while they hold a lock.
func (u *Unit) farCallbacks() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			d := u.deedOf(f, s.Call)
			if d == nil {
				continue
			}
			for _, r := range d.Runs {
				if x := s.Call.Arg(r.Param); x != nil {
					u.farCallback(f, s, d, r, x)
				}
			}
		}
	}
}

func (u *Unit) farCallback(f *Function, s *Site, d *Deed, r Run, x *ir.Expr) {
	take := f.farOp(s, s.Call, d, r.Act)
	take.Do = Acquire
	if take.far == nil {
		return
	}
	take.Lock = u.farLock(take)
	section := &Section{Lock: take.Lock, Acquire: take, In: f, Whole: true}
	if i := f.from(x); i > 0 {
		f.handedOn = append(f.handedOn, Run{i - 1, r.Act})
	} else if to := f.functionOf(x); to != nil {
		section.From, section.To = to.Pos, to.End
		if g := u.byFunc[to]; g != nil {
			section.In = g
		}
		u.add(section)
	}
}

// farEffects are what a call does to the world by a function of another package.
func (u *Unit) farEffects(f *Function, s *Site) (list []*Effect) {
	d := u.deedOf(f, s.Call)
	if d == nil {
		return nil
	}
	fenced := mentionsFence(s.Call)
	for _, o := range d.Effects {
		what := strings.TrimSuffix(o.What, " in "+lastWord(d.Name))
		if o.Kind == Write {
			what += " in " + lastWord(d.Name)
		}
		list = append(list, &Effect{Site: s, Far: true, Kind: o.Kind, What: what, Fenced: o.Fenced || fenced, Guarded: o.Guarded, Idempotent: o.Idempotent || isIdempotent(f, s.Call), Grave: o.Grave})
	}
	return list
}
