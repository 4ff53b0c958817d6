package lock

import (
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
)

// A Library is what is known of one lock library: how its locks are made, taken and
// given back. Where an object comes from decides whether it is one of its locks,
// never what it is called.
type Library struct {
	Name      string
	Languages []ir.Language
	Imports   []string // a file that imports none of these has no such lock
	Types     []string // the types of its locks, by the last part of their names
	Make      []string // what makes a lock: functions, methods, classes
	From      []string // if not nil: what Make is called on, by the word its path ends with or its type
	Acquire   map[string]Gives
	Using     []string // what takes a lock around a function or a block
	GiveUp    map[string]Gives
	Release   []string // what ends a lock, whoever has it
	Renew     []string
	Confirm   []string
	Direct    bool          // Acquire is called on what makes locks, with the key first
	TTL       int           // which argument of Make (or Acquire, if Direct) is the lease, from 1; 0 if none is
	Unit      time.Duration // what a bare number counts
	Names     []string      // how that argument is called
	Renews    bool          // the library renews by itself while the process lives
	Quorum    bool          // several independent stores
	Fenced    bool          // it has numbers that only rise
	Session   bool          // it ends with a session that is kept alive
	Election  bool
	Yields    bool // a block is run in any case, and is told whether the lock was taken
	Waits     bool // an acquire without arguments waits until it has the lock
	Raises    bool // one that waits raises when it gives up; it only answers if it is told not to wait
}

// made tells whether an expression makes a lock of the library.
func (l *Library) made(f *Function, e *ir.Expr) bool {
	if e.Kind != ir.Call && e.Kind != ir.New || !has(l.Make, e.Method()) {
		return false
	}
	if f.Unit.callee(f, e) != nil || !l.owns(f, e) {
		return false
	}
	if m := e.Method(); m == "readLock" || m == "writeLock" {
		v := f.resolve(e.Receiver())
		return v.Method() == "getReadWriteLock" || shortType(f.typeOf(e.Receiver())) == "RReadWriteLock"
	}
	if l.From == nil {
		return true
	}
	if e.Receiver() == nil {
		return has(l.From, "")
	}
	receiver := e.Receiver()
	word, typ := lastWord(receiver.Path()), shortType(f.typeOf(receiver))
	return has(l.From, word) || typ != "" && has(l.From, typ)
}

// owns reports whether a class or module that is called is one of the library's, as
// far as the imports of the file tell.
func (l *Library) owns(f *Function, e *ir.Expr) bool {
	path := e.X.Path()
	qualified := f.qualify(path)
	if _, imported := f.File.Imported(firstWord(path)); !imported && qualified == path {
		return !isUpper(e.Method()) || e.Kind == ir.Call && f.File.Language != ir.Python || e.Receiver() != nil
	}
	for _, want := range l.Imports {
		if strings.Contains(qualified, want) {
			return true
		}
	}
	return !isUpper(e.Method())
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// fits reports whether a file may use the library.
func (l *Library) fits(f *ir.File, imports []string) bool {
	if !hasLanguage(l.Languages, f.Language) {
		return false
	}
	for _, want := range l.Imports {
		for _, path := range imports {
			if strings.Contains(path, want) {
				return true
			}
		}
	}
	return false
}

func hasLanguage(list []ir.Language, l ir.Language) bool {
	for _, x := range list {
		if x == l {
			return true
		}
	}
	return false
}

// libraryOps finds what a call does with a library's lock.
func (f *Function) libraryOps(s *Site) *Op {
	name := s.Call.Method()
	for _, l := range f.Unit.librariesOf(f.File) {
		if op := l.op(f, s, name); op != nil {
			op.Site, op.Family, op.Library = s, Library_, l
			return op
		}
	}
	return nil
}

func (l *Library) op(f *Function, s *Site, name string) *Op {
	e := s.Call
	switch {
	case l.Direct:
		return l.directOp(f, s, name)
	case l.made(f, e):
		return &Op{Do: Make, Of: e, Key: f.libraryKey(e), TTL: l.ttl(f, e)}
	}
	gives, acquires := l.Acquire[name]
	gone, gives2 := l.GiveUp[name]
	if !acquires && !gives2 && !has(l.Renew, name) && !has(l.Release, name) && !has(l.Using, name) && !has(l.Confirm, name) {
		return nil
	}
	of := f.lockObject(l, e.Receiver())
	if of.Expr == nil {
		return nil
	}
	op := &Op{Of: of.Expr, Key: of.In.libraryKey(of.Expr), TTL: l.ttl(of.In, of.Expr)}
	switch {
	case acquires || has(l.Using, name):
		op.Do, op.Gives = Acquire, gives
		op.Gives = l.answers(e, of.Expr, gives)
		if t := l.leaseOf(f, e); t.Set {
			op.TTL = t
		}
	case gives2:
		op.Do, op.Gives = GiveUp, gone
	case has(l.Renew, name):
		op.Do = Renew
	case has(l.Confirm, name):
		op.Do = Confirm
	default:
		op.Do = Release
	}
	return op
}

// answers says how an acquire tells that it did not get the lock that an expression has made: one
// that waits as long as it takes does not, one that is told when to give up does.
func (l *Library) answers(e, made *ir.Expr, gives Gives) Gives {
	if gives&value == 0 {
		return gives
	}
	first := e.Arg(0)
	switch {
	case first.Is("false"), e.Named("blocking").Is("false"), made.Named("blocking").Is("false"):
		return gives
	case l.Raises:
		return gives&^value | throws
	case first.Is("true") && len(e.Args) == 1, e.Named("timeout").Is("nil"): // etcd3 waits ten seconds
		return gives &^ value
	case !l.Waits:
		return gives
	}
	for _, x := range []*ir.Expr{e, made} {
		for i, k := range x.Keys {
			limit := strings.Contains(k, "blocking_timeout") || x == e && k == "timeout"
			if limit && !x.Args[i].Is("nil") || k == "blocking" && !x.Args[i].Is("true") {
				return gives
			}
		}
	}
	if first != nil {
		return gives
	}
	return gives &^ value
}

// directOp reads client.acquire(key, ttl), and what is called on what that returned.
func (l *Library) directOp(f *Function, s *Site, name string) *Op {
	e := s.Call
	gives, acquires := l.Acquire[name]
	if (acquires || has(l.Using, name)) && l.isClient(f, e.Receiver()) {
		if l.Yields && e.Block && gives&value != 0 {
			s.yielded()
		}
		return &Op{Do: Acquire, Gives: gives, Of: e, Key: f.libraryKey(e), TTL: l.ttl(f, e)}
	}
	gone, gives2 := l.GiveUp[name]
	if !gives2 && !has(l.Renew, name) && !has(l.Confirm, name) {
		return nil
	}
	for _, x := range []*ir.Expr{e.Receiver(), e.Arg(0)} {
		if of := f.acquiredBy(l, x); of.Expr != nil {
			do := GiveUp
			if has(l.Renew, name) {
				do = Renew
			} else if has(l.Confirm, name) {
				do = Confirm
			}
			return &Op{Do: do, Gives: gone, Of: of.Expr, Key: of.In.libraryKey(of.Expr), TTL: l.ttl(of.In, of.Expr)}
		}
	}
	return nil
}

// yielded takes the answer of a call from the parameter of the block that it runs.
func (s *Site) yielded() {
	block := s.Call.Args[len(s.Call.Args)-1]
	if block.Kind != ir.Lambda {
		return
	}
	s.Use, s.Names = Dropped, nil
	if len(block.Func.Params) > 0 && !strings.HasPrefix(block.Func.Params[0].Name, "_") {
		s.Use, s.Names = Assigned, []string{block.Func.Params[0].Name}
	}
}

// isClient reports whether a value is what makes the library's locks.
func (l *Library) isClient(f *Function, e *ir.Expr) bool {
	if e == nil {
		return has(l.From, "")
	}
	if t := shortType(f.typeOf(e)); t != "" && has(l.Types, t) {
		return true
	}
	v := f.resolve(e)
	if v.Expr == nil {
		return false
	}
	if v.Kind == ir.Call || v.Kind == ir.New {
		if has(l.Make, v.Method()) || v.X.Kind == ir.Member && has(l.Make, lastWord(v.X.X.Path())) {
			return true
		}
	}
	return has(l.From, lastWord(v.Path())) || has(l.From, lastWord(e.Path()))
}

// acquiredBy follows a value to the call of the library that acquired it.
func (f *Function) acquiredBy(l *Library, e *ir.Expr) Value {
	if e == nil {
		return Value{}
	}
	v := f.resolve(e)
	if v.Kind == ir.Name || v.Kind == ir.Member {
		if d, ok := f.lookup(v.Name, v.Pos); ok && d.index >= 0 && v.Kind == ir.Name {
			v = d.in.resolve(d.x)
		} else if t := shortType(f.typeOf(v.Expr)); t != "" && has(l.Types, t) {
			return v
		}
	}
	if v.Kind == ir.Call {
		if _, ok := l.Acquire[v.Method()]; ok && l.isClient(v.In, v.Receiver()) {
			return v
		}
	}
	return Value{}
}

// lockObject follows a value to the call that made it.
func (f *Function) lockObject(l *Library, e *ir.Expr) Value {
	if e == nil {
		return Value{}
	}
	v := f.resolve(e)
	if d, ok := f.lookup(v.Name, e.Pos); ok && v.Kind == ir.Name && d.index >= 0 {
		v = d.in.resolve(d.x)
	}
	if l.made(v.In, v.Expr) {
		return v
	}
	if t := shortType(f.typeOf(e)); t != "" && has(l.Types, t) && !local[f.typeOf(e)] {
		return v
	}
	if f.lends(l, e) {
		return f.Unit.anyMade(l)
	}
	return l.madeIn(v)
}

// madeIn is where a small helper of the unit makes a lock of the library, whatever it is
// handed for it; an empty value if a value is no call of one.
func (l *Library) madeIn(v Value) Value {
	if v.Expr == nil || v.Kind != ir.Call {
		return Value{}
	}
	g := v.In.Unit.callee(v.In, v.Expr)
	if g == nil || g == v.In {
		return Value{}
	}
	for _, x := range g.returned() {
		if l.made(g, x) {
			return Value{x, g}
		}
	}
	return Value{}
}

// lends reports whether a value of Go can only be a lock of a library that the unit makes: it
// is behind an interface of the unit or comes from a function that nobody says the result of,
// and it is both taken and given back here by the library's names.
func (f *Function) lends(l *Library, e *ir.Expr) bool {
	if f.File.Language != ir.Go || e.Kind != ir.Name {
		return false
	}
	t := f.typeOf(e)
	if c := f.Unit.classes[shortType(t)]; t != "" && (c == nil || len(c.Wants) == 0) {
		return false
	}
	takes, gives := false, false
	for _, s := range f.Sites {
		if s.Call.Receiver().Path() == e.Name {
			_, take := l.Acquire[s.Call.Method()]
			_, give := l.GiveUp[s.Call.Method()]
			takes, gives = takes || take, gives || give
		}
	}
	return takes && gives && len(l.Make) > 0 && !l.Direct
}

// anyMade is the first lock of a library that the unit makes; an empty value if it makes none.
func (u *Unit) anyMade(l *Library) Value {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			if l.made(f, s.Call) {
				return Value{s.Call, f}
			}
		}
	}
	return Value{}
}

// local are types of the same names that lock inside of one process.
var local = wordSet("threading.Lock asyncio.Lock multiprocessing.Lock sync.Mutex java.util.concurrent.locks.Lock java.util.concurrent.Semaphore async-mutex.Mutex threading.Semaphore")

func (f *Function) libraryKey(e *ir.Expr) string {
	for i, a := range e.Args {
		if k := e.Key(i); k != "" && k != "name" && k != "key" && k != "lock_name" {
			continue
		}
		v := f.resolve(a)
		if v.Kind == ir.Unary && v.Name == "&" {
			v = v.In.resolve(v.X)
		}
		if v.Kind == ir.Map && v.Named("key") != nil {
			return v.In.Key(v.Named("key"))
		}
		if v.Kind == ir.String || v.Kind == ir.List || v.Kind == ir.Binary || isKeyMaker(v.Method()) {
			return f.Key(a)
		}
	}
	if e.Kind == ir.Name || e.Kind == ir.Member {
		return "{" + e.Path() + "}"
	}
	return "{" + e.X.Path() + "}"
}

// ttl reads the lease among the arguments of what makes a lock.
func (l *Library) ttl(f *Function, e *ir.Expr) TTL {
	for i, a := range e.Args {
		if k := e.Key(i); k != "" && has(l.Names, k) {
			return l.lease(f, a)
		}
		v := f.resolve(a)
		if v.Kind == ir.Call && has(l.Names, v.Method()) {
			return l.lease(v.In, v.Arg(0))
		}
		if v.Kind == ir.Map {
			for j, k := range v.Keys {
				if has(l.Names, k) {
					return l.lease(v.In, v.Args[j])
				}
			}
		}
	}
	if l.TTL > 0 && (e.Kind == ir.Call || e.Kind == ir.New) {
		if a := e.Arg(l.TTL - 1); a != nil {
			return l.lease(f, a)
		}
	}
	return TTL{}
}

// leaseOf reads the lease among the arguments of an acquire: tryLock(wait, lease,
// unit) in Java.
func (l *Library) leaseOf(f *Function, e *ir.Expr) TTL {
	n := len(e.Args)
	if !has(l.Imports, "org.redisson") || n < 2 {
		return TTL{}
	}
	unit, ok := timeUnits[lastWord(e.Args[n-1].Path())]
	if !ok || n == 2 && e.Method() == "tryLock" {
		return TTL{}
	}
	t := l.lease(f, e.Args[n-2])
	t.Unit, t.Value = unit, f.duration(e.Args[n-2], unit)
	return t
}

func (l *Library) lease(f *Function, e *ir.Expr) TTL {
	unit := l.Unit
	if unit == 0 {
		unit = time.Second
	}
	if e == nil || e.Is("nil") || e.Kind == ir.Unary {
		return TTL{}
	}
	return TTL{Set: true, Expr: e, Unit: unit, Value: f.duration(e, unit)}
}
