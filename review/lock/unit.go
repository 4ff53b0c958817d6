package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// A Unit is the files that are looked at together.
type Unit struct {
	Files     []*ir.File
	Functions []*Function
	Locks     []*Lock
	Sections  []*Section

	byFunc     map[*ir.Func]*Function
	byName     map[string][]*Function
	classes    map[string]*ir.Class
	fields     map[string]map[string][]def
	globals    map[string][]def
	scripts    map[string]string // commands that were defined by a script
	summaries  map[string]*Script
	statements map[string]*query.Statement
	libraries  map[*ir.File][]*Library
	effects    map[*Function][]*Effect
	types      map[*ir.Expr]string
	values     map[*ir.Expr]Value
	folded     map[*ir.Expr]folded
	keys       map[*ir.Expr]string
	tables     map[*ir.Expr]string // which an object was read from
	known      map[string]*Outline
	deeds      map[*ir.Expr]*Deed
	queries    map[*ir.Expr]*Query
	around     map[*ir.Expr]*ir.Expr // the call whose argument a call is
	above      map[*ir.Expr]*ir.Expr // the call that is made on what a call returned
	leased     map[string]bool       // tables whose rows are leases, by what is done with them
	sent       map[string][]sent     // statements, by their tables
	busy       map[string]bool       // those whose rows are locks by being there
	raised     map[string]bool       // those with a column that says that somebody works
	roles      map[string]*roles     // what their columns are for, by the names of the tables
	timed      map[string]bool       // what the program compares with its clock; nil until somebody asks
	asked      map[string]bool       // and what with somebody, or nobody
}

// NewUnit builds the model of some files of one language.
func NewUnit(files []*ir.File) *Unit { return NewUnitAmong(files, nil) }

// NewUnitAmong is like NewUnit, and follows calls into other packages by their
// outlines, which are known by import path.
func NewUnitAmong(files []*ir.File, known map[string]*Outline) *Unit {
	u := &Unit{
		Files: files, byFunc: map[*ir.Func]*Function{}, byName: map[string][]*Function{}, classes: map[string]*ir.Class{},
		fields: map[string]map[string][]def{}, globals: map[string][]def{}, scripts: map[string]string{},
		summaries: map[string]*Script{}, statements: map[string]*query.Statement{}, libraries: map[*ir.File][]*Library{},
		effects: map[*Function][]*Effect{}, types: map[*ir.Expr]string{}, values: map[*ir.Expr]Value{}, folded: map[*ir.Expr]folded{}, keys: map[*ir.Expr]string{}, tables: map[*ir.Expr]string{},
		known: known, deeds: map[*ir.Expr]*Deed{},
		queries: map[*ir.Expr]*Query{}, leased: map[string]bool{}, sent: map[string][]sent{}, busy: map[string]bool{}, raised: map[string]bool{}, roles: map[string]*roles{}, around: map[*ir.Expr]*ir.Expr{}, above: map[*ir.Expr]*ir.Expr{},
	}
	for _, f := range files {
		u.declare(f)
	}
	for _, f := range u.Functions {
		(&walk{f: f, last: Returned}).stmts(f.Body, f.Short)
	}
	u.markedStatements()
	u.collectGlobals()
	u.construct()
	u.lend()
	u.collectScripts()
	u.findLeased()
	u.findOps()
	u.link()
	u.group()
	u.findSections()
	return u
}

func (u *Unit) declare(file *ir.File) {
	for i, fn := range file.Funcs {
		if fn.Name == "" && i > 0 {
			continue
		}
		f := &Function{Func: fn, Unit: u, defs: map[string][]def{}}
		u.Functions = append(u.Functions, f)
		u.byFunc[fn] = f
		if fn.Name != "" {
			u.byName[fn.Name] = append(u.byName[fn.Name], f)
		}
	}
	top := u.byFunc[file.Top()]
	for _, s := range file.Top().Body {
		if c := tupleClass(s); c != nil {
			u.classes[c.Name] = c
		}
	}
	for _, c := range file.Classes {
		if c.Name == "" {
			continue
		}
		u.classes[c.Name] = c
		for _, field := range c.Fields {
			u.setField(c.Name, field.Name, def{x: field.Value, index: -1, typ: field.Type, in: top})
		}
	}
}

// Top is the function of what stands outside of any in a file.
func (u *Unit) Top(file *ir.File) *Function { return u.byFunc[file.Top()] }

func (u *Unit) setField(class, name string, d def) {
	if u.fields[class] == nil {
		u.fields[class] = map[string][]def{}
	}
	u.fields[class][name] = append(u.fields[class][name], d)
}

// fieldOf is the value of a field that is given one; a nil that stands there first
// counts for nothing.
func (u *Unit) fieldOf(class, name string) (best def, ok bool) {
	n := 0
	for _, d := range u.fields[class][name] {
		if d.typ != "" && best.typ == "" {
			best.typ = d.typ
			best.in = d.in
			ok = true
		}
		if d.x == nil || d.x.Kind == ir.Const {
			continue
		}
		n++
		best.x, best.index, best.in, best.at = d.x, d.index, d.in, d.at
		ok = true
	}
	if n != 1 {
		best.x = nil
	}
	return best, ok
}

func (u *Unit) collectGlobals() {
	for _, file := range u.Files {
		for name, list := range u.byFunc[file.Top()].defs {
			u.globals[name] = append(u.globals[name], list...)
		}
	}
}

// collectScripts finds commands that a client is given by a script, and functions
// that load one.
func (u *Unit) collectScripts() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			name, ok := "", false
			switch s.Call.Method() {
			case "defineCommand":
				name, ok = s.Call.Arg(0).Literal()
			default:
				continue
			}
			if o := s.Call.Arg(1); ok && o != nil && o.Named("lua") != nil {
				if text, ok := f.scriptText(o.Named("lua")); ok {
					u.scripts[name] = text
				}
			}
		}
	}
}

func (u *Unit) script(text string) *Script {
	s := u.summaries[text]
	if s == nil {
		s = readScript(text)
		u.summaries[text] = s
	}
	return s
}

func (u *Unit) statement(text string) *query.Statement {
	s, ok := u.statements[text]
	if !ok {
		s = query.Parse(text)
		u.statements[text] = s
	}
	return s
}

// librariesOf are the libraries that a file may use.
func (u *Unit) librariesOf(file *ir.File) []*Library {
	list, ok := u.libraries[file]
	if !ok {
		imports := u.importsOf(file)
		for _, l := range libraries {
			if l.fits(file, imports) {
				list = append(list, l)
			}
		}
		u.libraries[file] = list
	}
	return list
}

// importsOf are the paths that a file imports. Ruby requires them anywhere in the
// program, and Rails all by itself.
func (u *Unit) importsOf(file *ir.File) (paths []string) {
	for _, i := range file.Imports {
		paths = append(paths, i.Path)
	}
	if file.Language == ir.Ruby {
		for _, word := range []string{"Redlock", "ActiveRecord", "with_advisory_lock", "RedisMutex"} {
			if strings.Contains(string(file.Source), word) {
				paths = append(paths, strings.ToLower(word))
			}
		}
	}
	return paths
}

// callee finds the function of the unit that a call calls, nil if it is none or
// cannot be told.
func (u *Unit) callee(f *Function, e *ir.Expr) *Function {
	name := e.Method()
	list := u.byName[name]
	if e.Kind == ir.New {
		return nil
	}
	if len(list) == 0 {
		return nil
	}
	receiver := e.Receiver()
	switch {
	case receiver == nil:
		return u.plainCallee(f, name, list)
	case receiver.Kind == ir.Name && receiver.Name == "this", receiver.Path() == "this.class":
		if f.class() == nil && len(list) == 1 && list[0].File == f.File {
			return list[0] // of a table, of a prototype
		}
		return u.method(f.class(), list)
	case f.isSelf(receiver):
		return u.method(f.class(), list)
	}
	if c := u.classes[shortType(f.typeOf(receiver))]; c != nil {
		return u.method(c, list)
	}
	if c := u.classes[receiver.Path()]; c != nil && receiver.Kind == ir.Name {
		return u.method(c, list)
	}
	if len(list) == 1 && (isLockVerb(name) || list[0].class() == nil && u.isModule(f, receiver) || u.onlyOne(f, e, list[0])) {
		return list[0]
	}
	return nil
}

// isModule reports whether a name stands for another file of the unit.
func (u *Unit) isModule(f *Function, receiver *ir.Expr) bool {
	i, ok := f.File.Imported(receiver.Path())
	return ok && (strings.HasPrefix(i.Path, ".") || f.File.Language == ir.Python)
}

var lockVerbs = wordSet("acquire release lock unlock obtain renew refresh leader mutex lease held holding owner mine")

func isLockVerb(name string) bool {
	return hasWord(name, lockVerbs) && len(words(name)) > 1
}

func (u *Unit) plainCallee(f *Function, name string, list []*Function) *Function {
	var other *Function
	for _, g := range list {
		switch {
		case g.class() != nil && g.class() == f.class():
			return g
		case g.class() == nil && g.File == f.File:
			return g
		case g.class() == nil:
			other = g
		}
	}
	if f.File.Language == ir.Ruby || f.File.Language == ir.Java { // one of a class or module that it extends
		if g := u.method(f.class(), list); g != nil {
			return g
		}
	}
	if other != nil && f.mayUse(name) {
		return other
	}
	return nil
}

// implementation is the class that has all methods of an interface, if it is one and
// the only one.
func (u *Unit) implementation(c *ir.Class) (only *ir.Class) {
	if len(c.Wants) == 0 {
		return nil
	}
	for _, other := range u.classes {
		if len(other.Methods) == 0 || !hasMethods(other, c.Wants) {
			continue
		}
		if only != nil {
			return nil
		}
		only = other
	}
	return only
}

func hasMethods(c *ir.Class, wants []string) bool {
	for _, name := range wants {
		if !slices.ContainsFunc(c.Methods, func(m *ir.Func) bool { return m.Name == name }) {
			return false
		}
	}
	return true
}

func (u *Unit) method(c *ir.Class, list []*Function) *Function {
	if c != nil {
		if only := u.implementation(c); only != nil {
			c = only
		}
	}
	return u.inherited(c, list, 4)
}

// inherited is the method that a class has itself, or else from the last of its bases that
// has it, so many levels up.
func (u *Unit) inherited(c *ir.Class, list []*Function, depth int) *Function {
	if c == nil || depth == 0 {
		return nil
	}
	for _, g := range list {
		if gc := g.class(); gc != nil && gc.Name == c.Name {
			return g
		}
	}
	for _, b := range slices.Backward(c.Bases) {
		if g := u.inherited(u.classes[shortType(strings.ReplaceAll(b, "::", "."))], list, depth-1); g != nil {
			return g
		}
	}
	return nil
}
