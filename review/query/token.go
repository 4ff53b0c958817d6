package query

import "strings"

type token struct {
	text  string // words in lower case
	raw   string // words as they are written
	depth int
	str   bool
	at    int
}

// tokens cuts a statement into words, numbers, strings and signs. Quotes around a
// name are dropped, comments skipped.
func tokens(text string) (list []token) {
	depth := 0
	for i := 0; i < len(text); {
		c, from := text[i], i
		switch {
		case c <= ' ' && c != 0: // a hole is an operand
			i++
			continue
		case strings.HasPrefix(text[i:], "--") || c == '#' && strings.HasPrefix(text[i:], "# "):
			i += skipTo(text[i:], "\n")
			continue
		case strings.HasPrefix(text[i:], "/*"):
			i += skipTo(text[i:], "*/")
			continue
		case c == '\'':
			i += quoted(text[i:])
			list = append(list, token{text: text[from:i], depth: depth, str: true, at: from})
		case c == '"' || c == '`':
			i += quoted(text[i:])
			name := strings.Trim(text[from:i], "\"`")
			list = append(list, token{text: strings.ToLower(name), raw: name, depth: depth, at: from})
		case c == '$' && dollarQuote(text[i:]) != "":
			tag := dollarQuote(text[i:])
			i += len(tag)
			i += skipTo(text[i:], tag)
			list = append(list, token{text: text[from:i], depth: depth, str: true, at: from})
		case strings.HasPrefix(text[i:], "#{") || strings.HasPrefix(text[i:], "${"): // a value that MyBatis puts in
			i += skipTo(text[i:], "}")
			list = append(list, token{text: ":" + strings.ToLower(strings.Trim(text[from:i], "#${}")), depth: depth, at: from})
		case isWord(c):
			for i < len(text) && isWord(text[i]) {
				i++
			}
			list = append(list, token{text: strings.ToLower(text[from:i]), raw: text[from:i], depth: depth, at: from})
		case c == ')':
			i++
			depth = max(0, depth-1)
			list = append(list, token{text: ")", depth: depth, at: from})
		case c == '(':
			i++
			list = append(list, token{text: "(", depth: depth, at: from})
			depth++
		default:
			i += sign(text[i:])
			list = append(list, token{text: text[from:i], depth: depth, at: from})
		}
	}
	return list
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || c == 0
}

// sign is the length of the operator that stands here.
func sign(text string) int {
	if len(text) > 1 {
		switch text[:2] {
		case "<=", ">=", "<>", "!=", "::", ":=", "||", "->", "=>":
			return 2
		}
		if text[0] == ':' && isWord(text[1]) {
			n := 1
			for n < len(text) && isWord(text[n]) {
				n++
			}
			return n
		}
	}
	return 1
}

func skipTo(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if text[i] == text[0] {
			return i + 1
		}
	}
	return len(text)
}

// dollarQuote is the tag that opens a string in the style of PostgreSQL, "" if
// none does.
func dollarQuote(text string) string {
	for i := 1; i < len(text) && i < 40; i++ {
		if text[i] == '$' {
			return text[:i+1]
		}
		if c := text[i]; c != '_' && !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 1 && c >= '0' && c <= '9') {
			break
		}
	}
	return ""
}

// A Part is one statement of a text, and where it stands.
type Part struct {
	Text string
	At   int
}

// Split cuts a text at its semicolons, not inside of strings or comments.
func Split(text string) (parts []Part) {
	from := 0
	add := func(to int) {
		part := text[from:to]
		trimmed := strings.TrimLeft(part, " \t\r\n")
		if strings.TrimSpace(part) != "" {
			parts = append(parts, Part{trimmed, from + len(part) - len(trimmed)})
		}
	}
	for _, t := range tokens(text) {
		if t.text == ";" && !t.str {
			add(t.at)
			from = t.at + 1
		}
	}
	add(len(text))
	return parts
}
