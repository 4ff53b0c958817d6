package syntax

import (
	"github.com/ringfence-go/ringfence/review/ir"
)

// Expr reads an expression, assignments included.
func (p *Parser) Expr() *ir.Expr { return p.Binary(0) }

// Binary reads an expression whose operators bind tighter than min.
func (p *Parser) Binary(min int) *ir.Expr {
	if !p.Deeper() {
		p.Up()
		p.Skip()
		return &ir.Expr{Kind: ir.Bad, Pos: p.Here(), End: p.Here()}
	}
	defer p.Up()
	left := p.Operand()
	for {
		next, more := p.infix(left, min)
		if !more {
			return left
		}
		left = next
	}
}

func (p *Parser) infix(left *ir.Expr, min int) (*ir.Expr, bool) {
	t := p.Peek()
	if t.Line && p.G.Lines {
		return left, false
	}
	if p.G.Infix != nil {
		if e, ok := p.G.Infix(p, left, min); ok {
			return e, true
		}
	}
	if t.In(p.G.Ends) {
		return left, false
	}
	switch {
	case t.Kind == Op && p.G.Assign[t.Text] && min == 0:
		p.Next()
		right := p.Binary(0)
		return p.Make(ir.Expr{Kind: ir.Assign, Pos: left.Pos, Name: t.Text, X: left, Args: []*ir.Expr{right}}), true
	case t.Is("?") && p.G.Ternary && min <= 1:
		return p.ternary(left), true
	}
	if level := p.G.Binary[t.Text]; (t.Kind == Op || t.Kind == Ident) && level > min {
		p.Next()
		right := p.Binary(level)
		return p.Make(ir.Expr{Kind: ir.Binary, Pos: left.Pos, Name: t.Text, X: left, Args: []*ir.Expr{right}}), true
	}
	return left, false
}

func (p *Parser) ternary(cond *ir.Expr) *ir.Expr {
	p.Next()
	yes := cond
	if !p.At(":") {
		yes = p.Binary(0)
	}
	no := &ir.Expr{Kind: ir.Bad, Pos: p.Here(), End: p.Here()}
	if p.Accept(":") {
		no = p.Binary(0)
	}
	return p.Make(ir.Expr{Kind: ir.Cond, Pos: cond.Pos, X: cond, Args: []*ir.Expr{yes, no}})
}

// Operand reads a value with everything that follows it closely.
func (p *Parser) Operand() *ir.Expr {
	t := p.Peek()
	if t.In(p.G.Unary) {
		p.Next()
		if !p.Deeper() {
			p.Up()
			return &ir.Expr{Kind: ir.Bad, Pos: ir.Pos(t.Pos), End: ir.Pos(t.End)}
		}
		defer p.Up()
		return p.unary(t)
	}
	return p.Postfix(p.Primary())
}

// unaryLevel says how much a word in front takes with it; a sign takes one operand.
func (p *Parser) unary(t Token) *ir.Expr {
	var x *ir.Expr
	switch {
	case t.Is("not"):
		x = p.Binary(p.G.Binary["=="] - 1)
	default:
		x = p.Operand()
	}
	if t.Is("await") {
		return p.Make(ir.Expr{Kind: ir.Await, Pos: ir.Pos(t.Pos), X: x})
	}
	return p.Make(ir.Expr{Kind: ir.Unary, Name: t.Text, Pos: ir.Pos(t.Pos), X: x})
}

// Primary reads a name, a literal, or something in brackets.
func (p *Parser) Primary() *ir.Expr {
	if p.G.Primary != nil {
		if e := p.G.Primary(p); e != nil {
			return e
		}
	}
	t := p.Peek()
	switch {
	case t.Kind == Text:
		return p.Text()
	case t.Kind == Number:
		p.Next()
		return p.Make(ir.Expr{Kind: ir.Number, Pos: ir.Pos(t.Pos), Name: t.Text})
	case t.Kind == Pattern:
		p.Next()
		return p.Make(ir.Expr{Kind: ir.Bad, Pos: ir.Pos(t.Pos)})
	case t.Kind == Ident:
		p.Next()
		return p.Ident(t)
	case t.Is("("):
		return p.Paren()
	case t.Is("["):
		return p.List()
	case t.Is("{"):
		return p.Map("}")
	}
	return p.bad()
}

// bad stands for what can't be read. It takes a token, except for one that ends
// something further out.
func (p *Parser) bad() *ir.Expr {
	t := p.Peek()
	if !p.At(")", "]", "}", ";", ",") && !t.In(p.G.Ends) && !(t.Line && p.G.Lines) {
		p.Next()
	}
	return p.Make(ir.Expr{Kind: ir.Bad, Pos: ir.Pos(t.Pos)})
}

// Ident makes a name, or a constant, of a word.
func (p *Parser) Ident(t Token) *ir.Expr {
	e := ir.Expr{Kind: ir.Name, Pos: ir.Pos(t.Pos), Name: t.Text}
	if c, ok := p.G.Consts[t.Text]; ok {
		e.Kind, e.Name = ir.Const, c
	} else if t.Text == p.G.This {
		e.Name = "this"
	}
	return p.Make(e)
}

// Text reads a string, and the strings that follow it directly.
func (p *Parser) Text() *ir.Expr {
	t := p.Next()
	e := ir.Expr{Kind: ir.String, Pos: ir.Pos(t.Pos), Name: t.Text}
	for _, h := range t.Holes {
		e.Args = append(e.Args, p.Sub(h))
	}
	for p.Peek().Kind == Text && !(p.Peek().Line && p.G.Lines) {
		t = p.Next()
		e.Name += t.Text
		for _, h := range t.Holes {
			e.Args = append(e.Args, p.Sub(h))
		}
	}
	return p.Make(e)
}

// Paren reads what stands in parentheses: one expression, or a list.
func (p *Parser) Paren() *ir.Expr {
	at := p.Here()
	p.Next()
	name, assigns := p.Peek(), p.Peek().Kind == Ident && p.PeekAt(1).Is("=")
	args, keys := p.Elements(")")
	if len(args) == 1 && len(keys) == 0 {
		return args[0]
	}
	if len(args) == 1 && assigns { // ($row = next($in)), no argument with a name
		return p.Make(ir.Expr{Kind: ir.Assign, Pos: at, Name: "=", X: p.Ident(name), Args: args})
	}
	return p.Make(ir.Expr{Kind: ir.List, Pos: at, Args: args})
}

// List reads what stands in square brackets.
func (p *Parser) List() *ir.Expr {
	at := p.Here()
	p.Next()
	args, keys := p.Elements("]")
	kind := ir.List
	if keys != nil {
		kind = ir.Map
	}
	return p.Make(ir.Expr{Kind: kind, Pos: at, Args: args, Keys: keys})
}

// Map reads what stands in braces.
func (p *Parser) Map(end string) *ir.Expr {
	at := p.Here()
	p.Next()
	args, keys := p.Elements(end)
	return p.Make(ir.Expr{Kind: ir.Map, Pos: at, Args: args, Keys: keys})
}

// Elements reads up to the closing bracket: arguments, elements, pairs of a key
// and a value. The keys are nil if no element has one.
func (p *Parser) Elements(end string) (args []*ir.Expr, keys []string) {
	noBlock := p.NoBlock
	p.NoBlock = false
	defer func() { p.NoBlock = noBlock }()
	for !p.Done() && !p.At(end) && !p.restarts() {
		at := p.I
		key, e := p.Argument()
		if key != "" && keys == nil {
			keys = make([]string, len(args))
		}
		if args = append(args, e); keys != nil {
			keys = append(keys, key)
		}
		p.betweenElements(&args, &keys, end)
		if p.I == at {
			if p.At(")", "]", "}") {
				break
			}
			p.Next()
		}
	}
	if !p.Accept(end) && p.At(")", "]", "}") && p.Peek().Match == 0 {
		p.Next()
	}
	return args, keys
}

// restarts reports whether a statement begins here though a bracket is open.
func (p *Parser) restarts() bool { return p.Peek().Line && p.G.Spec.Restart != nil }

var betweens = Set(",", ";")

// betweenElements steps to the next element. A comprehension's clauses count as
// elements, so that the calls in them are seen.
func (p *Parser) betweenElements(args *[]*ir.Expr, keys *[]string, end string) {
	for !p.Done() && !p.At(end) {
		if p.Peek().In(betweens) {
			p.Next()
			return
		}
		if !p.At("for", "if", "async", "in") {
			return
		}
		p.Next()
		if p.At(end, ",") {
			continue
		}
		if *args = append(*args, p.Binary(0)); *keys != nil {
			*keys = append(*keys, "")
		}
	}
}

var spreads = Set("...", "*", "**", "&")

// Argument reads one argument or element, with its key if it has one.
func (p *Parser) Argument() (key string, e *ir.Expr) {
	for p.Peek().Kind == Op && p.Peek().In(spreads) {
		p.Next()
	}
	if t := p.Peek(); (t.Kind == Ident || t.Kind == Text || t.Kind == Number) && p.PeekAt(1).Is(":") && !p.PeekAt(2).Is(":") && !(t.Text == "lambda" && p.File.Language == ir.Python) {
		p.I += 2
		if p.At(",", ")", "}") {
			return t.Text, p.Ident(t)
		}
		return t.Text, p.Expr()
	}
	e = p.Expr()
	switch {
	case e.Kind == ir.Assign && e.Name == "=" && e.X.Kind == ir.Name:
		return e.X.Name, e.Args[0]
	case p.At("=>") || p.At(":") && e.Kind != ir.Bad:
		p.Next()
		value := p.Expr()
		if hasCall(e) {
			value = p.Make(ir.Expr{Kind: ir.List, Pos: e.Pos, Args: []*ir.Expr{value, e}})
		}
		return keyText(e), value
	}
	return "", e
}

// hasCall reports whether a key calls something, which must not get lost.
func hasCall(e *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		found = found || x.Kind == ir.Call
		return !found
	})
	return found
}

// keyText is how a key is compared: its text, or its name.
func keyText(e *ir.Expr) string {
	switch e.Kind {
	case ir.String, ir.Number, ir.Const:
		return e.Name
	case ir.List:
		if len(e.Args) == 1 {
			return keyText(e.Args[0])
		}
	}
	if path := e.Path(); path != "" {
		return path
	}
	return "?"
}

// Postfix reads members, calls and indexes.
func (p *Parser) Postfix(e *ir.Expr) *ir.Expr {
	for {
		next, more := p.postfix(e)
		if !more {
			return e
		}
		e = next
	}
}

func (p *Parser) postfix(e *ir.Expr) (*ir.Expr, bool) {
	t := p.Peek()
	ends := t.Line && p.G.Lines
	if p.G.Postfix != nil && !ends {
		if next, ok := p.G.Postfix(p, e); ok {
			return next, true
		}
	}
	switch {
	case t.Kind == Op && p.G.Members[t.Text] && !(ends && t.Is("::")):
		return p.member(e)
	case ends:
		return e, false
	case t.Is("("):
		return p.Call(e), true
	case t.Is("["):
		p.Next()
		args, _ := p.Elements("]")
		return p.Make(ir.Expr{Kind: ir.Index, Pos: e.Pos, X: e, Args: args}), true
	case t.Is("++") || t.Is("--"):
		p.Next()
		return p.Make(ir.Expr{Kind: ir.Unary, Name: t.Text, Pos: e.Pos, X: e}), true
	}
	return e, false
}

// member reads the name behind a dot, or the call or index behind a question mark
// and a dot.
func (p *Parser) member(e *ir.Expr) (*ir.Expr, bool) {
	op := p.Next()
	switch t := p.Peek(); {
	case t.Kind == Ident:
		p.Next()
		return p.Make(ir.Expr{Kind: ir.Member, Pos: ir.Pos(e.Pos), X: e, Name: t.Text}), true
	case op.Is("?.") && (t.Is("(") || t.Is("[")):
		return e, true
	case t.Is("(") && (op.Is(".") || op.Is("&.")):
		return e, true
	case t.Is("{"):
		p.Skip()
		return e, true
	}
	return e, false
}

// Call reads the arguments of a call of f.
func (p *Parser) Call(f *ir.Expr) *ir.Expr {
	p.Next()
	args, keys := p.Elements(")")
	return p.Make(ir.Expr{Kind: ir.Call, Pos: f.Pos, X: f, Args: args, Keys: keys})
}
