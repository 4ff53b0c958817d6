package syntax

import (
	"github.com/ringfence-go/ringfence/review/ir"
)

// maxDepth bounds nesting, so that a hostile file can't exhaust the stack.
const maxDepth = 200

// A Grammar is what the parser has to know of a language.
type Grammar struct {
	Language ir.Language
	Spec     Spec
	Members  map[string]bool   // operators that lead to a member
	Binary   map[string]int    // precedence, 1 and up
	Assign   map[string]bool   // operators that assign
	Unary    map[string]bool   // operators that stand before an operand
	Consts   map[string]string // words for true, false and nil
	This     string            // the word for the object of a method
	Lines    bool              // a new line ends an expression
	Ternary  bool              // c ? a : b
	Ends     map[string]bool   // words at which an expression ends

	// Primary reads an operand that only this language has, nil if there is none.
	Primary func(*Parser) *ir.Expr
	// Postfix reads what may follow an operand in this language only.
	Postfix func(*Parser, *ir.Expr) (*ir.Expr, bool)
	// Infix does the same between operands, at a precedence.
	Infix func(*Parser, *ir.Expr, int) (*ir.Expr, bool)
	// Statement reads a statement that only this language has. It may add some
	// itself and return nil.
	Statement func(*Parser) (*ir.Stmt, bool)
}

// A Parser reads the tokens of one file.
type Parser struct {
	G     *Grammar
	File  *ir.File
	Toks  []Token
	I     int
	Func  *ir.Func  // the function that is being read
	Class *ir.Class // the class that is being read

	NoBlock bool // a brace or do here belongs to the statement, not to the call
	depth   int
}

// New starts to read src.
func New(g *Grammar, path string, src []byte) *Parser {
	l := Tokenize(&g.Spec, string(src))
	f := &ir.File{Path: path, Language: g.Language, Source: src, Comments: l.Comments}
	p := &Parser{G: g, File: f, Toks: l.Tokens}
	p.Func = &ir.Func{Name: "", File: f, End: ir.Pos(len(src))}
	f.Funcs = []*ir.Func{p.Func}
	if l.unclosed > 0 {
		f.Faults = append(f.Faults, ir.Fault{Pos: ir.Pos(l.Tokens[l.unclosed-1].Pos), Text: "nothing closes this bracket"})
	}
	return p
}

// Peek is the next token.
func (p *Parser) Peek() Token { return p.Toks[p.I] }

// PeekAt is the token n after the next one.
func (p *Parser) PeekAt(n int) Token { return p.Toks[min(max(0, p.I+n), len(p.Toks)-1)] }

// Next takes a token.
func (p *Parser) Next() Token {
	t := p.Toks[p.I]
	if t.Kind != EOF {
		p.I++
	}
	return t
}

// Done reports whether the source is used up.
func (p *Parser) Done() bool { return p.Toks[p.I].Kind == EOF }

// At reports whether the next token is one of these.
func (p *Parser) At(texts ...string) bool {
	t := p.Toks[p.I]
	for _, s := range texts {
		if t.Is(s) {
			return true
		}
	}
	return false
}

// Accept takes the next token if it is text.
func (p *Parser) Accept(text string) bool {
	if p.Toks[p.I].Is(text) {
		p.I++
		return true
	}
	return false
}

// Here is where the next token begins, Before where the last one ended.
func (p *Parser) Here() ir.Pos { return ir.Pos(p.Toks[p.I].Pos) }

// Before is where the last token ended.
func (p *Parser) Before() ir.Pos {
	if p.I == 0 {
		return 0
	}
	return ir.Pos(p.Toks[p.I-1].End)
}

// Skip steps over the bracket that stands here and what it holds.
func (p *Parser) Skip() {
	if m := int(p.Toks[p.I].Match); m > p.I {
		p.I = m + 1
	} else if !p.Done() {
		p.I++
	}
}

// SkipTo steps to one of the texts on this level of brackets.
func (p *Parser) SkipTo(texts ...string) {
	for !p.Done() && !p.At(texts...) && !p.At(")", "]", "}") {
		p.Skip()
	}
}

// Fault notes that something could not be read here. The first few are enough.
func (p *Parser) Fault(text string) {
	if len(p.File.Faults) < 10 {
		p.File.Faults = append(p.File.Faults, ir.Fault{Pos: p.Here(), Text: text})
	}
}

// Deeper goes one level down and reports whether that is still allowed; Up
// comes back.
func (p *Parser) Deeper() bool {
	p.depth++
	if p.depth == maxDepth {
		p.Fault("nested too deeply")
	}
	return p.depth < maxDepth
}

// Up undoes Deeper.
func (p *Parser) Up() { p.depth-- }

// Open begins a function; what is read from now on belongs to it until Close.
func (p *Parser) Open(name string, params []ir.Param) *ir.Func {
	f := &ir.Func{Name: name, Params: params, Class: p.Class, Outer: p.Func, File: p.File, Pos: p.Here()}
	if name != "" && p.Class != nil {
		p.Class.Methods = append(p.Class.Methods, f)
	}
	p.File.Funcs = append(p.File.Funcs, f)
	p.Func = f
	return f
}

// Close ends the function that Open began.
func (p *Parser) Close(f *ir.Func) *ir.Func {
	f.End = p.Before()
	p.Func = f.Outer
	return f
}

// OpenClass begins a class and returns what ends it.
func (p *Parser) OpenClass(c *ir.Class) (end func()) {
	outer, fn := p.Class, p.Func
	if p.Class != c { // which is opened again: class << self
		p.File.Classes = append(p.File.Classes, c)
	}
	p.Class = c
	return func() { p.Class, p.Func = outer, fn }
}

// Make fills in the end of an expression.
func (p *Parser) Make(e ir.Expr) *ir.Expr {
	e.End = p.Before()
	return &e
}

// Sub reads the expression in a piece of the source, such as an interpolation.
func (p *Parser) Sub(s Span) *ir.Expr {
	if s.To <= s.From || !p.Deeper() {
		p.Up()
		return &ir.Expr{Kind: ir.Bad, Pos: ir.Pos(s.From), End: ir.Pos(s.To)}
	}
	defer p.Up()
	l := tokenize(&p.G.Spec, string(p.File.Source[s.From:s.To]), true)
	for i := range l.Tokens {
		t := &l.Tokens[i]
		t.Pos += s.From
		t.End += s.From
		for j := range t.Holes {
			t.Holes[j].From += s.From
			t.Holes[j].To += s.From
		}
	}
	toks, at := p.Toks, p.I
	p.Toks, p.I = l.Tokens, 0
	e := p.Expr()
	p.Toks, p.I = toks, at
	return e
}
