// Package python reads Python 3, and what of Python 2 looks alike.
package python

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var grammar = &syntax.Grammar{
	Language: ir.Python,
	Spec: syntax.Spec{
		LineComments: []string{"#"},
		Quotes: []syntax.Quote{
			{Open: `"""`, Close: `"""`, Lines: true}, {Open: `'''`, Close: `'''`, Lines: true},
			{Open: `"`, Close: `"`}, {Open: `'`, Close: `'`},
		},
		Lines:   true,
		Restart: syntax.Set("def", "class", "import", "from", "async", "if", "for", "while", "try", "with"),
	},
	Members: syntax.Set("."),
	Binary: map[string]int{
		"or": 2, "and": 3, "in": 5, "not in": 5, "is": 5, "==": 5, "!=": 5, "<": 5, ">": 5, "<=": 5, ">=": 5,
		"|": 6, "^": 7, "&": 8, "<<": 9, "+": 10, "-": 10, "*": 11, "/": 11, "//": 11, "%": 11, "@": 11, "**": 12,
	},
	Assign: syntax.Set("=", "+=", "-=", ":=", "|=", "*=", "/="),
	Unary:  syntax.Set("not", "-", "+", "~", "await", "*", "**"),
	Consts: map[string]string{"True": "true", "False": "false", "None": "nil"},
	This:   "self",
	Lines:  true,
	Ends:   syntax.Set("if", "else", "for", "async", "as", "from"),
}

func init() {
	grammar.Spec.Scan = prefixed
	grammar.Primary, grammar.Infix = primary, infix
}

// Parse reads a file.
func Parse(path string, src []byte) *ir.File {
	r := reader{syntax.New(grammar, path, src)}
	for !r.Done() {
		at := r.I
		r.line(&r.Func.Body)
		if r.I == at {
			r.Fault("unexpected " + r.Peek().Text)
			r.Next()
		}
	}
	return r.File
}

// prefixed reads a string with letters in front, such as f"" and rb”.
func prefixed(l *syntax.Lexer) bool {
	n := 0
	for n < 2 && l.At+n < len(l.Src) && strings.IndexByte("rRbBuUfF", l.Src[l.At+n]) >= 0 {
		n++
	}
	rest := l.Src[l.At+n:]
	if n == 0 || rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return false
	}
	prefix := strings.ToLower(l.Src[l.At : l.At+n])
	q := syntax.Quote{Raw: strings.Contains(prefix, "r"), Pairs: true}
	if strings.Contains(prefix, "f") {
		q.Hole = "{"
	}
	q.Close = rest[:1]
	if strings.HasPrefix(rest, q.Close+q.Close+q.Close) {
		q.Close, q.Lines = rest[:3], true
	}
	l.ReadString(&q, l.At+n+len(q.Close))
	return true
}

func primary(p *syntax.Parser) *ir.Expr {
	switch t := p.Peek(); {
	case t.Is("lambda"):
		return lambda(p)
	case t.Is("yield"):
		p.Next()
		p.Accept("from")
		e := ir.Expr{Kind: ir.Call, Pos: ir.Pos(t.Pos), X: p.Ident(t)}
		if next := p.Peek(); !next.Line && !p.At(")", "]", "}", ",", "=") && !p.Done() {
			e.Args = []*ir.Expr{p.Binary(1)}
		}
		return p.Make(e)
	case t.Is("cls") && p.Class != nil:
		p.Next()
		return p.Make(ir.Expr{Kind: ir.Name, Pos: ir.Pos(t.Pos), Name: "this"})
	}
	return nil
}

func lambda(p *syntax.Parser) *ir.Expr {
	at := p.Here()
	p.Next()
	f := p.Open("", nil)
	f.Pos = at
	for !p.Done() && !p.At(":", ")", "]", "}") && !p.Peek().Line {
		if t := p.Next(); t.Kind == syntax.Ident {
			f.Params = append(f.Params, ir.Param{Name: t.Text})
			if p.Accept("=") {
				p.Binary(1)
			}
		}
	}
	p.Accept(":")
	x := p.Binary(1)
	f.Body = []*ir.Stmt{{Does: ir.Return, Pos: x.Pos, End: x.End, X: x}}
	p.Close(f)
	return p.Make(ir.Expr{Kind: ir.Lambda, Pos: at, Func: f})
}

// infix reads x if c else y, and not in. Both words may mean something else here.
func infix(p *syntax.Parser, left *ir.Expr, min int) (*ir.Expr, bool) {
	switch {
	case p.At("not") && p.PeekAt(1).Is("in") && min < 5:
		p.I += 2
		right := p.Binary(5)
		return p.Make(ir.Expr{Kind: ir.Binary, Name: "not in", Pos: left.Pos, X: left, Args: []*ir.Expr{right}}), true
	case p.At("if") && min <= 1 && hasElse(p):
		p.Next()
		cond := p.Binary(1)
		p.Accept("else")
		no := p.Binary(1)
		return p.Make(ir.Expr{Kind: ir.Cond, Pos: left.Pos, X: cond, Args: []*ir.Expr{left, no}}), true
	}
	return left, false
}

// hasElse reports whether the if that stands here has an else before this
// expression ends. In a comprehension it has none.
func hasElse(p *syntax.Parser) bool {
	for i := p.I + 1; i < len(p.Toks) && i < p.I+300; i++ {
		switch t := p.Toks[i]; {
		case t.Is("else"):
			return true
		case t.Line || t.Is(",") || t.Is("for") || t.Is(")") || t.Is("]") || t.Is("}") || t.Kind == syntax.EOF:
			return false
		case t.Match > int32(i):
			i = int(t.Match)
		}
	}
	return false
}
