package lock

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
)

// An Outline is what the importers of a package know of it: what its functions do
// with locks, and to the world. Nothing in it refers to the package's own tree, so
// that it can be kept in a file between two runs.
type Outline struct {
	Path  string // the import path
	Deeds []Deed // in the order of their names
}

// A Deed is what a call of one function does.
type Deed struct {
	Name    string   // Func, or Type.Method
	Params  []string // the names of its parameters, as they stand in keys
	Returns []string // the types of what it returns
	Acts    []Act
	Results []Result
	Runs    []Run
	Effects []Outcome
}

// An Act is an op, for who calls the function that it stands in.
type Act struct {
	Do        Do
	Lock      string // which lock; "" if the package sees none, and the caller's key decides
	Key       string // with {name} where the value of a parameter goes
	Family    Family
	Library   string
	Command   string
	Gives     Gives
	TTL       time.Duration
	HasTTL    bool
	FromParam Params
	Leader    bool // the lock decides which process leads
	Kept      bool // the package renews the lock, or puts an end to the work
}

// Params are the places of the parameters that an act takes something from, counted
// from 1; 0 if it does not.
type Params struct{ Key, Value, TTL int }

// A Result is a function that another one returns, as it does to release what it
// took: what a call of that does.
type Result struct {
	Index int
	Acts  []Act
}

// A Run is a parameter that is called while a lock is held.
type Run struct {
	Param int // from 0
	Act   Act // how the lock is taken
}

// An Outcome is an effect, for who calls the function that it stands in.
type Outcome struct {
	Kind                               Kind
	What                               string
	Fenced, Guarded, Idempotent, Grave bool
}

// deed finds a function by its name.
func (o *Outline) deed(name string) *Deed {
	i, ok := slices.BinarySearchFunc(o.Deeds, name, func(d Deed, name string) int { return strings.Compare(d.Name, name) })
	if !ok {
		return nil
	}
	return &o.Deeds[i]
}

// Outline is what others may know of a unit, which is the package of that path.
func (u *Unit) Outline(path string) *Outline {
	for i, l := range u.Locks {
		if l.ID == "" {
			l.ID = path + "#" + strconv.Itoa(i)
		}
	}
	out := &Outline{Path: path}
	for _, f := range u.Functions {
		if !isUpper(f.Name) || strings.HasSuffix(f.File.Path, "_test.go") {
			continue
		}
		d := f.deed(path)
		if len(d.Acts)+len(d.Results)+len(d.Runs)+len(d.Effects) > 0 {
			out.Deeds = append(out.Deeds, d)
		}
	}
	out.Deeds = append(out.Deeds, u.interfaces(out.Deeds)...)
	slices.SortStableFunc(out.Deeds, func(a, b Deed) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// interfaces are the deeds of the methods of an interface that one type of the unit
// alone has.
func (u *Unit) interfaces(deeds []Deed) (list []Deed) {
	for _, file := range u.Files {
		for _, c := range file.Classes {
			only := u.implementation(c)
			if only == nil {
				continue
			}
			for _, d := range deeds {
				if method, ok := strings.CutPrefix(d.Name, only.Name+"."); ok && slices.Contains(c.Wants, method) {
					d.Name = c.Name + "." + method
					list = append(list, d)
				}
			}
		}
	}
	return list
}

// maxDeed bounds what is kept of one function.
const maxDeed = 20

func (f *Function) deed(path string) Deed {
	d := Deed{Name: f.Name}
	if c := f.class(); c != nil {
		d.Name = c.Name + "." + f.Name
	}
	for _, p := range f.Params {
		d.Params = append(d.Params, p.Name)
	}
	for _, r := range f.Results {
		if f.Unit.classes[r.Type] != nil {
			r.Type = path + "." + r.Type
		}
		d.Returns = append(d.Returns, r.Type)
	}
	for _, s := range f.Sites {
		if f.handsOut(s) {
			continue
		}
		for _, o := range s.Ops {
			if a, ok := f.acts(o); ok && len(d.Acts) < maxDeed {
				d.Acts = append(d.Acts, a)
			}
		}
	}
	d.Results, d.Runs = f.results(), f.runs()
	for _, e := range f.Unit.effectsOf(f, 3) {
		out := Outcome{Kind: e.Kind, What: e.What, Fenced: e.Fenced, Guarded: e.Guarded, Idempotent: e.Idempotent, Grave: e.Grave}
		if len(d.Effects) < maxDeed && !slices.Contains(d.Effects, out) {
			d.Effects = append(d.Effects, out)
		}
	}
	return d
}

// results are what the functions do that a function hands out.
func (f *Function) results() (list []Result) {
	for _, h := range f.handouts() {
		r := Result{Index: h.index}
		for _, o := range f.opsOf(h) {
			if out := handed(o, h.to); out != nil && out.Root().Lock != nil && len(r.Acts) < maxDeed {
				r.Acts = append(r.Acts, f.act(out))
			}
		}
		if len(r.Acts) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// acts is what an op of a function is to its callers, if it is anything.
func (f *Function) acts(o *Op) (Act, bool) {
	if o.Root().Lock != nil {
		out := f.exported(o)
		if out == nil {
			return Act{}, false
		}
		return f.act(out), true
	}
	if o.Through != nil || o.Command == nil || f.from(o.Command.Key) == 0 {
		return Act{}, false
	}
	out := o.behindHelper()
	out.Gives = f.tells(o)
	return f.act(out), true
}

func (f *Function) act(o *Op) Act {
	root := o.Root()
	a := Act{Do: o.Do, Key: root.Key, Family: o.Family, Gives: o.Gives, TTL: o.TTL.Value, HasTTL: o.TTL.Set}
	if o.Library != nil {
		a.Library = o.Library.Name
	}
	if o.Command != nil {
		a.Command = o.Command.Name
	}
	if l := root.Lock; l != nil {
		a.Lock, a.Leader = l.ID, l.Leader
		a.Kept = l.Kept || len(l.All(Renew)) > 0 || f.Bounded() && f.returnsContext()
	}
	if root.In == f {
		a.FromParam = Params{Value: f.from(o.Value), TTL: f.from(o.TTL.Expr)}
		if o.Command != nil {
			a.FromParam.Key = f.from(o.Command.Key)
		}
	}
	return a
}

// returnsContext reports whether the caller is handed a context to work under.
func (f *Function) returnsContext() bool {
	return slices.ContainsFunc(f.Results, func(r ir.Param) bool { return r.Type == "context.Context" })
}

// from is the place of the parameter that a value is, from 1; 0 if it is none.
func (f *Function) from(e *ir.Expr) int {
	if e == nil || e.Kind != ir.Name {
		return 0
	}
	return f.paramIndex(e.Name) + 1
}

// runs are the parameters that are called in a section of a function.
func (f *Function) runs() (list []Run) {
	for _, s := range f.Unit.Sections {
		if s.In != f {
			continue
		}
		c := s.Callback()
		if c == nil {
			continue
		}
		if i := f.paramIndex(firstWord(c.Call.X.Path())); i >= 0 {
			run := Run{i, f.act(s.Acquire)}
			run.Act.Kept = run.Act.Kept || f.Bounded()
			list = append(list, run)
		}
	}
	list = append(list, f.handedOn...)
	return list[:min(len(list), maxDeed)]
}
