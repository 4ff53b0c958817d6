package sql

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

type reader struct{ *syntax.Parser }

// body reads statements up to a word that ends a block, or to the end of a function.
func (r reader) body() (list []*ir.Stmt) {
	if !r.Deeper() {
		r.Up()
		return nil
	}
	defer r.Up()
	for !r.Done() && !r.At("end", "else", "elsif", "elseif", "exception", "when", "$$") {
		at := r.I
		if s := r.statement(); s != nil {
			s.End = r.Before()
			list = append(list, s)
		}
		if r.I == at {
			r.Next()
		}
	}
	return list
}

func (r reader) statement() *ir.Stmt {
	t, next := r.Peek(), r.PeekAt(1)
	at := r.Here()
	switch {
	case t.Is(";") || t.Is("go") || t.Is("delimiter"):
		return r.skip(t)
	case t.Is("create") || t.Is("alter"):
		return r.create(at)
	case t.Is("declare"):
		return r.declare(at)
	case t.Is("begin") && next.Is("try"):
		return r.tryBlock(at)
	case t.Is("begin") && !(next.Is(";") || next.Is("transaction") || next.Is("tran") || next.Is("work") || next.Is("isolation")):
		return r.block(at)
	case t.Is("if") && !next.Is("exists") || t.Is("if") && r.PeekAt(2).Is("("):
		return r.ifStmt(at)
	case t.Is("while") || t.Is("for") || t.Is("loop") || t.Is("foreach"):
		return r.loop(at)
	case t.Is("return"):
		r.Next()
		return &ir.Stmt{Does: ir.Return, Pos: at, X: r.rest()}
	case t.Is("raise") && !next.Is("notice") && !next.Is("info"), t.Is("throw"), t.Is("raiserror"), t.Is("signal"):
		return &ir.Stmt{Does: ir.Raise, Pos: at, X: r.text()}
	case t.Is("leave") || t.Is("exit") || t.Is("continue") || t.Is("iterate"):
		r.rest()
		return &ir.Stmt{Does: ir.Leave, Pos: at}
	case t.Is("do") && next.Is("$$"):
		r.I += 2
		s := &ir.Stmt{Does: ir.Group, Pos: at, Body: r.body()}
		r.Accept("$$")
		return s
	case t.Is("set") && (strings.HasPrefix(next.Text, "@") || r.PeekAt(2).Is("=")) && r.Func.Name != "":
		r.Next()
		return r.assign(at)
	case t.Kind == syntax.Ident && (next.Is(":=") || next.Is("=") && r.Func.Name != ""):
		return r.assign(at)
	}
	return &ir.Stmt{Does: ir.Eval, Pos: at, X: r.text()}
}

func (r reader) skip(t syntax.Token) *ir.Stmt {
	r.Next()
	if t.Is("delimiter") {
		for !r.Done() && !r.Peek().NewLine {
			r.Next()
		}
	}
	return nil
}

// text reads a statement up to its semicolon.
func (r reader) text() *ir.Expr {
	from := r.Here()
	for first := true; !r.Done() && !r.At(";", "$$"); first = false {
		if !first && r.Peek().NewLine && r.At("go", "end", "if", "update", "delete", "insert", "begin", "return", "exec", "commit") && r.startsStatement() {
			break
		}
		r.Skip()
	}
	e := statement(r.Parser, from, r.Before())
	r.Accept(";")
	return e
}

// startsStatement tells a statement without a semicolon before it, as Transact-SQL
// allows, from a clause that begins a line: FOR UPDATE, DO UPDATE, ON DELETE.
func (r reader) startsStatement() bool {
	if r.At("end") {
		return true
	}
	prev := r.PeekAt(-1)
	return !prev.Is("do") && !prev.Is("for") && !prev.Is("on") && !prev.Is("as") && !prev.Is(")") && !prev.Is("key") && !prev.Is("then")
}

func (r reader) rest() *ir.Expr {
	if r.At(";", "$$", "end") || r.Done() {
		r.Accept(";")
		return nil
	}
	e := r.Expr()
	r.SkipTo(";", "$$", "end")
	r.Accept(";")
	return e
}

func (r reader) assign(at ir.Pos) *ir.Stmt {
	t := r.Next()
	to := r.Ident(t)
	r.Next()
	return &ir.Stmt{Does: ir.Let, Pos: at, To: []*ir.Expr{to}, X: r.rest()}
}

func (r reader) declare(at ir.Pos) *ir.Stmt {
	r.Next()
	group := &ir.Stmt{Does: ir.Group, Pos: at}
	for !r.Done() && !r.At("begin", "$$", "end", "select", "update", "insert", "delete", "declare", "exec", "set", "if") {
		t := r.Next()
		for !r.Done() && !r.At(";", ":=", "=", "default", ",", "begin", "select", "exec", "update", "insert") {
			r.Skip()
		}
		if r.Accept(":=") || r.Accept("=") || r.Accept("default") {
			group.Body = append(group.Body, &ir.Stmt{Does: ir.Let, Pos: ir.Pos(t.Pos), To: []*ir.Expr{r.Ident(t)}, X: r.Expr()})
			r.SkipTo(";", ",", "begin", "select", "exec")
		}
		if !r.Accept(";") && !r.Accept(",") {
			break
		}
	}
	return group
}

// create reads a function, a procedure or a trigger; everything else that is
// created is a statement like any other.
func (r reader) create(at ir.Pos) *ir.Stmt {
	i := 1
	for r.PeekAt(i).In(syntax.Set("or", "replace", "alter", "definer", "=", "`", "@", "editionable")) {
		i++
	}
	if !r.PeekAt(i).Is("function") && !r.PeekAt(i).Is("procedure") && !r.PeekAt(i).Is("proc") && !r.PeekAt(i).Is("trigger") {
		return &ir.Stmt{Does: ir.Eval, Pos: at, X: r.text()}
	}
	r.I += i + 1
	name := r.Next().Text
	for r.Accept(".") {
		name = r.Next().Text
	}
	f := r.Open(name, nil)
	f.Pos = at
	if r.At("(") {
		f.Params = r.params()
	}
	for !r.Done() && !r.At("$$", "begin", ";", "declare") {
		if t := r.Peek(); strings.HasPrefix(t.Text, "@") { // Transact-SQL needs no brackets around them
			f.Params = append(f.Params, ir.Param{Name: t.Text, Type: r.PeekAt(1).Text})
		}
		r.Skip()
	}
	quoted := r.Accept("$$")
	f.Body = r.body()
	if r.Accept("end") && !quoted {
		r.SkipTo(";", "$$")
	}
	r.SkipTo(";", "$$")
	r.Accept("$$")
	r.Close(f)
	r.SkipTo(";")
	return nil
}

// params reads the names of parameters: the first word of each, its mode aside.
func (r reader) params() (list []ir.Param) {
	end := int(r.Peek().Match)
	first := true
	for r.Next(); !r.Done() && r.I < end; {
		t := r.Peek()
		if first && t.Kind == syntax.Ident && !r.At("in", "out", "inout", "variadic") {
			list = append(list, ir.Param{Name: t.Text, Type: r.PeekAt(1).Text})
			first = false
		}
		first = first || t.Is(",")
		r.Skip()
	}
	r.Accept(")")
	return list
}

func (r reader) block(at ir.Pos) *ir.Stmt {
	r.Next()
	s := &ir.Stmt{Does: ir.Group, Pos: at, Body: r.body()}
	if r.Accept("exception") {
		s.Does = ir.Try
		for r.Accept("when") {
			c := ir.Catch{Pos: r.Before()}
			r.SkipTo("then")
			c.Type = strings.TrimSpace(string(r.File.Source[c.Pos:r.Before()]))
			r.Accept("then")
			c.Body = r.body()
			s.Catches = append(s.Catches, c)
		}
	}
	r.Accept("end")
	return s
}

// tryBlock reads BEGIN TRY ... END TRY BEGIN CATCH ... END CATCH.
func (r reader) tryBlock(at ir.Pos) *ir.Stmt {
	r.I += 2
	s := &ir.Stmt{Does: ir.Try, Pos: at, Body: r.body()}
	r.Accept("end")
	r.Accept("try")
	r.Accept(";")
	if r.At("begin") && r.PeekAt(1).Is("catch") {
		c := ir.Catch{Pos: r.Here()}
		r.I += 2
		c.Body = r.body()
		s.Catches = append(s.Catches, c)
		r.Accept("end")
		r.Accept("catch")
	}
	return s
}

func (r reader) ifStmt(at ir.Pos) *ir.Stmt {
	r.Next()
	s := &ir.Stmt{Does: ir.If, Pos: at, X: r.Expr()}
	if r.Accept("then") {
		s.Body = r.body()
	} else if one := r.statement(); one != nil {
		s.Body = []*ir.Stmt{one}
	}
	r.Accept(";")
	switch next := r.Here(); {
	case r.At("elsif", "elseif"):
		s.Else = []*ir.Stmt{r.ifStmt(next)}
		return s
	case r.Accept("else"):
		if r.At("begin", "if") {
			s.Else = []*ir.Stmt{r.statement()}
		} else {
			s.Else = r.body()
		}
	}
	if r.At("end") && r.PeekAt(1).Is("if") {
		r.I += 2
	}
	return s
}

func (r reader) loop(at ir.Pos) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Loop, Pos: at}
	if !r.Accept("loop") {
		r.Next()
		for !r.Done() && !r.At("loop", "do", "begin", ";", "$$") {
			i := r.I
			if s.X = r.Expr(); r.I == i {
				r.Skip()
			}
		}
		if r.At("begin") {
			s.Body = []*ir.Stmt{r.block(at)}
			return s
		}
		r.Next()
	}
	s.Body = r.body()
	r.Accept("end")
	if r.At("loop", "while") {
		r.Next()
	}
	return s
}
