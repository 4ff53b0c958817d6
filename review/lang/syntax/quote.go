package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/review/ir"
)

// quote reads a string, if one begins here.
func (l *Lexer) quote() bool {
	for i := range l.Spec.Quotes {
		if q := &l.Spec.Quotes[i]; strings.HasPrefix(l.Src[l.At:], q.Open) {
			l.ReadString(q, l.At+len(q.Open))
			return true
		}
	}
	return false
}

// ReadString reads a string whose text begins at from.
func (l *Lexer) ReadString(q *Quote, from int) {
	r := reader{q: q, src: l.Src, at: from}
	r.run()
	t := l.Add(Text, min(r.at, len(l.Src)), r.text.String())
	t.Holes = r.holes
}

// reader reads the text of one string.
type reader struct {
	q     *Quote
	src   string
	at    int
	text  strings.Builder
	holes []Span
}

func (r *reader) run() {
	for r.at < len(r.src) {
		switch rest := r.src[r.at:]; {
		case strings.HasPrefix(rest, r.q.Close):
			r.at += len(r.q.Close)
			return
		case rest[0] == '\n' && !r.q.Lines:
			return
		case rest[0] == '\\' && !r.q.Raw:
			r.escape()
		case rest[0] == '\\' && r.q.Pairs && len(rest) > 1:
			r.text.WriteString(rest[:2])
			r.at += 2
		case r.q.Hole != "" && strings.HasPrefix(rest, r.q.Hole):
			r.hole()
		case r.q.Names && rest[0] == '$' && len(rest) > 1 && isLetter(rest[1]):
			r.name()
		default:
			r.plain(rest)
		}
	}
}

// plain takes everything up to the next byte that may mean something.
func (r *reader) plain(rest string) {
	n := 1
	for n < len(rest) && rest[n] != r.q.Close[0] && rest[n] != '\\' && rest[n] != '\n' && rest[n] != '$' && rest[n] != '#' && rest[n] != '{' {
		n++
	}
	r.text.WriteString(rest[:n])
	r.at += n
}

func (r *reader) escape() {
	r.at++
	if r.at >= len(r.src) {
		return
	}
	c, n := utf8.DecodeRuneInString(r.src[r.at:])
	r.at += n
	switch c {
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case '\n':
		return
	}
	r.text.WriteRune(c)
}

// hole takes an interpolation up to the brace that closes it.
func (r *reader) hole() {
	if r.q.Hole == "{" && strings.HasPrefix(r.src[r.at:], "{{") {
		r.text.WriteByte('{')
		r.at += 2
		return
	}
	from := r.at + len(r.q.Hole)
	if r.q.Hole == "{$" {
		from--
	}
	depth := 1
	i := from
	for ; i < len(r.src) && depth > 0 && (r.q.Lines || r.src[i] != '\n'); i++ {
		switch r.src[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	r.at = i
	r.addHole(from, max(from, i-1))
}

// name takes $name, $name->field and $name[...].
func (r *reader) name() {
	from := r.at
	r.word()
	if rest := r.src[r.at:]; len(rest) > 2 && strings.HasPrefix(rest, "->") && isLetter(rest[2]) {
		r.at += 2
		r.word()
	}
	r.addHole(from, r.at)
}

func (r *reader) word() {
	r.at++
	for r.at < len(r.src) && (isLetter(r.src[r.at]) || isDigit(r.src[r.at])) {
		r.at++
	}
}

func (r *reader) addHole(from, to int) {
	r.text.WriteRune(ir.Hole)
	r.holes = append(r.holes, Span{int32(from), int32(to)})
}

// Heredoc makes a token of the lines that follow this one, up to one that is only
// the word, and takes n bytes of this line as its place. The quote says how its
// text is read.
func (l *Lexer) Heredoc(n int, word string, q Quote) {
	l.Add(Text, l.At+n, "")
	l.pending = append(l.pending, pending{len(l.Tokens) - 1, func(l *Lexer, t *Token) {
		l.heredocText(t, word, q)
	}})
}

func (l *Lexer) readPending() {
	for _, p := range l.pending {
		p.read(l, &l.Tokens[p.token])
	}
	l.pending = l.pending[:0]
}

func (l *Lexer) heredocText(t *Token, word string, q Quote) {
	from := l.At
	for l.At < len(l.Src) {
		line, _, more := strings.Cut(l.Src[l.At:], "\n")
		if endsHeredoc(line, word) {
			break
		}
		l.At += len(line)
		if more {
			l.At++
		}
	}
	q.Close, q.Lines = "\xff\xff", true
	r := reader{q: &q, src: l.Src[:l.At], at: from}
	r.run()
	t.Text, t.Holes = r.text.String(), r.holes
	t.End = int32(l.At)
	l.closeHeredoc(word)
}

func endsHeredoc(line, word string) bool {
	line = strings.TrimLeft(line, " \t")
	rest, ok := strings.CutPrefix(line, word)
	return ok && (rest == "" || !isLetter(rest[0]) && !isDigit(rest[0]))
}

// closeHeredoc steps over the word that ends a heredoc; what follows it on the
// line belongs to the statement.
func (l *Lexer) closeHeredoc(word string) {
	line, _, _ := strings.Cut(l.Src[l.At:], "\n")
	if i := strings.Index(line, word); i >= 0 {
		l.At += i + len(word)
		l.newLine = strings.TrimSpace(line[i+len(word):]) == ""
	}
}
