package shell

import "github.com/ringfence-go/ringfence/review/ir"

// maxDepth bounds nesting, as in the other languages.
const maxDepth = 200

// maxOpen bounds what the parser of scripts is given to read, which has no bound itself: so
// many brackets that nothing has closed, in strings and comments too.
const maxOpen = 10_000

// shallow is the part of a script before so much is open, or joined in one command, that
// the parser's stack may not hold it. Words that open a list of commands count as brackets do.
func shallow(src []byte) (text []byte, cut bool) {
	open, joined, word := 0, 0, 0
	for i, c := range src {
		if c >= 'a' && c <= 'z' {
			word++
			continue
		}
		open = max(0, open+opens(src[i-word:i]))
		word = 0
		switch c {
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open = max(0, open-1)
		case '|', '&', '!':
			joined++
		case '\n', ';':
			joined = 0
		}
		if open > maxOpen || joined > maxOpen {
			return src[:i], true
		}
	}
	return src, false
}

// opens is how many lists of commands a word opens, or closes.
func opens(word []byte) int {
	switch string(word) {
	case "if", "for", "while", "until", "case", "select":
		return 1
	case "fi", "done", "esac":
		return -1
	}
	return 0
}

// deeper goes one level further in, and reports whether the bound allows it.
func (l *lowering) deeper(p ir.Pos) bool {
	if l.depth >= maxDepth {
		l.tooDeep(p)
		return false
	}
	l.depth++
	return true
}

// tooDeep notes, once, that what is further in was not read.
func (l *lowering) tooDeep(p ir.Pos) {
	for _, f := range l.file.Faults {
		if f.Text == tooDeepText {
			return
		}
	}
	l.file.Faults = append(l.file.Faults, ir.Fault{Pos: p, Text: tooDeepText})
}

const tooDeepText = "nested too deeply"
