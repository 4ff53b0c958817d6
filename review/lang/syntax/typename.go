package syntax

import "github.com/ringfence-go/ringfence/review/ir"

var typeWords = Set("keyof", "typeof", "readonly", "unique", "infer", "new", "asserts", "abstract", "final")

// Type steps over a type and returns the name it begins with. It reports whether
// there was one; if not, nothing was read.
func (p *Parser) Type() (name string, ok bool) {
	from := p.I
	if name, ok = p.typePart(); !ok {
		p.I = from
		return "", false
	}
	for p.At("|", "&", "is", "extends", "super") {
		p.Next()
		more, ok := p.typePart()
		if !ok {
			break
		}
		if name == "null" || name == "undefined" || name == "None" {
			name = more
		}
	}
	return name, true
}

func (p *Parser) typePart() (name string, ok bool) {
	for p.Peek().In(typeWords) || p.At("|", "&", "?", "\\") {
		p.Next()
	}
	switch t := p.Peek(); {
	case t.Kind == Ident:
		name = p.typeName()
	case t.Kind == Text || t.Kind == Number:
		p.Next()
	case t.Is("{") || t.Is("[") || t.Is("("):
		p.Skip()
	default:
		return "", false
	}
	if p.At("=>") && p.Deeper() {
		p.Next()
		p.Type()
		p.Up()
	}
	for p.At("[") && (p.PeekAt(1).Is("]") || p.Peek().Match > 0) || p.At("...") {
		p.Skip()
	}
	return name, true
}

func (p *Parser) typeName() string {
	name := p.Next().Text
	for p.At(".", "\\") && p.PeekAt(1).Kind == Ident {
		p.Next()
		name += "." + p.Next().Text
	}
	if end := p.Angles(); end > 0 {
		if name == "Promise" || name == "Optional" || name == "Provider" {
			name = p.innerName(p.I+1, name)
		}
		p.I = end
	}
	return name
}

// innerName is the type in the angle brackets that begin before i.
func (p *Parser) innerName(i int, otherwise string) string {
	if t := p.Toks[i]; t.Kind == Ident {
		return t.Text
	}
	return otherwise
}

var inAngles = Set(",", ".", "?", "[", "]", "|", "&", "{", "}", "(", ")", "=>", ":", ";", "<", ">")

// Angles finds the token behind the type arguments that begin here, 0 if what
// stands here is none.
func (p *Parser) Angles() int {
	if !p.At("<") {
		return 0
	}
	depth := 0
	for i := p.I; i < len(p.Toks) && i < p.I+200; i++ {
		t := p.Toks[i]
		switch {
		case t.Is("<"):
			depth++
		case t.Is(">"):
			if depth--; depth == 0 {
				return i + 1
			}
		case t.Is("{") || t.Is("(") || t.Is("["):
			if t.Match == 0 {
				return 0
			}
			i = int(t.Match)
		case t.Kind == Op && !inAngles[t.Text] || t.Kind == EOF:
			return 0
		}
	}
	return 0
}

// FuncBody reads a function's parameters, its result type, its body. What stands here is
// the opening parenthesis, or the body.
func (p *Parser) FuncBody(name string, params func(*Parser) []ir.Param) *ir.Func {
	f := p.Open(name, nil)
	if end := p.Angles(); end > 0 {
		p.I = end
	}
	if p.At("(") {
		f.Params = params(p)
	}
	if p.Accept(":") {
		p.Type()
	}
	if p.Accept("throws") {
		p.SkipTo("{", ";")
	}
	switch {
	case p.Accept("=>") || p.Accept("->"):
		p.ArrowBody(f)
		return p.Close(f)
	case p.At("{"):
		f.Body = append(f.Body, p.Block()...)
	default:
		p.Accept(";")
	}
	return p.Close(f)
}

// ArrowBody reads what stands behind an arrow: a block, or the value.
func (p *Parser) ArrowBody(f *ir.Func) {
	noBlock := p.NoBlock
	p.NoBlock = false
	defer func() { p.NoBlock = noBlock }()
	if p.At("{") {
		f.Body = append(f.Body, p.Block()...)
		return
	}
	at := p.Here()
	x := p.Expr()
	f.Body = []*ir.Stmt{{Does: ir.Return, Pos: at, End: x.End, X: x}}
}
