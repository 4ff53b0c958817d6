package ruby

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

type reader struct{ *syntax.Parser }

// body reads statements up to a word that ends them.
func (r reader) body() (list []*ir.Stmt) {
	if !r.Deeper() {
		r.Up()
		return nil
	}
	defer r.Up()
	for !r.Done() && !r.At("end", "else", "elsif", "when", "rescue", "ensure", "}", ")", "]") && !(r.At("in") && r.Peek().Line) {
		at := r.I
		if r.Accept(";") || r.Accept("then") {
			continue
		}
		if s := r.modified(r.statement()); s != nil {
			s.End = r.Before()
			list = append(list, s)
		}
		if r.I == at {
			r.Next()
		}
	}
	return list
}

// guarded reads statements with the rescue and ensure that belong to them.
func (r reader) guarded() []*ir.Stmt {
	at := r.Here()
	list := r.body()
	if !r.At("rescue", "ensure", "else") {
		return list
	}
	s := &ir.Stmt{Does: ir.Try, Pos: at, Body: list}
	for r.At("rescue") {
		s.Catches = append(s.Catches, r.rescue())
	}
	if r.Accept("else") {
		s.Body = append(s.Body, r.body()...)
	}
	if r.Accept("ensure") {
		s.Final = r.body()
	}
	s.End = r.Before()
	return []*ir.Stmt{s}
}

func (r reader) rescue() ir.Catch {
	c := ir.Catch{Pos: r.Here()}
	r.Next()
	for !r.Done() && !r.Peek().Line && !r.At("then") {
		if r.Accept("=>") {
			c.Name = r.Next().Text
			continue
		}
		c.Type += r.Next().Text
	}
	r.Accept("then")
	c.Body = r.body()
	return c
}

// modified reads what may follow a statement on its line: if, unless, rescue.
func (r reader) modified(s *ir.Stmt) *ir.Stmt {
	for s != nil && !r.Peek().Line && r.At("if", "unless", "while", "until", "rescue") {
		s.End = r.Before()
		word := r.Next().Text
		x := r.Expr()
		switch word {
		case "rescue":
			handler := &ir.Stmt{Does: ir.Eval, Pos: x.Pos, End: x.End, X: x}
			s = &ir.Stmt{Does: ir.Try, Pos: s.Pos, Body: []*ir.Stmt{s}, Catches: []ir.Catch{{Pos: x.Pos, Body: []*ir.Stmt{handler}}}}
		case "if", "unless":
			s = &ir.Stmt{Does: ir.If, Pos: s.Pos, X: r.condition(word, x), Body: []*ir.Stmt{s}}
		default:
			s = &ir.Stmt{Does: ir.Loop, Pos: s.Pos, X: x, Body: []*ir.Stmt{s}}
		}
	}
	return s
}

func (r reader) condition(word string, x *ir.Expr) *ir.Expr {
	if word == "unless" {
		return r.Make(ir.Expr{Kind: ir.Unary, Name: "!", Pos: x.Pos, X: x})
	}
	return x
}

func (r reader) statement() *ir.Stmt {
	t := r.Peek()
	at := r.Here()
	if read := statements[t.Text]; read != nil && t.Kind == syntax.Ident && !r.PeekAt(1).Is("=") && !r.PeekAt(1).Is(".") {
		r.Next()
		return read(r, at, t.Text)
	}
	return r.simple(at)
}

var statements map[string]func(reader, ir.Pos, string) *ir.Stmt

func init() {
	statements = map[string]func(reader, ir.Pos, string) *ir.Stmt{
		"if": reader.ifStmt, "unless": reader.ifStmt, "while": reader.loop, "until": reader.loop, "for": reader.loop,
		"case": reader.caseStmt, "begin": reader.begin, "return": reader.exit, "raise": reader.exit, "fail": reader.exit,
		"exit": reader.exit, "abort": reader.exit, "next": reader.exit, "break": reader.exit, "redo": reader.exit, "retry": reader.exit,
		"def": reader.def, "class": reader.class, "module": reader.class,
	}
}

var exits = map[string]ir.Does{"return": ir.Return, "next": ir.Leave, "break": ir.Leave, "redo": ir.Leave, "retry": ir.Leave}

func (r reader) exit(at ir.Pos, word string) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Raise, Pos: at}
	if does, ok := exits[word]; ok {
		s.Does = does
	}
	if t := r.Peek(); !t.Line && !r.Done() && !t.In(grammar.Ends) && !r.At("}", ";", ")") {
		s.X = r.Expr()
		for r.Accept(",") {
			r.Expr()
		}
	}
	return s
}

func (r reader) simple(at ir.Pos) *ir.Stmt {
	e := r.Binary(0)
	if r.At(",") && !r.Peek().Line && (e.Kind == ir.Name || e.Kind == ir.Member) {
		return r.several(at, e)
	}
	s := syntax.FromExpr(at, e)
	if s.Does == ir.Let {
		for r.At(",") && !r.Peek().Line {
			r.Next()
			r.Expr()
		}
	}
	return s
}

// several reads a, b = f.
func (r reader) several(at ir.Pos, first *ir.Expr) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Let, Pos: at, To: []*ir.Expr{first}}
	for r.Accept(",") {
		e := r.Binary(0)
		if e.Kind == ir.Assign {
			s.To, s.X = append(s.To, e.X), e.Args[0]
			break
		}
		s.To = append(s.To, e)
	}
	if s.X == nil {
		s.Does, s.X = ir.Eval, first
	}
	return s
}

func (r reader) ifStmt(at ir.Pos, word string) *ir.Stmt {
	s := &ir.Stmt{Does: ir.If, Pos: at, X: r.condition(word, r.Expr())}
	s.Body = r.body()
	switch t := r.Peek(); {
	case r.Accept("elsif"):
		s.Else = []*ir.Stmt{r.ifStmt(ir.Pos(t.Pos), "if")}
		return s
	case r.Accept("else"):
		s.Else = r.body()
	}
	r.Accept("end")
	return s
}

func (r reader) loop(at ir.Pos, word string) *ir.Stmt {
	noBlock := r.NoBlock
	r.NoBlock = true
	s := &ir.Stmt{Does: ir.Loop, Pos: at}
	if word == "for" {
		r.SkipTo("in")
		r.Next()
	}
	s.X = r.Expr()
	r.NoBlock = noBlock
	r.Accept("do")
	s.Body = r.body()
	r.Accept("end")
	return s
}

func (r reader) caseStmt(at ir.Pos, _ string) *ir.Stmt {
	first := &ir.Stmt{Does: ir.If, Pos: at}
	first.X = &ir.Expr{Kind: ir.Bad, Pos: at, End: at}
	if !r.Peek().Line {
		first.X = r.Expr()
	}
	last := first
	for r.At("when", "in") {
		next := &ir.Stmt{Does: ir.If, Pos: r.Here()}
		r.Next()
		next.X = r.Expr()
		for r.Accept(",") {
			r.Expr()
		}
		next.Body = r.body()
		next.End = r.Before()
		last.Else = []*ir.Stmt{next}
		last = next
	}
	if r.Accept("else") {
		last.Else = r.body()
	}
	r.Accept("end")
	return first
}

func (r reader) begin(at ir.Pos, _ string) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Group, Pos: at, Body: r.guarded()}
	r.Accept("end")
	return s
}

func (r reader) def(at ir.Pos, _ string) *ir.Stmt {
	if r.At("self") && r.PeekAt(1).Is(".") {
		r.I += 2
	}
	name := r.Next().Text
	f := r.Open(name, nil)
	f.Pos, f.Short = at, true
	class := r.Class
	switch t := r.Peek(); {
	case t.Is("("):
		f.Params = r.params(")")
	case !t.Line && !t.Is(";") && !t.Is("="):
		f.Params = r.params("")
	}
	if r.Accept("=") {
		x := r.Expr()
		f.Body = []*ir.Stmt{{Does: ir.Return, Pos: x.Pos, End: x.End, X: x}}
	} else {
		f.Body = append(f.Body, r.guarded()...)
		r.Accept("end")
	}
	r.Class = class
	r.Close(f)
	return nil
}

// params reads parameters up to the closing bracket; without one, to the end of the line.
func (r reader) params(end string) (list []ir.Param) {
	if end == ")" {
		r.Next()
	}
	for !r.Done() && !r.At(end) && !(end != ")" && r.Peek().Line) {
		t := r.Next()
		if t.Kind != syntax.Ident {
			continue
		}
		param := ir.Param{Name: strings.TrimSuffix(t.Text, ":")}
		if r.Accept("=") || r.Accept(":") && !r.At(",", end) && !r.Peek().Line {
			param.Value = r.Binary(9)
		}
		list = append(list, param)
	}
	if end != "" {
		r.Accept(end)
	}
	return list
}

// mixed are the modules whose methods a statement of a class takes over: include Turns.
func mixed(s *ir.Stmt) (names []string) {
	if s.Does != ir.Eval || s.X == nil || s.X.Kind != ir.Call || s.X.Receiver() != nil || s.X.Method() != "include" && s.X.Method() != "prepend" {
		return nil
	}
	for _, a := range s.X.Args {
		if path := a.Path(); path != "" {
			names = append(names, path)
		}
	}
	return names
}

func (r reader) class(at ir.Pos, _ string) *ir.Stmt {
	c := &ir.Class{Pos: at}
	if r.Accept("<<") {
		r.Next()
		c = r.Class
	} else {
		c.Name = r.Next().Text
		for r.Accept("::") {
			c.Name = r.Next().Text
		}
		if r.Accept("<") {
			c.Bases = append(c.Bases, r.Expr().Path())
		}
	}
	if c == nil {
		c = &ir.Class{Pos: at}
	}
	end := r.OpenClass(c)
	for _, s := range r.guarded() {
		if len(s.To) == 1 && s.To[0].Kind == ir.Name {
			c.Fields = append(c.Fields, ir.Field{Name: s.To[0].Name, Value: s.X})
		} else {
			c.Bases = append(c.Bases, mixed(s)...)
			r.Func.Body = append(r.Func.Body, s)
		}
	}
	end()
	r.Accept("end")
	return nil
}
