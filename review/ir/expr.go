package ir

import "strings"

// Pos is a byte offset into the source of a file.
type Pos int32

// Kind tells expressions apart.
type Kind uint8

// The kinds of expressions. The comment says which fields of Expr each one uses.
const (
	Bad    Kind = iota // what the front-end could not read
	Name               // Name
	Member             // X.Name
	Index              // X[Args...]
	Call               // X(Args...), with Keys where arguments are named
	New                // new X(Args...)
	String             // Name is the text, with Hole where the value of the next of Args goes
	Number             // Name as it is written
	Const              // Name is true, false or nil, whatever the language calls it
	Binary             // X Name Args[0]
	Unary              // Name X
	Assign             // X Name Args[0], an assignment inside an expression
	Cond               // X ? Args[0] : Args[1]
	Await              // X
	Lambda             // Func
	List               // Args
	Map                // Args, with Keys; X is its type, if it names one
)

// Hole stands in the text of a String for the value of an argument.
const Hole = '\x00'

// An Expr is an expression.
type Expr struct {
	Kind     Kind
	Pos, End Pos
	Name     string
	X        *Expr
	Args     []*Expr
	Keys     []string // parallel to Args, or nil; "" for an argument without a name
	Func     *Func
	Type     string // the type, if the front-end knows it: an import path, a dot, a name
	Callee   string // of what a call calls, if the front-end knows it: its import path, a dot, its name, for a method Type.Name
	Block    bool   // the last argument is a block attached to the call
}

// Is reports whether e is a constant of that name.
func (e *Expr) Is(constant string) bool {
	return e != nil && e.Kind == Const && e.Name == constant
}

// Method is the last part of what a call calls: the method, or the function.
func (e *Expr) Method() string {
	if e == nil || e.X == nil || e.Kind != Call && e.Kind != New {
		return ""
	}
	switch e.X.Kind {
	case Member, Name:
		return e.X.Name
	}
	return ""
}

// Receiver is what a method is called on, nil for a plain function.
func (e *Expr) Receiver() *Expr {
	if e != nil && (e.Kind == Call || e.Kind == New) && e.X != nil && e.X.Kind == Member {
		return e.X.X
	}
	return nil
}

// Spot is where a reader would point: at the method of a call, not at the start of
// the chain that it ends.
func (e *Expr) Spot() Pos {
	if (e.Kind == Call || e.Kind == New) && e.X != nil && e.X.Kind == Member {
		return max(e.Pos, e.X.End-Pos(len(e.X.Name)))
	}
	return e.Pos
}

// Path is the dotted text of a chain of names, "" if e is none. A call in the
// chain counts as the name it calls.
func (e *Expr) Path() string {
	if e == nil {
		return ""
	}
	switch e.Kind {
	case Name:
		return e.Name
	case Member:
		if p := e.X.Path(); p != "" {
			return p + "." + e.Name
		}
		return e.Name
	case Call, New, Index, Await:
		return e.X.Path()
	}
	return ""
}

// Arg is the i-th argument without a name, nil if there are fewer.
func (e *Expr) Arg(i int) *Expr {
	for j, a := range e.Args {
		if e.Key(j) == "" {
			if i == 0 {
				return a
			}
			i--
		}
	}
	return nil
}

// Key is the name of the i-th argument or element, "" if it has none.
func (e *Expr) Key(i int) string {
	if i >= 0 && i < len(e.Keys) {
		return e.Keys[i]
	}
	return ""
}

// Named is the argument or element of that name, in any case; nil if there is none.
func (e *Expr) Named(name string) *Expr {
	for i, k := range e.Keys {
		if strings.EqualFold(k, name) {
			return e.Args[i]
		}
	}
	return nil
}

// Literal is the text of a String without holes.
func (e *Expr) Literal() (string, bool) {
	if e == nil || e.Kind != String || len(e.Args) > 0 {
		return "", false
	}
	return e.Name, true
}

// Each calls f for e and everything below it, outermost first, without going into
// the bodies of lambdas. It goes no deeper where f returns false.
func (e *Expr) Each(f func(*Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	e.X.Each(f)
	for _, a := range e.Args {
		a.Each(f)
	}
}
