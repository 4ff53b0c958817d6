package syntax

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// A Spec describes the tokens of a language.
type Spec struct {
	LineComments  []string
	BlockComments [][2]string
	Quotes        []Quote // the first that fits is taken: longer openings stand first
	Sigils        string  // what a name may begin with, besides letters
	Suffixes      string  // what a name may end with, besides letters and digits
	Lines         bool    // a new line outside of brackets ends a statement
	Braces        bool    // ... and inside of braces it does, too
	NotEqual      bool    // <> compares: elsewhere it is an empty list of types
	Regexps       bool    // a slash where an operand is expected begins a pattern

	// Restart has the words that begin a statement wherever they begin a line without
	// a blank before them: brackets that are open there were forgotten.
	Restart map[string]bool

	// Scan reads what no table describes, and reports whether it found any.
	Scan func(*Lexer) bool
}

// A Quote describes one kind of string.
type Quote struct {
	Open, Close string
	Raw         bool   // a backslash is a character
	Pairs       bool   // ... and what follows it does not end the string
	Lines       bool   // it may go over lines
	Hole        string // what opens an interpolation that a closing brace ends: "${", "#{", "{"
	Names       bool   // $name is interpolated too
}

// A Lexer cuts a source into tokens.
type Lexer struct {
	Spec     *Spec
	Src      string
	At       int
	Part     bool // the source is a piece of a file
	Tokens   []Token
	Comments []ir.Comment

	brackets []int32
	unclosed int32 // the first bracket that nothing closes, from 1; 0 if there is none
	newLine  bool
	space    bool
	column   int32
	pending  []pending
}

// pending is a heredoc whose text begins on the next line.
type pending struct {
	token int
	read  func(*Lexer, *Token)
}

// Tokenize cuts src into tokens; the last one is EOF.
func Tokenize(spec *Spec, src string) *Lexer { return tokenize(spec, src, false) }

func tokenize(spec *Spec, src string, part bool) *Lexer {
	l := &Lexer{Spec: spec, Src: src, Part: part, newLine: true, Tokens: make([]Token, 0, len(src)/5+8)}
	l.At = len(src) - len(strings.TrimPrefix(src, "\ufeff"))
	for l.At < len(src) {
		l.step()
	}
	l.forget()
	l.Add(EOF, len(src), "")
	return l
}

// forget gives up the brackets that are open.
func (l *Lexer) forget() {
	if len(l.brackets) > 0 && l.unclosed == 0 {
		l.unclosed = l.brackets[0] + 1
	}
	l.brackets = nil
}

func (l *Lexer) step() {
	c := l.Src[l.At]
	switch {
	case c == '\n':
		l.At++
		l.newLine, l.space, l.column = true, true, 0
		l.readPending()
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		l.At++
		l.space = true
		l.indent(c)
	case l.comment():
	case l.Spec.Scan != nil && l.Spec.Scan(l):
	case l.quote():
	case isDigit(c) || c == '.' && l.At+1 < len(l.Src) && isDigit(l.Src[l.At+1]) && !l.afterOperand():
		l.number()
	case l.isStart(c):
		l.ident()
	case c == '/' && l.Spec.Regexps && !l.afterOperand() && l.regexp():
	case c == '\\' && l.At+1 < len(l.Src) && (l.Src[l.At+1] == '\n' || l.Src[l.At+1] == '\r'):
		l.At++
		l.skipLineEnd()
	default:
		l.operator()
	}
}

func (l *Lexer) indent(c byte) {
	if l.newLine {
		if l.column++; c == '\t' {
			l.column += 7
		}
	}
}

// skipLineEnd joins the next line to this one.
func (l *Lexer) skipLineEnd() {
	for l.At < len(l.Src) && (l.Src[l.At] == '\r' || l.Src[l.At] == '\n') {
		if l.At++; l.Src[l.At-1] == '\n' {
			return
		}
	}
}

// Add appends a token that ends at end and moves there.
func (l *Lexer) Add(kind TokenKind, end int, text string) *Token {
	if l.newLine && l.column == 0 && l.Spec.Restart[text] && kind == Ident {
		l.forget()
	}
	l.Tokens = append(l.Tokens, Token{
		Kind: kind, Pos: int32(l.At), End: int32(end), Text: text, Column: l.column,
		NewLine: l.newLine, Line: l.newLine && l.Spec.Lines && !l.inParens(), Space: l.space || l.newLine,
	})
	l.At, l.newLine, l.space = end, false, false
	return &l.Tokens[len(l.Tokens)-1]
}

// inParens reports whether lines don't matter here.
func (l *Lexer) inParens() bool {
	n := len(l.brackets)
	return n > 0 && !(l.Spec.Braces && l.Tokens[l.brackets[n-1]].Text == "{")
}

// Prev is the last token, EOF at the start.
func (l *Lexer) Prev() Token {
	if len(l.Tokens) == 0 {
		return Token{}
	}
	return l.Tokens[len(l.Tokens)-1]
}

var beforeOperand = Set("return", "case", "in", "of", "and", "or", "not", "if", "unless", "when", "typeof", "then", "elsif", "while", "until", "do", "yield", "await")

// BeforeOperand reports whether a value is expected now.
func (l *Lexer) BeforeOperand() bool { return !l.afterOperand() }

// afterOperand reports whether what comes now stands behind a value.
func (l *Lexer) afterOperand() bool {
	switch p := l.Prev(); p.Kind {
	case Ident:
		return !beforeOperand[p.Text]
	case Number, Text, Pattern:
		return true
	case Op:
		return p.Text == ")" || p.Text == "]" || p.Text == "}"
	}
	return false
}

func (l *Lexer) comment() bool {
	rest := l.Src[l.At:]
	for _, b := range l.Spec.BlockComments {
		if strings.HasPrefix(rest, b[0]) {
			end := strings.Index(rest[len(b[0]):], b[1])
			stop, after := len(rest), len(rest)
			if end >= 0 {
				stop = len(b[0]) + end
				after = stop + len(b[1])
			}
			l.addComment(rest[len(b[0]):stop], after)
			return true
		}
	}
	for _, c := range l.Spec.LineComments {
		if strings.HasPrefix(rest, c) {
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			l.addComment(rest[len(c):end], end)
			return true
		}
	}
	return false
}

func (l *Lexer) addComment(text string, length int) {
	l.Comments = append(l.Comments, ir.Comment{Pos: ir.Pos(l.At), End: ir.Pos(l.At + length), Text: text})
	l.At += length
	l.space = true
	if strings.Contains(text, "\n") {
		l.newLine = true
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func (l *Lexer) isStart(c byte) bool {
	if isLetter(c) {
		return true
	}
	return strings.IndexByte(l.Spec.Sigils, c) >= 0 && l.At+1 < len(l.Src) && (isLetter(l.Src[l.At+1]) || l.Src[l.At+1] == c)
}

func (l *Lexer) ident() {
	i := l.At
	for i < len(l.Src) && strings.IndexByte(l.Spec.Sigils, l.Src[i]) >= 0 {
		i++
	}
	for i < len(l.Src) && (isLetter(l.Src[i]) || isDigit(l.Src[i]) || l.Src[i] == '$' && strings.Contains(l.Spec.Sigils, "$")) {
		i++
	}
	if i < len(l.Src) && strings.IndexByte(l.Spec.Suffixes, l.Src[i]) >= 0 && (i+1 >= len(l.Src) || l.Src[i+1] != '=' && l.Src[i+1] != l.Src[i] || i+2 < len(l.Src) && l.Src[i+1] == '=' && l.Src[i+2] == '=') {
		i++
	}
	l.Add(Ident, max(i, l.At+1), l.Src[l.At:max(i, l.At+1)])
}

func (l *Lexer) number() {
	i := l.At
	for i < len(l.Src) {
		c := l.Src[i]
		if !(isLetter(c) || isDigit(c) || c == '.' && i+1 < len(l.Src) && isDigit(l.Src[i+1])) {
			break
		}
		i++
	}
	l.Add(Number, i, l.Src[l.At:i])
}

// regexp reads a pattern and reports whether there is one on this line.
func (l *Lexer) regexp() bool {
	class := false
	for i := l.At + 1; i < len(l.Src) && l.Src[i] != '\n'; i++ {
		switch c := l.Src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			i++
			for i < len(l.Src) && isLetter(l.Src[i]) {
				i++
			}
			l.Add(Pattern, i, "")
			return true
		}
	}
	return false
}

var operators = makeOperators("=== !== **= <=> ... ??= &&= ||= -> => :: ?. ?? &. && || == != <= >= += -= *= /= .= %= |= &= ^= ~= .. << ** ++ -- // =~ !~ := ?->")

func makeOperators(list string) map[string]bool { return Set(strings.Fields(list)...) }

func (l *Lexer) operator() {
	n := 1
	for k := min(3, len(l.Src)-l.At); k > 1; k-- {
		if text := l.Src[l.At : l.At+k]; operators[text] || text == "<>" && l.Spec.NotEqual {
			n = k
			break
		}
	}
	i := int32(len(l.Tokens))
	t := l.Add(Op, l.At+n, l.Src[l.At:l.At+n])
	switch t.Text {
	case "(", "[", "{":
		l.brackets = append(l.brackets, i)
	case ")", "]", "}":
		l.closeBracket(i)
	}
}

var closes = map[string]string{")": "(", "]": "[", "}": "{"}

// closeBracket finds the bracket that token i closes. One that was left open
// in between is given up.
func (l *Lexer) closeBracket(i int32) {
	want := closes[l.Tokens[i].Text]
	for n := len(l.brackets) - 1; n >= 0 && n > len(l.brackets)-8; n-- {
		if open := l.brackets[n]; l.Tokens[open].Text == want {
			l.Tokens[open].Match, l.Tokens[i].Match = i, open
			l.brackets = l.brackets[:n]
			return
		}
	}
}
