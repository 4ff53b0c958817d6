package syntax

// TokenKind tells tokens apart.
type TokenKind uint8

// The kinds of tokens.
const (
	EOF TokenKind = iota
	Ident
	Number
	Text    // a string
	Pattern // a regular expression
	Op      // operators and brackets
)

// A Token is a piece of source.
type Token struct {
	Kind     TokenKind
	Line     bool // the first on its line, where lines matter: not inside brackets
	NewLine  bool // the first on its line
	Space    bool // white space stands before it
	Pos, End int32
	Column   int32 // of the first token of a line
	Match    int32 // the index of the bracket that belongs to this one; 0 if none does
	Text     string
	Holes    []Span // what is interpolated into a string, as source
}

// A Span is a piece of the source.
type Span struct{ From, To int32 }

// Is reports whether the token is that operator, bracket or word.
func (t Token) Is(text string) bool {
	return (t.Kind == Op || t.Kind == Ident) && t.Text == text
}

// In reports whether the token is one of the operators or words.
func (t Token) In(set map[string]bool) bool {
	return (t.Kind == Op || t.Kind == Ident) && set[t.Text]
}

// Set makes a set of words.
func Set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
