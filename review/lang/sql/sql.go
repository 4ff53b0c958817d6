// Package sql reads files of SQL: statements, and the bodies of functions in
// PL/pgSQL, MySQL and Transact-SQL. A statement becomes a call of a function named
// sql with its text; what controls it becomes branches and loops.
package sql

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var grammar = &syntax.Grammar{
	Language: ir.SQL,
	Spec: syntax.Spec{
		LineComments:  []string{"--"},
		BlockComments: [][2]string{{"/*", "*/"}},
		Quotes:        []syntax.Quote{{Open: "'", Close: "'", Lines: true, Raw: true}, {Open: `"`, Close: `"`}, {Open: "`", Close: "`"}},
		Sigils:        "@$:",
		NotEqual:      true,
	},
	Members: syntax.Set("."),
	Binary: map[string]int{
		"or": 2, "and": 3, "=": 5, "<>": 5, "!=": 5, "<": 5, ">": 5, "<=": 5, ">=": 5, "is": 5, "in": 5, "like": 5,
		"+": 7, "-": 7, "||": 7, "*": 8, "/": 8, "%": 8, "::": 9,
	},
	Assign: syntax.Set(":="),
	Unary:  syntax.Set("not", "-", "+"),
	Consts: map[string]string{"true": "true", "false": "false", "null": "nil"},
	Ends: syntax.Set("then", "begin", "loop", "do", "return", "update", "insert", "delete", "set", "exec", "raise",
		"raiserror", "throw", "print", "else", "end", "from", "where", "select", "signal", "leave"),
}

func init() {
	grammar.Spec.Scan = dollarQuote
	grammar.Primary = primary
}

// Parse reads a file.
func Parse(path string, src []byte) *ir.File {
	r := reader{syntax.New(grammar, path, src)}
	for i := range r.Toks {
		if t := &r.Toks[i]; t.Kind == syntax.Ident {
			t.Text = strings.ToLower(t.Text)
		}
	}
	for !r.Done() {
		at := r.I
		r.Func.Body = append(r.Func.Body, r.body()...)
		if r.I == at {
			r.Next()
		}
	}
	return r.File
}

// dollarQuote makes a sign of what quotes the body of a function in PostgreSQL, so
// that the body is read like everything else.
func dollarQuote(l *syntax.Lexer) bool {
	if l.Src[l.At] != '$' {
		return false
	}
	for n := 1; l.At+n < len(l.Src) && n < 40; n++ {
		switch c := l.Src[l.At+n]; {
		case c == '$':
			l.Add(syntax.Op, l.At+n+1, "$$")
			return true
		case !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'):
			return false
		}
	}
	return false
}

// primary reads a subquery as the statement that it is.
func primary(p *syntax.Parser) *ir.Expr {
	if p.At("exists") && p.PeekAt(1).Is("(") {
		p.Next()
	}
	if p.At("distinct") && p.PeekAt(1).Is("from") { // IS DISTINCT FROM
		p.I += 2
	}
	if p.At("(") && p.PeekAt(1).Is("select") && p.Peek().Match > 0 {
		at := p.Here() + 1
		p.Skip()
		return statement(p, at, p.Before()-1)
	}
	return nil
}

func statement(p *syntax.Parser, from, to ir.Pos) *ir.Expr {
	text := &ir.Expr{Kind: ir.String, Pos: from, End: to, Name: string(p.File.Source[from:max(from, to)])}
	return &ir.Expr{Kind: ir.Call, Pos: from, End: to, X: &ir.Expr{Kind: ir.Name, Name: "sql", Pos: from, End: from}, Args: []*ir.Expr{text}}
}
