// Package shell reads shell scripts with mvdan.cc/sh.
package shell

import (
	"bytes"
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ringfence-go/ringfence/review/ir"
)

// Parse reads a script. What follows a syntax error is not seen.
func Parse(path string, src []byte) *ir.File {
	return parse(path, src, map[string][]*syntax.Word{})
}

// parse reads a script that knows some commands by the names of words.
func parse(path string, src []byte, words map[string][]*syntax.Word) *ir.File {
	f := &ir.File{Path: path, Language: ir.Shell, Source: src}
	top := &ir.Func{File: f, End: ir.Pos(len(src))}
	f.Funcs = []*ir.Func{top}
	l := &lowering{file: f, fn: top, src: src, words: words}
	p := syntax.NewParser(syntax.KeepComments(true), syntax.Variant(syntax.LangBash))
	text, cut := shallow(src)
	if cut {
		l.tooDeep(ir.Pos(len(text)))
	}
	for stmt, err := range p.StmtsSeq(bytes.NewReader(text)) {
		if err != nil && cut {
			break // at the latest where the text ends
		}
		if err != nil {
			f.Faults = append(f.Faults, fault(err))
			break
		}
		l.comments(stmt.Comments)
		top.Body = append(top.Body, l.stmt(stmt)...)
	}
	l.lineComments()
	return f
}

func fault(err error) ir.Fault {
	var parse syntax.ParseError
	if errors.As(err, &parse) {
		return ir.Fault{Pos: ir.Pos(parse.Pos.Offset()), Text: parse.Text}
	}
	return ir.Fault{Text: err.Error()}
}

type lowering struct {
	file  *ir.File
	fn    *ir.Func
	src   []byte
	words map[string][]*syntax.Word // variables that hold a command
	depth int
}

func (l *lowering) comments([]syntax.Comment) {}

// lineComments collects the lines that are comments; the parser hands most of them
// to the statement that follows, and the rest to nobody.
func (l *lowering) lineComments() {
	at := 0
	for line := range strings.Lines(string(l.src)) {
		if i := strings.IndexByte(line, '#'); i >= 0 && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			l.file.Comments = append(l.file.Comments, ir.Comment{Pos: ir.Pos(at + i), End: ir.Pos(at + len(line)), Text: strings.TrimRight(line[i+1:], "\r\n")})
		}
		at += len(line)
	}
}

func at(p syntax.Pos) ir.Pos { return ir.Pos(p.Offset()) }

func (l *lowering) list(stmts []*syntax.Stmt) (list []*ir.Stmt) {
	for _, s := range stmts {
		list = append(list, l.stmt(s)...)
	}
	return list
}

func (l *lowering) stmt(s *syntax.Stmt) []*ir.Stmt {
	if !l.deeper(at(s.Pos())) {
		return nil
	}
	defer func() { l.depth-- }()
	list := l.command(s)
	for _, out := range list {
		out.End = max(out.End, at(s.End()))
		if s.Background && out.Does == ir.Eval {
			out.Does = ir.Spawn
		}
	}
	return list
}

func (l *lowering) command(s *syntax.Stmt) []*ir.Stmt {
	pos := at(s.Pos())
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return l.call(s, c)
	case *syntax.IfClause:
		return l.ifClause(c)
	case *syntax.WhileClause:
		x, before := l.condition(c.Cond)
		return append(before, &ir.Stmt{Does: ir.Loop, Pos: pos, X: x, Body: l.list(c.Do)})
	case *syntax.ForClause:
		return []*ir.Stmt{{Does: ir.Loop, Pos: pos, Body: l.list(c.Do)}}
	case *syntax.CaseClause:
		return l.caseClause(pos, c)
	case *syntax.Block:
		return []*ir.Stmt{{Does: ir.Group, Pos: pos, Body: l.list(c.Stmts)}}
	case *syntax.Subshell:
		return []*ir.Stmt{{Does: ir.Group, Pos: pos, Body: l.list(c.Stmts)}}
	case *syntax.BinaryCmd:
		return l.binary(pos, c)
	case *syntax.FuncDecl:
		l.function(pos, c)
	case *syntax.DeclClause:
		return l.assigns(c.Args)
	case *syntax.TestClause, *syntax.ArithmCmd:
		return []*ir.Stmt{{Does: ir.Eval, Pos: pos, X: l.value(s)}}
	}
	return nil
}

func (l *lowering) function(pos ir.Pos, c *syntax.FuncDecl) {
	f := &ir.Func{Name: c.Name.Value, Pos: pos, End: at(c.End()), Outer: l.fn, File: l.file}
	l.file.Funcs = append(l.file.Funcs, f)
	l.stands(c)
	l.fn = f
	f.Body = l.stmt(c.Body)
	l.fn = f.Outer
}

// binary makes branches of && and ||.
func (l *lowering) binary(pos ir.Pos, c *syntax.BinaryCmd) []*ir.Stmt {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		x := l.value(c.X)
		if c.Op == syntax.OrStmt {
			x = not(x)
		}
		return []*ir.Stmt{{Does: ir.If, Pos: pos, X: x, Body: l.stmt(c.Y)}}
	}
	return append(l.stmt(c.X), l.stmt(c.Y)...)
}

func not(x *ir.Expr) *ir.Expr {
	return &ir.Expr{Kind: ir.Unary, Name: "!", Pos: x.Pos, End: x.End, X: x}
}

func (l *lowering) ifClause(c *syntax.IfClause) []*ir.Stmt {
	if len(c.Cond) == 0 {
		return l.list(c.Then) // else
	}
	x, before := l.condition(c.Cond)
	s := &ir.Stmt{Does: ir.If, Pos: at(c.Pos()), End: at(c.End()), X: x, Body: l.list(c.Then)}
	if c.Else != nil {
		s.Else = l.ifClause(c.Else)
	}
	return append(before, s)
}

func (l *lowering) caseClause(pos ir.Pos, c *syntax.CaseClause) []*ir.Stmt {
	s := &ir.Stmt{Does: ir.If, Pos: pos, X: l.word(c.Word)}
	for _, item := range c.Items {
		s.Body = append(s.Body, &ir.Stmt{Does: ir.If, Pos: at(item.Pos()), End: at(item.End()), X: s.X, Body: l.list(item.Stmts)})
	}
	return []*ir.Stmt{s}
}

// condition makes an expression of the last statement, and keeps those before it.
func (l *lowering) condition(cond []*syntax.Stmt) (*ir.Expr, []*ir.Stmt) {
	last := len(cond) - 1
	return l.value(cond[last]), l.list(cond[:last])
}
