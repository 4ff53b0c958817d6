// Package javascript reads JavaScript and TypeScript.
package javascript

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var grammar = &syntax.Grammar{
	Language: ir.JavaScript,
	Spec: syntax.Spec{
		LineComments:  []string{"//", "#!"},
		BlockComments: [][2]string{{"/*", "*/"}},
		Quotes: []syntax.Quote{
			{Open: `"`, Close: `"`}, {Open: `'`, Close: `'`},
			{Open: "`", Close: "`", Lines: true, Hole: "${"},
		},
		Sigils: "$#@", Regexps: true,
	},
	Members: syntax.Set(".", "?."),
	Binary: map[string]int{
		"??": 2, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7,
		"<": 8, ">": 8, "<=": 8, ">=": 8, "in": 8, "instanceof": 8, "of": 8,
		"<<": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
	},
	Assign:  syntax.Set("=", "+=", "-=", "||=", "??=", "&&=", "*=", "/="),
	Unary:   syntax.Set("!", "-", "+", "~", "typeof", "void", "delete", "await", "++", "--", "yield"),
	Consts:  map[string]string{"true": "true", "false": "false", "null": "nil", "undefined": "nil"},
	This:    "this",
	Ternary: true,
}

func init() {
	grammar.Primary, grammar.Postfix, grammar.Infix, grammar.Statement = primary, postfix, infix, statement
}

// Parse reads a file.
func Parse(path string, src []byte) *ir.File {
	f := syntax.New(grammar, path, src).Program()
	prototypes(f)
	return f
}

func primary(p *syntax.Parser) *ir.Expr {
	switch t := p.Peek(); {
	case t.Is("async") && (p.PeekAt(1).Is("function") || p.PeekAt(1).Is("(") || p.PeekAt(1).Kind == syntax.Ident) && !p.PeekAt(1).NewLine:
		p.Next()
		if e := primary(p); e != nil {
			return e
		}
		return p.Ident(t)
	case t.Is("function"):
		return function(p)
	case t.Is("class"):
		class(p)
		return p.Make(ir.Expr{Kind: ir.Bad, Pos: ir.Pos(t.Pos)})
	case t.Is("new"):
		return newExpr(p)
	case t.Kind == syntax.Ident && p.PeekAt(1).Is("=>"):
		p.Next()
		return arrow(p, ir.Pos(t.Pos), []ir.Param{{Name: t.Text}})
	case t.Is("(") && isArrow(p):
		return arrow(p, ir.Pos(t.Pos), params(p))
	case t.Is("<") && p.Angles() > 0:
		p.I = p.Angles()
		return p.Operand()
	case t.Is("{"):
		return object(p)
	}
	return nil
}

// isArrow reports whether the parenthesis that stands here holds parameters.
func isArrow(p *syntax.Parser) bool {
	end := int(p.Peek().Match)
	if end == 0 {
		return false
	}
	switch next := p.PeekAt(end - p.I + 1); {
	case next.Is("=>"):
		return true
	case next.Is(":"):
		from := p.I
		defer func() { p.I = from }()
		p.I = end + 2
		_, ok := p.Type()
		return ok && p.At("=>")
	}
	return false
}

func arrow(p *syntax.Parser, at ir.Pos, params []ir.Param) *ir.Expr {
	f := p.Open("", params)
	f.Pos = at
	if p.Accept(":") {
		p.Type()
	}
	p.Accept("=>")
	p.ArrowBody(f)
	p.Close(f)
	return p.Make(ir.Expr{Kind: ir.Lambda, Pos: at, Func: f})
}

func function(p *syntax.Parser) *ir.Expr {
	at := p.Here()
	p.Next()
	p.Accept("*")
	name := ""
	if p.Peek().Kind == syntax.Ident {
		name = p.Next().Text
	}
	class := p.Class
	p.Class = nil
	f := p.FuncBody(name, params)
	p.Class = class
	f.Pos = at
	return p.Make(ir.Expr{Kind: ir.Lambda, Pos: at, Func: f})
}

func newExpr(p *syntax.Parser) *ir.Expr {
	at := p.Here()
	p.Next()
	if p.At("class") {
		class(p)
		return p.Make(ir.Expr{Kind: ir.Bad, Pos: at})
	}
	x := p.Primary()
	for p.At(".") && p.PeekAt(1).Kind == syntax.Ident {
		p.Next()
		x = p.Make(ir.Expr{Kind: ir.Member, Pos: x.Pos, X: x, Name: p.Next().Text})
	}
	if end := p.Angles(); end > 0 {
		p.I = end
	}
	e := ir.Expr{Kind: ir.New, Pos: at, X: x}
	if p.Accept("(") {
		e.Args, e.Keys = p.Elements(")")
	}
	return p.Make(e)
}

// object reads an object literal. A method in it is a lambda.
func object(p *syntax.Parser) *ir.Expr {
	e := ir.Expr{Kind: ir.Map, Pos: p.Here()}
	for p.Next(); !p.Done() && !p.At("}"); {
		at := p.I
		key, value := property(p)
		e.Keys, e.Args = append(e.Keys, key), append(e.Args, value)
		p.Accept(",")
		if p.I == at {
			if p.At(")", "]") {
				break
			}
			p.Next()
		}
	}
	p.Accept("}")
	return p.Make(e)
}

func property(p *syntax.Parser) (key string, value *ir.Expr) {
	if p.Accept("...") {
		return "", p.Expr()
	}
	for p.At("async", "get", "set", "*") && !p.PeekAt(1).Is(":") && !p.PeekAt(1).Is("(") && !p.PeekAt(1).Is(",") && !p.PeekAt(1).Is("}") {
		p.Next()
	}
	t := p.Peek()
	if t.Is("[") {
		if e := p.List(); len(e.Args) == 1 {
			key = e.Args[0].Path()
		}
	} else {
		p.Next()
		key = t.Text
	}
	switch {
	case p.Accept(":"):
		return key, p.Expr()
	case p.At("(") || p.At("<"):
		at := p.Here()
		return key, p.Make(ir.Expr{Kind: ir.Lambda, Pos: at, Func: p.FuncBody("", params)})
	}
	e := p.Make(ir.Expr{Kind: ir.Name, Pos: ir.Pos(t.Pos), Name: t.Text})
	if p.Accept("=") {
		p.Expr()
	}
	return key, e
}

// postfix reads type arguments, TypeScript's exclamation mark, tagged templates.
func postfix(p *syntax.Parser, e *ir.Expr) (*ir.Expr, bool) {
	switch t := p.Peek(); {
	case t.Is("<") && (e.Kind == ir.Name || e.Kind == ir.Member):
		if end := p.Angles(); end > 0 && (p.Toks[end].Is("(") || p.Toks[end].Kind == syntax.Text) {
			p.I = end
			return e, true
		}
	case t.Is("!") && !t.NewLine && !p.PeekAt(1).Is("="):
		p.Next()
		return e, true
	case t.Kind == syntax.Text && !t.NewLine && strings.HasPrefix(string(p.File.Source[t.Pos:]), "`"):
		return p.Make(ir.Expr{Kind: ir.Call, Pos: e.Pos, X: e, Args: []*ir.Expr{p.Text()}}), true
	}
	return e, false
}

// infix steps over what TypeScript says of a value.
func infix(p *syntax.Parser, e *ir.Expr, min int) (*ir.Expr, bool) {
	if p.At("as", "satisfies") && !p.Peek().NewLine {
		p.Next()
		p.Type()
		return e, true
	}
	return e, false
}

var modifiers = syntax.Set("public", "private", "protected", "readonly", "static", "async", "get", "set", "abstract", "override", "declare", "accessor", "export", "default", "const")

// params reads the parameters of a function; those with a modifier are fields too.
func params(p *syntax.Parser) (list []ir.Param) {
	end := int(p.Peek().Match)
	p.Next()
	for !p.Done() && !(p.At(")") && (end == 0 || p.I >= end)) {
		at := p.I
		list = append(list, param(p))
		p.SkipTo(",", ")")
		if !p.Accept(",") && p.I == at {
			p.Next()
		}
	}
	p.Accept(")")
	return list
}

func param(p *syntax.Parser) (param ir.Param) {
	field := false
	for {
		if t := p.Peek(); t.Kind == syntax.Ident && strings.HasPrefix(t.Text, "@") {
			decorator(p)
		} else if t.In(modifiers) && p.PeekAt(1).Kind == syntax.Ident {
			field = true
			p.Next()
		} else {
			break
		}
	}
	p.Accept("...")
	if p.At("{", "[") {
		p.Skip()
	} else if p.Peek().Kind == syntax.Ident {
		param.Name = p.Next().Text
	}
	p.Accept("?")
	if p.Accept(":") {
		param.Type, _ = p.Type()
	}
	if p.Accept("=") {
		param.Value = p.Expr()
	}
	if field && p.Class != nil {
		p.Class.Fields = append(p.Class.Fields, ir.Field{Name: param.Name, Type: param.Type})
	}
	return param
}
