package python

import (
	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

type reader struct{ *syntax.Parser }

// block reads what belongs to a line that began at the column: the rest of that
// line behind the colon, or the lines that are indented further.
func (r reader) block(column int32) (list []*ir.Stmt) {
	if !r.Deeper() {
		r.Up()
		return nil
	}
	defer r.Up()
	r.SkipTo(":")
	r.Accept(":")
	if !r.Peek().Line {
		r.line(&list)
		return list
	}
	for !r.Done() && r.Peek().Line && r.Peek().Column > column {
		at := r.I
		r.line(&list)
		if r.I == at {
			r.Next()
		}
	}
	return list
}

// line reads the statements of a line, with the blocks that belong to it.
func (r reader) line(list *[]*ir.Stmt) {
	for {
		at := r.I
		if s := r.statement(); s != nil {
			s.End = r.Before()
			*list = append(*list, s)
		}
		if r.Done() || r.Peek().Line || r.I == at {
			return
		}
		if !r.Accept(";") {
			r.Next()
		}
	}
}

func (r reader) statement() *ir.Stmt {
	t := r.Peek()
	at, column := r.Here(), t.Column
	if t.Is("async") {
		r.Next()
		t = r.Peek()
	}
	if read := statements[t.Text]; read != nil && t.Kind == syntax.Ident {
		r.Next()
		return read(r, at, column)
	}
	switch {
	case t.Is("@"):
		return r.decorated(column)
	case t.Is("match") && r.opensBlock():
		r.Next()
		return r.match(at, column)
	}
	return r.simple(at)
}

var statements map[string]func(reader, ir.Pos, int32) *ir.Stmt

func init() {
	statements = map[string]func(reader, ir.Pos, int32) *ir.Stmt{
		"if": reader.ifStmt, "while": reader.loop, "for": reader.loop, "try": reader.try, "with": reader.with,
		"return": reader.returnStmt, "raise": reader.raise, "break": reader.leave, "continue": reader.leave,
		"pass": reader.skipLine, "global": reader.skipLine, "nonlocal": reader.skipLine,
		"assert": reader.operand, "del": reader.operand,
		"import": reader.importStmt, "from": reader.fromStmt,
		"def":   func(r reader, at ir.Pos, column int32) *ir.Stmt { r.function(at, column, nil); return nil },
		"class": func(r reader, at ir.Pos, column int32) *ir.Stmt { r.class(at, column, nil); return nil },
	}
}

// opensBlock reports whether this line ends with a colon.
func (r reader) opensBlock() bool {
	for i := 1; i < 60; i++ {
		if t := r.PeekAt(i); t.Line || t.Kind == syntax.EOF {
			return r.PeekAt(i - 1).Is(":")
		}
	}
	return false
}

// value reads an expression, or several with commas in between.
func (r reader) value() *ir.Expr {
	at := r.Here()
	e := r.one()
	if !r.At(",") {
		return e
	}
	parts := []*ir.Expr{e}
	for r.Accept(",") {
		if r.Peek().Line || r.At("=", ":") || r.Done() {
			break
		}
		parts = append(parts, r.one())
	}
	return r.Make(ir.Expr{Kind: ir.List, Pos: at, Args: parts})
}

// one reads an expression, without an assignment.
func (r reader) one() *ir.Expr { return r.Binary(1) }

func (r reader) simple(at ir.Pos) *ir.Stmt {
	e := r.value()
	if r.At(":") && !r.Peek().Line && (e.Kind == ir.Name || e.Kind == ir.Member) {
		r.Next()
		e.Type = r.one().Path()
	}
	s := &ir.Stmt{Does: ir.Eval, Pos: at, X: e}
	for t := r.Peek(); t.Kind == syntax.Op && grammar.Assign[t.Text] && !t.Line; t = r.Peek() {
		r.Next()
		if t.Text != "=" && t.Text != ":=" {
			right := r.value()
			s.X = r.Make(ir.Expr{Kind: ir.Binary, Name: t.Text[:1], Pos: e.Pos, X: e, Args: []*ir.Expr{right}})
		} else {
			s.To, s.X = append(s.To, syntax.Targets(s.X)...), r.value()
		}
		s.Does = ir.Let
	}
	return s
}

func (r reader) ifStmt(at ir.Pos, column int32) *ir.Stmt {
	s := &ir.Stmt{Does: ir.If, Pos: at, X: r.Expr()}
	s.Body = r.block(column)
	switch t := r.Peek(); {
	case t.Is("elif") && t.Line && t.Column == column:
		r.Next()
		next := r.ifStmt(ir.Pos(t.Pos), column)
		next.End = r.Before()
		s.Else = []*ir.Stmt{next}
	default:
		s.Else = r.clause("else", column)
	}
	return s
}

// clause reads the block behind a word at the column, if it stands there.
func (r reader) clause(word string, column int32) []*ir.Stmt {
	if t := r.Peek(); t.Is(word) && t.Line && t.Column == column {
		r.Next()
		return r.block(column)
	}
	return nil
}

func (r reader) loop(at ir.Pos, column int32) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Loop, Pos: at, X: r.value()}
	s.Body = append(r.block(column), r.clause("else", column)...)
	return s
}

func (r reader) match(at ir.Pos, column int32) *ir.Stmt {
	s := &ir.Stmt{Does: ir.If, Pos: at, X: r.value()}
	s.Body = r.block(column)
	return s
}

func (r reader) try(at ir.Pos, column int32) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Try, Pos: at}
	s.Body = r.block(column)
	for t := r.Peek(); t.Is("except") && t.Line && t.Column == column; t = r.Peek() {
		r.Next()
		c := ir.Catch{Pos: ir.Pos(t.Pos)}
		if !r.At(":") {
			from := r.Here()
			r.value()
			c.Type = string(r.File.Source[from:max(from, r.Before())])
		}
		if r.Accept("as") {
			c.Name = r.Next().Text
		}
		c.Body = r.block(column)
		s.Catches = append(s.Catches, c)
	}
	s.Body = append(s.Body, r.clause("else", column)...)
	s.Final = r.clause("finally", column)
	return s
}

func (r reader) with(at ir.Pos, column int32) *ir.Stmt {
	if end := int(r.Peek().Match); r.At("(") && end > 0 && r.Toks[end+1].Is(":") {
		r.Next()
	}
	first := &ir.Stmt{Does: ir.With, Pos: at, X: r.one()}
	last := first
	for {
		if r.Accept("as") {
			last.To = syntax.Targets(r.Operand())
		}
		if !r.Accept(",") || r.At(")") {
			break
		}
		next := &ir.Stmt{Does: ir.With, Pos: r.Here(), X: r.one()}
		last.Body = []*ir.Stmt{next}
		last = next
	}
	r.Accept(")")
	last.Body = r.block(column)
	for s := first; s != last; s = s.Body[0] {
		s.End = r.Before()
	}
	last.End = r.Before()
	return first
}

func (r reader) returnStmt(at ir.Pos, _ int32) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Return, Pos: at}
	if !r.Peek().Line && !r.At(";") && !r.Done() {
		s.X = r.value()
	}
	return s
}

func (r reader) raise(at ir.Pos, column int32) *ir.Stmt {
	s := r.returnStmt(at, column)
	s.Does = ir.Raise
	if r.Accept("from") {
		r.value()
	}
	return s
}

func (r reader) leave(at ir.Pos, _ int32) *ir.Stmt {
	return &ir.Stmt{Does: ir.Leave, Pos: at}
}

// operand reads a word that only does something with a value.
func (r reader) operand(at ir.Pos, _ int32) *ir.Stmt {
	return &ir.Stmt{Does: ir.Eval, Pos: at, X: r.value()}
}

func (r reader) skipLine(ir.Pos, int32) *ir.Stmt {
	for !r.Done() && !r.Peek().Line && !r.At(";") {
		r.Next()
	}
	return nil
}
