package syntax

import "github.com/ringfence-go/ringfence/review/ir"

// Program reads a file of statements in the style of C.
func (p *Parser) Program() *ir.File {
	for !p.Done() {
		p.Func.Body = append(p.Func.Body, p.Statements()...)
		if !p.Done() {
			p.Fault("unexpected " + p.Peek().Text)
			p.Next()
		}
	}
	return p.File
}

// Statements reads up to a closing bracket.
func (p *Parser) Statements() (list []*ir.Stmt) {
	for !p.Done() && !p.At("}", ")", "]") {
		at := p.I
		if s := p.Statement(); s != nil {
			s.End = p.Before()
			list = append(list, s)
		}
		if p.I == at {
			p.Next()
		}
	}
	return list
}

// Block reads a block in braces, or the one statement that stands for it.
func (p *Parser) Block() []*ir.Stmt {
	if p.Accept("{") {
		list := p.Statements()
		p.Accept("}")
		return list
	}
	if p.Accept(";") {
		return nil
	}
	if s := p.Statement(); s != nil {
		s.End = p.Before()
		return []*ir.Stmt{s}
	}
	return nil
}

// Statement reads one statement, nil if it does nothing that a rule could see.
func (p *Parser) Statement() *ir.Stmt {
	if !p.Deeper() {
		p.Up()
		p.Skip()
		return nil
	}
	defer p.Up()
	t := p.Peek()
	if p.G.Statement != nil {
		if s, ok := p.G.Statement(p); ok {
			return s
		}
	}
	if t.Kind == Ident && !p.PeekAt(1).Is(".") && !p.PeekAt(1).Is("=") {
		if read := statements[t.Text]; read != nil {
			return read(p, ir.Pos(t.Pos))
		}
	}
	switch {
	case t.Is("{"):
		return &ir.Stmt{Does: ir.Group, Pos: ir.Pos(t.Pos), Body: p.Block()}
	case t.Is(";"):
		p.Next()
		return nil
	}
	return p.Simple()
}

// statements are read by their first word.
var statements map[string]func(*Parser, ir.Pos) *ir.Stmt

func init() {
	statements = map[string]func(*Parser, ir.Pos) *ir.Stmt{
		"if": (*Parser).ifStmt, "while": (*Parser).loop, "for": (*Parser).loop, "foreach": (*Parser).loop,
		"do": (*Parser).doLoop, "switch": (*Parser).switchStmt, "try": (*Parser).try,
		"return": (*Parser).returnStmt, "throw": (*Parser).throwStmt, "break": (*Parser).leave, "continue": (*Parser).leave,
	}
}

// Simple reads an expression, or an assignment, up to its end.
func (p *Parser) Simple() *ir.Stmt {
	at := p.Here()
	e := p.Expr()
	s := FromExpr(at, e)
	for p.At(",") {
		p.Next()
		p.Expr()
	}
	p.Accept(";")
	return s
}

// FromExpr makes a statement of an expression.
func FromExpr(at ir.Pos, e *ir.Expr) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Eval, Pos: at, End: e.End, X: e}
	if e.Kind == ir.Assign {
		s.Does, s.X, s.To = ir.Let, e.Args[0], Targets(e.X)
		switch e.Name {
		case "+=", "-=", "*=", "/=", ".=", "|=": // made of what it was before
			s.X = &ir.Expr{Kind: ir.Binary, Name: e.Name[:1], Pos: e.Pos, End: e.End, X: e.X, Args: e.Args}
		}
		if s.X.Kind == ir.Assign {
			s.To = append(s.To, Targets(s.X.X)...)
			s.X = s.X.Args[0]
		}
	}
	return s
}

// Targets are what an assignment to e assigns to.
func Targets(e *ir.Expr) []*ir.Expr {
	if e.Kind != ir.List && e.Kind != ir.Map {
		return []*ir.Expr{e}
	}
	var list []*ir.Expr
	for _, a := range e.Args {
		if a.Kind == ir.List || a.Kind == ir.Map {
			list = append(list, Targets(a)...)
		} else {
			list = append(list, a)
		}
	}
	return list
}

func (p *Parser) ifStmt(at ir.Pos) *ir.Stmt {
	p.Next()
	s := &ir.Stmt{Does: ir.If, Pos: at, X: p.condition()}
	s.Body = p.Block()
	switch {
	case p.At("elseif"):
		s.Else = []*ir.Stmt{p.ifStmt(p.Here())}
	case p.Accept("else"):
		s.Else = p.Block()
	}
	s.End = p.Before()
	return s
}

// condition reads what stands in parentheses behind a word.
func (p *Parser) condition() *ir.Expr {
	if !p.At("(") {
		return p.Expr()
	}
	return p.header()
}

// header reads the parts of a parenthesis, however they are separated.
func (p *Parser) header() *ir.Expr {
	at := p.Here()
	end := int(p.Peek().Match)
	p.Next()
	var parts []*ir.Expr
	for !p.Done() && !(p.At(")") && (end == 0 || p.I >= end)) {
		i := p.I
		if e := p.Expr(); e.Kind != ir.Bad {
			parts = append(parts, e)
		}
		if p.I == i {
			if p.At("}", "{") && end == 0 {
				break
			}
			p.Next()
		}
	}
	p.Accept(")")
	if len(parts) == 1 {
		return parts[0]
	}
	return p.Make(ir.Expr{Kind: ir.List, Pos: at, Args: parts})
}

func (p *Parser) loop(at ir.Pos) *ir.Stmt {
	p.Next()
	p.Accept("await")
	return &ir.Stmt{Does: ir.Loop, Pos: at, X: p.condition(), Body: p.Block()}
}

func (p *Parser) doLoop(at ir.Pos) *ir.Stmt {
	p.Next()
	s := &ir.Stmt{Does: ir.Loop, Pos: at, Body: p.Block()}
	if p.Accept("while") {
		s.X = p.condition()
	}
	p.Accept(";")
	return s
}

// switchStmt makes a chain of branches of the cases.
func (p *Parser) switchStmt(at ir.Pos) *ir.Stmt {
	p.Next()
	subject := p.condition()
	first := &ir.Stmt{Does: ir.If, Pos: at, X: subject}
	if !p.Accept("{") {
		return first
	}
	last := first
	for !p.Done() && !p.At("}", ")", "]") {
		i := p.I
		next := p.switchCase(subject)
		last.Else = []*ir.Stmt{next}
		last = next
		if p.I == i {
			p.Next()
		}
	}
	p.Accept("}")
	return first
}

func (p *Parser) switchCase(subject *ir.Expr) *ir.Stmt {
	s := &ir.Stmt{Does: ir.If, Pos: p.Here(), X: subject}
	if p.Accept("case") {
		value := p.Binary(1)
		s.X = p.Make(ir.Expr{Kind: ir.Binary, Name: "==", Pos: s.Pos, X: subject, Args: []*ir.Expr{value}})
	} else {
		p.Accept("default")
	}
	p.SkipTo(":", "->", ";")
	p.Next()
	for !p.Done() && !p.At("case", "default", "}", ")", "]") {
		i := p.I
		if c := p.Statement(); c != nil {
			s.Body = append(s.Body, c)
		}
		if p.I == i {
			p.Next()
		}
	}
	s.End = p.Before()
	return s
}

func (p *Parser) try(at ir.Pos) *ir.Stmt {
	p.Next()
	s := &ir.Stmt{Does: ir.Try, Pos: at}
	var resources []*ir.Stmt
	if p.Accept("(") {
		resources = p.Statements()
		p.Accept(")")
	}
	s.Body = append(resources, p.Block()...)
	for p.At("catch") {
		s.Catches = append(s.Catches, p.catch())
	}
	if p.Accept("finally") {
		s.Final = p.Block()
	}
	s.End = p.Before()
	s.Final = append(closings(resources, s.End), s.Final...)
	return s
}

// closings are the calls by which resources are closed as their block ends.
func closings(resources []*ir.Stmt, end ir.Pos) (list []*ir.Stmt) {
	for _, r := range resources {
		if len(r.To) != 1 || r.To[0].Kind != ir.Name {
			continue
		}
		x := &ir.Expr{Kind: ir.Name, Pos: end, End: end, Name: r.To[0].Name}
		x = &ir.Expr{Kind: ir.Call, Pos: end, End: end, X: &ir.Expr{Kind: ir.Member, Pos: end, End: end, X: x, Name: "close"}}
		list = append(list, &ir.Stmt{Does: ir.Eval, Pos: end, End: end, X: x})
	}
	return list
}

func (p *Parser) catch() ir.Catch {
	c := ir.Catch{Pos: p.Here()}
	p.Next()
	if p.At("(") {
		end := int(p.Peek().Match)
		for p.Next(); p.I < end && !p.Done(); {
			t := p.Next()
			if t.Kind == Ident && t.Text != "final" {
				if c.Name != "" {
					c.Type += c.Name + " "
				}
				c.Name = t.Text
			}
		}
		p.Accept(")")
	}
	c.Body = p.Block()
	return c
}

func (p *Parser) returnStmt(at ir.Pos) *ir.Stmt {
	p.Next()
	s := &ir.Stmt{Does: ir.Return, Pos: at}
	if t := p.Peek(); !t.NewLine && !t.Is(";") && !t.Is("}") && !p.Done() {
		s.X = p.Expr()
		for p.Accept(",") {
			s.X = p.Expr()
		}
	}
	p.Accept(";")
	return s
}

func (p *Parser) throwStmt(at ir.Pos) *ir.Stmt {
	p.Next()
	s := &ir.Stmt{Does: ir.Raise, Pos: at, X: p.Expr()}
	p.Accept(";")
	return s
}

func (p *Parser) leave(at ir.Pos) *ir.Stmt {
	p.Next()
	if t := p.Peek(); (t.Kind == Ident || t.Kind == Number) && !t.NewLine {
		p.Next()
	}
	p.Accept(";")
	return &ir.Stmt{Does: ir.Leave, Pos: at}
}
