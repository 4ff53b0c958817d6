// Package ruby reads Ruby.
package ruby

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var grammar = &syntax.Grammar{
	Language: ir.Ruby,
	Spec: syntax.Spec{
		LineComments:  []string{"#"},
		BlockComments: [][2]string{{"=begin", "\n=end"}},
		Quotes: []syntax.Quote{
			{Open: `"`, Close: `"`, Lines: true, Hole: "#{"}, {Open: `'`, Close: `'`, Lines: true},
			{Open: "`", Close: "`", Lines: true, Hole: "#{"},
		},
		Sigils: "@$", Suffixes: "?!", Lines: true, Braces: true, Regexps: true,
	},
	Members: syntax.Set(".", "&.", "::"),
	Binary: map[string]int{
		"and": 1, "or": 1, "..": 2, "...": 2, "||": 3, "&&": 4, "==": 6, "!=": 6, "===": 6, "=~": 6, "!~": 6, "<=>": 6,
		"<": 7, ">": 7, "<=": 7, ">=": 7, "|": 8, "^": 8, "&": 9, "<<": 10, "+": 11, "-": 11, "*": 12, "/": 12, "%": 12, "**": 13,
	},
	Assign:  syntax.Set("=", "+=", "-=", "||=", "&&=", "*=", "/="),
	Unary:   syntax.Set("!", "not", "-", "+", "~", "*", "**", "&", "defined?"),
	Consts:  map[string]string{"true": "true", "false": "false", "nil": "nil"},
	This:    "self",
	Lines:   true,
	Ternary: true,
	Ends:    syntax.Set("if", "unless", "while", "until", "rescue", "then", "do", "end", "when", "in", "ensure", "else", "elsif"),
}

func init() {
	grammar.Spec.Scan = scan
	grammar.Primary, grammar.Postfix = primary, postfix
}

// Parse reads a file.
func Parse(path string, src []byte) *ir.File {
	r := reader{syntax.New(grammar, path, src)}
	for !r.Done() {
		at := r.I
		r.Func.Body = append(r.Func.Body, r.body()...)
		if !r.Done() && r.I == at {
			r.Fault("unexpected " + r.Peek().Text)
			r.Next()
		}
	}
	return r.File
}

// scan reads symbols, labels of symbols, word lists and heredocs.
func scan(l *syntax.Lexer) bool {
	rest := l.Src[l.At:]
	switch c := rest[0]; {
	case c == ':' && len(rest) > 1 && rest[1] != ':' && (l.At == 0 || l.Src[l.At-1] != ':'):
		return symbol(l, rest)
	case c == '%' && len(rest) > 2:
		return percent(l, rest)
	case strings.HasPrefix(rest, "<<"):
		return heredoc(l, rest)
	case strings.HasPrefix(rest, "__END__") && (l.At == 0 || l.Src[l.At-1] == '\n'):
		l.At = len(l.Src)
		return true
	}
	return false
}

func symbol(l *syntax.Lexer, rest string) bool {
	if l.At > 0 && isWord(l.Src[l.At-1]) {
		return false // a label: nx:true
	}
	n := 1
	for n < len(rest) && isWord(rest[n]) {
		n++
	}
	if n == 1 {
		return false
	}
	l.Add(syntax.Text, l.At+n, rest[1:n])
	return true
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || c == '?' || c == '!'
}

var closing = map[byte]string{'(': ")", '[': "]", '{': "}", '<': ">", '|': "|", '/': "/", '!': "!"}

// percent reads %w[a b], %(text) and their like as one string.
func percent(l *syntax.Lexer, rest string) bool {
	n := 1
	if strings.IndexByte("wWiIqQr", rest[1]) >= 0 {
		n = 2
	}
	end := closing[rest[n]]
	if end == "" || n == 1 && !l.BeforeOperand() {
		return false
	}
	q := syntax.Quote{Close: end, Lines: true}
	if rest[1] == 'Q' || rest[1] == 'W' || n == 1 {
		q.Hole = "#{"
	}
	l.ReadString(&q, l.At+n+1)
	return true
}

func heredoc(l *syntax.Lexer, rest string) bool {
	n := 2
	if n < len(rest) && (rest[n] == '~' || rest[n] == '-') {
		n++
	}
	quote := ""
	if n < len(rest) && strings.IndexByte(`'"`, rest[n]) >= 0 {
		quote = rest[n : n+1]
		n++
	}
	from := n
	for n < len(rest) && isWord(rest[n]) {
		n++
	}
	word := rest[from:n]
	if word == "" || quote == "" && (word[0] < 'A' || word[0] > 'Z') {
		return false
	}
	q := syntax.Quote{Hole: "#{"}
	if quote == "'" {
		q = syntax.Quote{Raw: true}
	}
	l.Heredoc(n+len(quote), word, q)
	return true
}

func primary(p *syntax.Parser) *ir.Expr {
	r := reader{p}
	t := p.Peek()
	if t.Kind == syntax.Ident {
		if strings.HasPrefix(t.Text, "@") {
			p.Next()
			this := p.Make(ir.Expr{Kind: ir.Name, Pos: ir.Pos(t.Pos), Name: "this"})
			return p.Make(ir.Expr{Kind: ir.Member, Pos: ir.Pos(t.Pos), X: this, Name: strings.TrimLeft(t.Text, "@")})
		}
		if t.Text == "yield" && (p.PeekAt(1).Line || p.PeekAt(1).In(grammar.Ends) || p.PeekAt(1).Kind == syntax.EOF || p.PeekAt(1).Is("}")) {
			p.Next()
			return p.Make(ir.Expr{Kind: ir.Call, Pos: ir.Pos(t.Pos), X: p.Ident(t)})
		}
		if read := values[t.Text]; read != nil {
			return read(r, ir.Pos(t.Pos))
		}
	}
	switch {
	case t.Is("->"):
		return r.stabby()
	case t.Is("::"):
		p.Next()
		return p.Primary()
	}
	return nil
}

// values are the words that begin a value of several statements, whose
// statements are kept where the value stands.
var values map[string]func(reader, ir.Pos) *ir.Expr

func init() {
	asStatement := func(r reader, at ir.Pos) *ir.Expr {
		if s := r.statement(); s != nil {
			s.End = r.Before()
			r.Func.Body = append(r.Func.Body, s)
		}
		return r.Make(ir.Expr{Kind: ir.Bad, Pos: at})
	}
	values = map[string]func(reader, ir.Pos) *ir.Expr{
		"if": asStatement, "unless": asStatement, "case": asStatement, "begin": asStatement, "while": asStatement,
	}
}

func (r reader) stabby() *ir.Expr {
	at := r.Here()
	r.Next()
	f := r.Open("", nil)
	f.Short, f.Pos = true, at
	if r.At("(") {
		f.Params = r.params(")")
	}
	switch {
	case r.Accept("{"):
		f.Body = append(f.Body, r.body()...)
		r.Accept("}")
	case r.Accept("do"):
		f.Body = append(f.Body, r.guarded()...)
		r.Accept("end")
	}
	r.Close(f)
	return r.Make(ir.Expr{Kind: ir.Lambda, Pos: at, Func: f})
}

// postfix reads blocks, and arguments without parentheses.
func postfix(p *syntax.Parser, e *ir.Expr) (*ir.Expr, bool) {
	r := reader{p}
	callable := e.Kind == ir.Call && !e.Block || e.Kind == ir.Member && e.X.Name != "this" || e.Kind == ir.Name && e.Name != "this"
	switch t := p.Peek(); {
	case !callable:
	case t.Is("{") && (e.Kind != ir.Name || t.Space):
		return r.attach(e, "}"), true
	case t.Is("do") && !p.NoBlock:
		return r.attach(e, "end"), true
	case e.Kind != ir.Call && t.Space && startsArgument(e, t, p.PeekAt(1)):
		return r.command(e), true
	}
	return e, false
}

// startsArgument reports whether what stands behind a name and a space can only be
// an argument.
func startsArgument(e *ir.Expr, t, next syntax.Token) bool {
	switch t.Kind {
	case syntax.Text, syntax.Number, syntax.Pattern:
		return true
	case syntax.Ident:
		return !grammar.Ends[t.Text] && !t.Is("and") && !t.Is("or")
	}
	switch t.Text {
	case "->", "::":
		return true
	case "[":
		return e.Kind == ir.Member || commands[e.Name]
	case "*", "&", "**", ":", "!":
		return !next.Space && t.Text != "!" || t.Text == "!" && commands[e.Name]
	}
	return false
}

var commands = syntax.Set("puts", "raise", "yield", "return", "p", "print", "fail", "require", "include", "extend")

// command reads arguments without parentheses.
func (r reader) command(f *ir.Expr) *ir.Expr {
	e := ir.Expr{Kind: ir.Call, Pos: f.Pos, X: f}
	for {
		key, arg := r.Argument()
		if e.Args = append(e.Args, arg); key != "" && e.Keys == nil {
			e.Keys = make([]string, len(e.Args)-1)
		}
		if e.Keys != nil {
			e.Keys = append(e.Keys, key)
		}
		if !r.At(",") || r.Peek().Line {
			break
		}
		r.Next()
	}
	return r.Make(e)
}

// attach reads a block and makes it the last argument of the call.
func (r reader) attach(call *ir.Expr, end string) *ir.Expr {
	if call.Kind != ir.Call {
		call = r.Make(ir.Expr{Kind: ir.Call, Pos: call.Pos, X: call})
	}
	at := r.Here()
	noBlock := r.NoBlock
	r.NoBlock = false
	r.Next()
	f := r.Open("", nil)
	f.Short, f.Pos = true, at
	if r.Accept("|") {
		f.Params = r.params("|")
	}
	f.Body = append(f.Body, r.guarded()...)
	r.Accept(end)
	r.Close(f)
	r.NoBlock = noBlock
	block := r.Make(ir.Expr{Kind: ir.Lambda, Pos: at, Func: f})
	call.Args, call.Block, call.End = append(call.Args, block), true, block.End
	if call.Keys != nil {
		call.Keys = append(call.Keys, "")
	}
	return call
}
