package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// Comes reports whether a part of what a value was made of matches.
func (f *Function) Comes(e *ir.Expr, match func(*ir.Expr) bool) bool {
	_, at := f.trace(e, 6, func(_ *Function, x *ir.Expr) bool { return match(x) })
	return at != nil
}

// maxSteps bounds how far a value is followed.
const maxSteps = 400

func (f *Function) trace(e *ir.Expr, depth int, match func(*Function, *ir.Expr) bool) (in *Function, at *ir.Expr) {
	t := &tracer{match: match, steps: maxSteps}
	t.source(f, e, depth, false)
	return t.in, t.at
}

// A tracer follows a value to the first part of it that matches.
type tracer struct {
	match func(*Function, *ir.Expr) bool
	steps int // how much further
	in    *Function
	at    *ir.Expr
	// entered are the helpers that are looked into for one call of them.
	entered map[*Function]bool
	sumIn   *Function // where a time is added to the value, if that is on the way
	sum     *ir.Expr
}

// Expiry finds where an expiry is computed from the clock of the process: where the time
// is added to it, or where the clock is read if none is; nil if it does not come from it.
func (f *Function) Expiry(e *ir.Expr) (in *Function, at *ir.Expr) {
	t := &tracer{match: func(f *Function, x *ir.Expr) bool { return f.isClock(x) }, steps: maxSteps}
	t.source(f, e, 8, false)
	if t.at != nil && t.sum != nil {
		return t.sumIn, t.sum
	}
	return t.in, t.at
}

// IsSum reports whether an expression adds something to a time.
func IsSum(e *ir.Expr) bool { return isSum(e) }

// isSum reports whether an expression adds something to a time.
func isSum(e *ir.Expr) bool {
	return e.Kind == ir.Binary && e.Name == "+" || e.Kind == ir.Call && (strings.HasPrefix(e.Method(), "plus") || strings.EqualFold(e.Method(), "add") || strings.HasPrefix(e.Method(), "add_") || isAdder(e))
}

// isAdder reports whether a call adds a span to a time that it is handed:
// addMinutes(new Date(), 20).
func isAdder(e *ir.Expr) bool {
	list := words(e.Method())
	return e.Receiver() == nil && len(e.Args) == 2 && len(list) == 2 && list[0] == "add" && named[list[1]] > 0
}

// source looks at a value. Of is set if only a part of it is asked for: what a helper
// returns is then made of other things too.
func (t *tracer) source(f *Function, e *ir.Expr, depth int, of bool) {
	if e == nil || depth == 0 {
		return
	}
	e.Each(func(x *ir.Expr) bool {
		if t.steps--; t.at != nil || x.Kind == ir.Lambda || t.steps < 0 {
			return false
		}
		if t.match(f, x) {
			t.in, t.at = f, x
			return false
		}
		if isSum(x) {
			sum, sumIn := t.sum, t.sumIn
			t.sum, t.sumIn = x, f
			t.parts(f, x, depth, of)
			if t.at == nil {
				t.sum, t.sumIn = sum, sumIn
			}
			return false
		}
		switch x.Kind {
		case ir.Call:
			if handsOn(x) {
				return true
			}
			if v, ok := f.accessed(x); ok {
				t.source(v.In, v.Expr, depth-1, of)
				return false
			}
			t.source(f, x.Receiver(), depth, true)
			if !of {
				t.helper(f, x, depth)
			}
			return false
		case ir.Name:
			t.name(f, x, depth, of)
			return false
		case ir.Member:
			if v := f.resolve(x); v.Expr != nil && v.Expr != x {
				t.source(v.In, v.Expr, depth-1, of)
			}
			t.source(f, x.X, depth, true)
			return false
		case ir.Index:
			t.source(f, x.X, depth, true)
			return false
		case ir.Map:
			return !of // one of its elements is asked for, and not known which
		}
		return true
	})
}

// parts looks at what a sum is made of.
func (t *tracer) parts(f *Function, x *ir.Expr, depth int, of bool) {
	if x.Kind == ir.Call {
		t.source(f, x.Receiver(), depth, true)
	} else {
		t.source(f, x.X, depth, of)
	}
	for _, a := range x.Args {
		if t.at == nil && (x.Kind == ir.Binary || handsOn(x) || isAdder(x)) {
			t.source(f, a, depth, of)
		}
	}
}

func (t *tracer) name(f *Function, x *ir.Expr, depth int, of bool) {
	if v := f.resolve(x); v.Expr != nil && v.Expr != x {
		t.source(v.In, v.Expr, depth-1, of)
		return
	}
	if d, ok := f.lookup(x.Name, x.Pos); ok && d.index >= 0 && d.x != nil && t.match(d.in, d.x) {
		t.in, t.at = d.in, d.x
		return
	}
	if i := f.paramIndex(x.Name); i >= 0 && len(f.calledBy) <= most && !t.entered[f] {
		for _, c := range f.calledBy {
			t.source(c.site.In, c.argument(i, x.Name), depth-1, of)
		}
	}
}

// most is how many statements a helper has that only makes a value.
const most = 4

// helper looks at what a small function of the unit returns, and at what it is handed
// if it returns that in another form.
func (t *tracer) helper(f *Function, e *ir.Expr, depth int) {
	g := f.Unit.callee(f, e)
	if g == nil || g == f || len(g.Body) > most || t.entered[g] {
		return
	}
	if t.entered == nil {
		t.entered = map[*Function]bool{}
	}
	t.entered[g] = true
	defer delete(t.entered, g)
	handsOn := false
	g.eachStmt(func(s *ir.Stmt) {
		last := g.Short && s.Does == ir.Eval && s == g.Body[len(g.Body)-1]
		if s.Does != ir.Return && !last || s.X == nil || t.at != nil {
			return
		}
		if s.X.Kind != ir.Map && s.X.Kind != ir.List {
			t.source(g, s.X, depth-1, false)
		}
		s.X.Each(func(x *ir.Expr) bool {
			handsOn = handsOn || x.Kind == ir.Name && g.paramIndex(x.Name) >= 0
			return !handsOn
		})
	})
	if handsOn && len(g.Sites) < most {
		for _, a := range e.Args {
			t.source(f, a, depth-1, false)
		}
	}
}

var handOn = wordSet("int str float long Number BigInt parseInt String strval intval valueOf toString format Sprintf hex floor round ceil trunc abs max min FormatInt Itoa EncodeToString encode b64encode dumps json_encode stringify bytes gmdate strtotime isoformat")

// handsOn reports whether a call returns what its arguments are, in another form.
func handsOn(e *ir.Expr) bool {
	name := e.Method()
	if handOn[name] || isUpper(name) && e.Receiver() == nil || isUpper(lastWord(e.X.Path())) && e.Receiver() != nil && isUpper(firstWord(e.X.Path())) {
		return true
	}
	first := words(name)
	return len(first) > 0 && (first[0] == "from" || first[0] == "to" || first[0] == "of" || first[0] == "new" || first[0] == "parse" || first[0] == "strftime")
}
