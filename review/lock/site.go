package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// Use is what becomes of the value of a call.
type Use uint8

// What may become of a value.
const (
	Dropped  Use = iota // nothing
	Assigned            // it is given to names
	Tested              // it decides a branch
	Returned            // it is handed to the caller
	Passed              // it is an argument, or part of something else
)

// Branch is a part of a statement.
type Branch uint8

// The parts of a statement that something can stand in.
const (
	InHead     Branch = iota // the condition, the value
	InBody                   // the body
	InElse                   // the other branch
	InCatch                  // a handler
	InFinal                  // what is done in the end
	InLambda                 // a function that is written there
	InDeferred               // a call that is made when the function ends
)

// A Step leads from a function to a place in it.
type Step struct {
	Stmt   *ir.Stmt
	Branch Branch
	Index  int      // which handler
	Lambda *ir.Expr // which function
}

// A Site is a call, and where it stands.
type Site struct {
	Call    *ir.Expr
	In      *Function
	Path    []Step
	Use     Use
	Names   []string // what the value is given to
	Swallow bool     // an error of it is caught and dropped on the spot
	Noted   bool     // but somebody is told
	Ops     []*Op
}

// Stmt is the innermost statement around a site.
func (s *Site) Stmt() *ir.Stmt { return s.Path[len(s.Path)-1].Stmt }

// Pos is where a site is pointed at.
func (s *Site) Pos() ir.Pos { return s.Call.Spot() }

// Cleanup reports whether a site runs at the end whatever happens.
func (s *Site) Cleanup() bool {
	for _, st := range s.Path {
		if st.Branch == InFinal || st.Branch == InDeferred {
			return true
		}
	}
	return leaving[s.In.Name]
}

var leaving = wordSet("__exit__ __aexit__ __destruct __del__ close Close dispose")

// Loop reports whether a site is repeated.
func (s *Site) Loop() bool {
	for _, st := range s.Path {
		if st.Stmt.Does == ir.Loop && st.Branch != InElse {
			return true
		}
	}
	return false
}

// transparent are methods that hand on what the call before them returned.
var transparent = wordSet("Result Err Val Bool Int Int64 Text Uint64 Scan catch finally then scalar scalar_one fetchone fetchall one first rows get getOrDefault join block unwrap freeze toString decode booleanValue longValue intValue orElse orElseGet isPresent present? to_i to_s positive? zero? nil? rowcount all fetchColumn equals RowsAffected LastInsertId scalars mappings strip result value await expect ToString AsInt64 AsBool AsBytes ToInt64 ToBool ToMessage toCompletableFuture ok_or Error hex awaitSingle")

// walk collects the sites and definitions of a function.
type walk struct {
	f     *Function
	path  []Step
	last  Use      // what becomes of the value of the last statement
	names []string // what that is given to
	depth int
}

func (w *walk) stmts(list []*ir.Stmt, short bool) {
	for i, s := range list {
		w.stmt(s, short && i == len(list)-1)
	}
}

// stmt walks a statement; last is set for one whose value is returned.
func (w *walk) stmt(s *ir.Stmt, last bool) {
	if w.depth++; w.depth > 400 {
		w.depth--
		return
	}
	defer func() { w.depth-- }()
	w.head(s, last)
	w.branch(Step{Stmt: s, Branch: InBody}, s.Body, last)
	w.branch(Step{Stmt: s, Branch: InElse}, s.Else, last)
	for i, c := range s.Catches {
		w.branch(Step{Stmt: s, Branch: InCatch, Index: i}, c.Body, last)
	}
	w.branch(Step{Stmt: s, Branch: InFinal}, s.Final, false)
}

func (w *walk) branch(step Step, list []*ir.Stmt, last bool) {
	if len(list) == 0 {
		return
	}
	w.path = append(w.path, step)
	w.stmts(list, last)
	w.path = w.path[:len(w.path)-1]
}

func (w *walk) head(s *ir.Stmt, last bool) {
	step := Step{Stmt: s, Branch: InHead}
	use, names := Passed, []string(nil)
	switch s.Does {
	case ir.Eval, ir.Defer, ir.Spawn:
		use = Dropped
		if s.Does == ir.Eval && s.X.Kind == ir.Name && s.X.Type != "" { // pool: asyncpg.Pool
			w.f.defs[s.X.Name] = append(w.f.defs[s.X.Name], def{at: s.Pos, index: -1, typ: s.X.Type, in: w.f})
		}
		if last {
			use, names = w.last, w.names
		}
		if s.Does == ir.Defer {
			step.Branch = InDeferred
		}
	case ir.Let:
		use = Assigned
		w.f.define(s)
		for _, to := range s.To {
			names = append(names, nameOf(to))
		}
	case ir.If, ir.Loop:
		use = Tested
	case ir.Return, ir.Raise:
		use = Returned
	}
	w.path = append(w.path, step)
	w.expr(s.X, use, names)
	for _, to := range s.To {
		w.expr(to, Passed, nil)
	}
	if s.Does == ir.With && len(s.To) == 1 {
		w.f.define(&ir.Stmt{Does: ir.Let, Pos: s.Pos, X: s.X, To: s.To})
	}
	if s.Does == ir.Loop {
		w.f.defineElements(s)
	}
	w.path = w.path[:len(w.path)-1]
}

func nameOf(e *ir.Expr) string {
	if e.Kind == ir.Member || e.Kind == ir.Name {
		return e.Path()
	}
	return ""
}

func (w *walk) expr(e *ir.Expr, use Use, names []string) {
	if e == nil {
		return
	}
	if w.depth++; w.depth > 400 {
		w.depth--
		return
	}
	defer func() { w.depth-- }()
	switch e.Kind {
	case ir.Call, ir.New:
		w.call(e, use, names)
	case ir.Lambda:
		w.lambda(e)
	case ir.Assign:
		w.f.define(&ir.Stmt{Does: ir.Let, Pos: e.Pos, X: e.Args[0], To: []*ir.Expr{e.X}})
		w.expr(e.Args[0], use, []string{nameOf(e.X)})
	case ir.Cond:
		w.expr(e.X, Tested, nil)
		w.expr(e.Args[0], use, names)
		w.expr(e.Args[1], use, names)
	case ir.Name:
		if w.f.callsBare(e) {
			w.call(&ir.Expr{Kind: ir.Call, Pos: e.Pos, End: e.End, X: e}, use, names)
		}
	case ir.Member:
		if w.f.File.Language == ir.Ruby && !isUpper(e.Name) && !(e.X.Kind == ir.Name && e.X.Name == "this") {
			w.call(&ir.Expr{Kind: ir.Call, Pos: e.Pos, End: e.End, X: e}, use, names) // a call without arguments
			return
		}
		w.expr(e.X, use, names)
	case ir.Await, ir.Unary, ir.Binary, ir.List, ir.Index:
		if e.Kind == ir.Index && !picks(e) || e.Kind == ir.List && use == Dropped {
			use = max(use, Passed)
		}
		w.expr(e.X, use, names)
		for _, a := range e.Args {
			w.expr(a, use, names)
		}
	default:
		w.f.defineFields(e)
		w.expr(e.X, Passed, nil)
		for _, a := range e.Args {
			w.expr(a, Passed, nil)
		}
	}
}

// callsBare reports whether a name alone calls a method, as Ruby has it: one that stands
// in the unit, where the name is given no value.
func (f *Function) callsBare(e *ir.Expr) bool {
	if f.File.Language != ir.Ruby || len(f.Unit.byName[e.Name]) == 0 || f.defs[e.Name] != nil {
		return false
	}
	_, param := f.param(e.Name)
	return !param
}

// picks reports whether an index picks the answer out of what a call returned:
// cursor.fetchone()[0].
func picks(e *ir.Expr) bool {
	if e.X.Kind != ir.Call || !fetches[e.X.Method()] || len(e.Args) != 1 {
		return false
	}
	return e.Args[0].Kind == ir.Number || e.Args[0].Kind == ir.String
}

func (w *walk) call(e *ir.Expr, use Use, names []string) {
	s := &Site{Call: e, In: w.f, Path: append([]Step(nil), w.path...), Use: use, Names: names}
	inner := Passed
	if transparent[e.Method()] || asksText(e) {
		inner = use
		for _, a := range e.Args {
			if a.Kind == ir.Unary && a.Name == "&" {
				names = append(names[:len(names):len(names)], nameOf(a.X))
			}
		}
		if inner == Dropped && e.Method() == "then" {
			inner = Passed
		}
	}
	if then := continuation(e); then != nil {
		inner, names = continued(then)
		if len(names) > 0 && strings.HasPrefix(e.Method(), "then") {
			w.f.defs[names[0]] = append(w.f.defs[names[0]], def{at: then.Pos, x: e.Receiver(), index: -1, in: w.f})
		}
	}
	if use == Dropped && e.Kind == ir.Call {
		s.answered(e)
	}
	from := len(w.f.Sites)
	if r := e.Receiver(); r != nil && r.Kind == ir.Call {
		w.f.Unit.above[r] = e
	}
	switch e.X.Kind {
	case ir.Name: // what is called is no call itself
	case ir.Member:
		w.expr(e.X.X, inner, names)
	default:
		w.expr(e.X, inner, names)
	}
	if e.Method() == "catch" {
		handler := e.Arg(0)
		if handler != nil && handler.Kind == ir.Name {
			handler = w.f.constant(handler)
		}
		if swallows(handler) {
			for _, receiver := range w.f.Sites[from:] {
				receiver.Swallow, receiver.Noted = true, w.f.notes(handler)
			}
		}
	}
	w.f.Sites = append(w.f.Sites, s)
	for i, a := range e.Args {
		if a.Kind == ir.Call && w.f.File.Language == ir.Go {
			w.f.Unit.around[a] = e
		}
		if a.Kind == ir.Lambda && len(a.Func.Params) > 0 && iterators[e.Method()] {
			w.f.defineElement(&ir.Expr{Kind: ir.Name, Pos: a.Pos, End: a.Pos, Name: a.Func.Params[0].Name}, e.Receiver())
		}
		if e.Block && i == len(e.Args)-1 && a.Kind == ir.Lambda {
			w.block(a, use, names)
			continue
		}
		if wrappers[e.Method()] || senders[e.Method()] && isBuilt(a) {
			w.expr(a, use, names)
			continue
		}
		w.expr(a, Passed, nil)
	}
}

// Methods that make a statement of a text, and those that send one and return its answer.
var (
	textMakers = wordSet("NewRaw Raw createNativeQuery createQuery createSQLQuery raw sql rawQuery nativeQuery")
	textAsks   = wordSet("Exec execute getSingleResult getSingleResultOrNull getResultList executeUpdate uniqueResult single optional list query update run Row Pluck")
)

// asksText reports whether a call sends a statement that a call before it made of a text, and
// returns its answer: db.NewRaw("SELECT ...", id).Exec(ctx).
func asksText(e *ir.Expr) bool {
	if e.Kind != ir.Call || !textAsks[e.Method()] && !hasWord(e.Method(), bindVerbs) {
		return false
	}
	x := e.Receiver()
	for x != nil && x.Kind == ir.Call && !textMakers[x.Method()] {
		x = x.Receiver()
	}
	return x != nil && x.Kind == ir.Call && x.Arg(0) != nil
}

// continuations are methods that hand what the call before them returned to their
// argument.
var continuations = wordSet("then thenCompose thenApply thenAccept thenComposeAsync thenApplyAsync thenAcceptAsync flatMap map filter subscribe doOnNext mergeMap switchMap concatMap")

// continuation is the function that a call hands the value of its receiver to, nil if
// there is none in sight.
func continuation(e *ir.Expr) *ir.Expr {
	if e.Kind != ir.Call || !continuations[e.Method()] || e.Receiver() == nil || e.Receiver().Kind != ir.Call {
		return nil
	}
	if a := e.Arg(0); a != nil && a.Kind == ir.Lambda {
		return a
	}
	return nil
}

// continued is what becomes of a value that is handed to a function.
func continued(then *ir.Expr) (Use, []string) {
	if len(then.Func.Params) == 0 {
		return Dropped, nil
	}
	return Assigned, []string{then.Func.Params[0].Name}
}

// answered takes the answer of a call from the function that it calls back: get(key,
// function (err, answer) { ... }).
func (s *Site) answered(e *ir.Expr) {
	if len(e.Args) == 0 || s.In.File.Language != ir.JavaScript {
		return
	}
	last := e.Args[len(e.Args)-1]
	if last.Kind != ir.Lambda || len(last.Func.Params) < 2 || !errorNames[last.Func.Params[0].Name] {
		return
	}
	answer := last.Func.Params[1].Name
	s.Use, s.Names = Assigned, []string{answer}
	s.In.defs[answer] = append(s.In.defs[answer], def{at: last.Pos, x: e, index: 0, in: s.In, back: true})
}

var errorNames = wordSet("err error e er ex _ _err")

// wrappers are functions whose value is that of their argument.
var wrappers = wordSet("bool assert equals Boolean Bool int Int String strval intval boolval String.valueOf isTrue isTRUE toBoolean Long Int64 toint64 tonumber not_nil Must shield wait_for ensure_future")

// constant is the function that a name of the file is given, nil if it is none: const noop =
// () => {}.
func (f *Function) constant(name *ir.Expr) *ir.Expr {
	for _, s := range f.File.Top().Body {
		if s.Does == ir.Let && len(s.To) == 1 && s.To[0].Kind == ir.Name && s.To[0].Name == name.Name && s.X != nil && s.X.Kind == ir.Lambda {
			return s.X
		}
	}
	return nil
}

func swallows(handler *ir.Expr) bool {
	if handler == nil || handler.Kind != ir.Lambda {
		return false
	}
	leaves := false
	ir.EachStmt(handler.Func.Body, func(s *ir.Stmt) { leaves = leaves || s.Does == ir.Raise })
	return !leaves
}

// notes reports whether a handler of an error tells somebody that there was one.
func (f *Function) notes(handler *ir.Expr) (found bool) {
	ir.EachExpr(handler.Func.Body, func(e *ir.Expr) bool {
		found = found || e.Kind == ir.Call && f.isLogging(e)
		return !found
	})
	return found
}

// block walks a block whose last value becomes that of the call it is attached to.
func (w *walk) block(e *ir.Expr, use Use, names []string) {
	w.path = append(w.path, Step{Stmt: w.path[len(w.path)-1].Stmt, Branch: InLambda, Lambda: e})
	outer, outerNames := w.last, w.names
	w.last, w.names = use, names
	w.stmts(e.Func.Body, e.Func.Short && use != Dropped)
	w.last, w.names = outer, outerNames
	w.path = w.path[:len(w.path)-1]
}

func (w *walk) lambda(e *ir.Expr) {
	if e.Func.Name != "" {
		return
	}
	w.path = append(w.path, Step{Stmt: w.path[len(w.path)-1].Stmt, Branch: InLambda, Lambda: e})
	outer, outerNames := w.last, w.names
	w.last, w.names = Returned, nil
	w.stmts(e.Func.Body, e.Func.Short)
	w.last, w.names = outer, outerNames
	w.path = w.path[:len(w.path)-1]
}
