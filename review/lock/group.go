package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// A Lock is the ops on one key, or on one object of a library.
type Lock struct {
	Key     string
	Family  Family
	Library *Library
	Ops     []*Op // what is done to it, helpers left out
	Calls   []*Op // calls of helpers that do it
	Leader  bool  // it decides which process leads
	TwoStep []Pair
	ID      string // what it is called in the outlines of packages; "" for one of this unit alone
	Kept    bool   // the package of its helpers renews it, or puts an end to the work
}

// A Pair is a look at a key, and the write that takes it.
type Pair struct{ Check, Write *Op }

// Name is how a reader would call the lock.
func (l *Lock) Name() string {
	switch {
	case l.Family == Advisory:
		return "the advisory lock"
	case l.Family == Table && len(l.Ops) > 0 && l.Ops[0].SQL != nil:
		return "the lock in " + strings.TrimSuffix(shortType(strings.Trim(l.Ops[0].SQL.Table, "`\"[]")), "Repository")
	}
	k := strings.Trim(l.Key, "{}")
	if k == "" && l.Leader {
		return "the leadership"
	}
	if k == "" || strings.ContainsAny(k, "{}(") {
		k = strings.NewReplacer("{", "<", "}", ">").Replace(l.Key)
	}
	if len(k) > 40 {
		k = k[:40] + "..."
	}
	return "the lock " + k
}

// All calls f for the ops of some kinds, those behind a helper included.
func (l *Lock) All(kinds ...Do) (list []*Op) {
	for _, ops := range [][]*Op{l.Ops, l.Calls} {
		for _, o := range ops {
			if o.Is(kinds...) {
				list = append(list, o)
			}
		}
	}
	return list
}

// Own is like All, without calls of helpers.
func (l *Lock) Own(kinds ...Do) (list []*Op) {
	for _, o := range l.Ops {
		if o.Is(kinds...) {
			list = append(list, o)
		}
	}
	return list
}

// Is reports whether an op is one of the kinds.
func (o *Op) Is(kinds ...Do) bool {
	for _, k := range kinds {
		if o.Do == k {
			return true
		}
	}
	return false
}

// group puts ops on the same key together, and drops what is no lock.
func (u *Unit) group() {
	var all []*Lock
	u.eachOp(func(o *Op) {
		switch {
		case o.far != nil:
			o.Lock = u.farLock(o)
			o.Lock.Calls = append(o.Lock.Calls, o)
		case o.Through == nil:
			all = addTo(all, o)
		}
	})
	u.eachOp(func(o *Op) {
		if o.Through != nil {
			o.Lock = o.Root().Lock
			o.Lock.Calls = append(o.Lock.Calls, o)
		}
	})
	for _, l := range all {
		l.pair()
		if l.isLock() {
			l.Leader = l.leads()
			u.Locks = append(u.Locks, l)
		} else {
			for _, o := range l.All(Acquire, Put, Read, Exists, Expire, Renew, Release, GiveUp, Make, Confirm) {
				o.Lock = nil
			}
		}
	}
}

func (u *Unit) eachOp(f func(*Op)) {
	for _, fn := range u.Functions {
		for _, s := range fn.Sites {
			for _, o := range s.Ops {
				f(o)
			}
		}
	}
}

func addTo(all []*Lock, o *Op) []*Lock {
	for _, l := range all {
		if l.Family == o.Family && l.Library == o.Library && l.holds(o) {
			l.Ops = append(l.Ops, o)
			o.Lock = l
			return all
		}
	}
	l := &Lock{Key: o.Key, Family: o.Family, Library: o.Library, Ops: []*Op{o}}
	o.Lock = l
	return append(all, l)
}

// holds reports whether an op is on this lock: a key that is only a variable is
// told apart by its file.
func (l *Lock) holds(o *Op) bool {
	first := l.Ops[0]
	if l.Family == Library_ && o.Of != nil && first.Of == o.Of {
		return true
	}
	if strings.HasPrefix(l.Key, "{") && o.File() != first.File() {
		return false
	}
	if l.Family == Advisory {
		return o.File() == first.File()
	}
	return sameKey(l.Key, o.Key) || o.File() == first.File() && (fits(l.Key, o.Key) || fits(o.Key, l.Key)) || l.namedAlike(o)
}

// fits reports whether a key is one that a pattern makes which has variables after a text:
// what a helper makes of its parameter is written out elsewhere.
func fits(pattern, key string) bool {
	text, _, variable := strings.Cut(pattern, "{")
	_, rest, ok := strings.Cut(pattern, "}")
	return variable && ok && len(text) > 2 && !strings.ContainsAny(key+rest, "{}") && strings.HasPrefix(key, text) && strings.HasSuffix(key, rest) && len(key) > len(text)+len(rest)
}

// namedAlike reports whether a helper that is named like a release is handed the key
// under the name that it has where the lock is taken.
func (l *Lock) namedAlike(o *Op) bool {
	if o.KeyAt == nil || o.KeyAt.Kind != ir.Name || !o.In.Param(o.KeyAt.Name) || !hasWord(o.In.Name, lockWords) && !hasWord(o.In.Name, releaseVerbs) {
		return false
	}
	for _, take := range l.Ops {
		if take.Do == Acquire && take.KeyAt != nil && take.File() == o.File() && take.KeyAt.Path() == o.KeyAt.Path() {
			return true
		}
	}
	return false
}

// pair finds a look at the key that decides about a plain write of it.
func (l *Lock) pair() {
	if len(l.Own(Acquire)) > 0 && l.Family != Table {
		return
	}
	for _, w := range l.Ops {
		if !w.Is(Put, Acquire) || w.Do == Acquire && (w.SQL == nil || w.SQL.Verb != "insert" || w.SQL.Conflict != "") {
			continue
		}
		for _, c := range l.Ops {
			if c.Is(Read, Exists) && c.In == w.In && c.Pos() < w.Pos() && !((l.Family == Redis || l.Family == Cache) && c.Do == Read && c.returned()) && !l.together(c, w) && c.decides(w) {
				l.TwoStep = append(l.TwoStep, Pair{c, w})
				break
			}
		}
		if n := len(l.TwoStep); n == 0 || l.TwoStep[n-1].Write != w {
			l.pairBehind(w)
		}
	}
}

// pairBehind finds a helper that looks at a row, whose answer decides about a plain write
// of it.
func (l *Lock) pairBehind(w *Op) {
	if look := l.lookBehind(w); look != nil {
		l.TwoStep = append(l.TwoStep, Pair{look, w})
		return
	}
	for _, c := range w.In.calledBy { // both stand in helpers
		if look := l.lookBehind(&Op{Site: c.site}); look != nil && look.In != w.In {
			l.TwoStep = append(l.TwoStep, Pair{look, w})
			return
		}
	}
}

// lookBehind is the look at a row in a helper whose answer decides about a site.
func (l *Lock) lookBehind(w *Op) *Op {
	for _, c := range w.In.calls {
		if c.beside || c.site.Pos() >= w.Pos() {
			continue
		}
		for _, look := range l.Ops {
			cached := (l.Family == Redis || l.Family == Cache) && look.Do == Read && look.returned()
			if look.In == c.to && look.Is(Read, Exists) && !cached && !l.together(look, w) && (&Op{Site: c.site}).decides(w) {
				return look
			}
		}
	}
	return nil
}

// returned reports whether the value that was read is handed to the caller: then it
// is what the key is for, and the key is no lock.
func (o *Op) returned() (found bool) {
	names := map[string]bool{}
	for _, n := range o.Names {
		names[n] = n != "err" && n != "_"
	}
	o.In.eachStmt(func(s *ir.Stmt) {
		if s.Does == ir.Return && s.X != nil && s.X.Kind != ir.Binary {
			found = found || o.onSide(s.X, names)
		}
	})
	return found || o.Use == Returned && o.Stmt().X.Kind != ir.Binary
}

// together reports whether something makes two ops one step.
func (l *Lock) together(a, b *Op) bool {
	if a.SQL != nil && a.SQL.ForUpdate {
		return true
	}
	return a.Watched() || a.In.locksRow()
}

// InServer reports whether a site is part of a script of Redis, whose commands are one step.
func (s *Site) InServer() bool {
	path := s.Call.X.Path()
	return s.In.File.Language == ir.Lua && (path == "redis.call" || path == "redis.pcall")
}

// decides reports whether the value of a look is tested before a write.
func (s *Op) decides(w *Op) bool {
	if s.Use == Tested {
		return true
	}
	for _, n := range s.Names {
		if n != "" && s.In.testedBetween(n, s.Pos(), w.Pos()) {
			return true
		}
	}
	if s.SQL != nil && s.In.File.Language == ir.SQL {
		return true
	}
	return false
}

// testedBetween reports whether a name decides a branch in a part of the function.
func (f *Function) testedBetween(name string, from, to ir.Pos) bool {
	found := false
	first, _, _ := strings.Cut(name, ".")
	f.eachStmt(func(s *ir.Stmt) {
		if s.Does != ir.If && s.Does != ir.Loop || s.Pos < from || s.Pos > to || s.X == nil {
			return
		}
		s.X.Each(func(e *ir.Expr) bool {
			found = found || e.Kind == ir.Name && (e.Name == name || e.Name == first && strings.HasPrefix(name, "this") == (first == "this") && first != "this")
			found = found || e.Kind == ir.Member && e.Path() == name
			return !found
		})
	})
	return found
}

// eachStmt calls g for the statements of a function, those of its lambdas too.
func (f *Function) eachStmt(g func(*ir.Stmt)) {
	if f.all == nil {
		f.collect(f.Body)
	}
	for _, s := range f.all {
		g(s)
	}
}

// collect lists statements, and those of the lambdas in them after them.
func (f *Function) collect(list []*ir.Stmt) {
	from := len(f.all)
	ir.EachStmt(list, func(s *ir.Stmt) { f.all = append(f.all, s) })
	for _, s := range f.all[from:len(f.all):len(f.all)] {
		for _, e := range append([]*ir.Expr{s.X}, s.To...) {
			e.Each(func(x *ir.Expr) bool {
				if x.Kind == ir.Lambda && x.Func.Name == "" && len(f.all) < 1<<16 {
					f.collect(x.Func.Body)
				}
				return true
			})
		}
	}
}

// leads reports whether the lock decides which process leads.
func (l *Lock) leads() bool {
	if l.Library != nil && l.Library.Election || hasWord(l.Key, leaderWords) {
		return true
	}
	for _, o := range l.Own(Acquire) {
		for _, n := range o.Names {
			if hasWord(n, leaderWords) {
				return true
			}
		}
		if hasWord(o.In.Name, leaderWords) || o.In.class() != nil && hasWord(o.In.class().Name, leaderWords) {
			return true
		}
	}
	return false
}
