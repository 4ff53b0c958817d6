// Package query reads what a rule has to see of an SQL statement: which table it
// touches, what it sets, on what condition. It reads every dialect alike, and
// skips what it does not know.
package query

import "strings"

// A Statement is one SQL statement.
type Statement struct {
	Verb       string // in lower case: select, insert, update, delete, merge, begin, ...
	Table      string // as it is written, without its schema
	Sets       []Pair // SET a = x, or the columns of an INSERT with their values
	Where      []Pair // the comparisons of WHERE and HAVING, of a conflict clause too
	Columns    []string
	Conflict   string // "nothing" or "update", for every dialect's way to say it
	ForUpdate  bool
	SkipLocked bool
	Returning  []string
	Calls      []string // functions, in lower case
	Into       []string // the variables that SELECT INTO fills
	Text       string
}

// A Pair is a column with the text of a value, and what stands in between.
type Pair struct {
	Column, Op, Value string
	Conflict          bool // it belongs to the conflict clause of an INSERT
}

var verbs = map[string]bool{
	"select": true, "insert": true, "update": true, "delete": true, "merge": true, "replace": true, "begin": true,
	"start": true, "commit": true, "rollback": true, "call": true, "do": true, "exec": true, "lock": true, "perform": true, "upsert": true, "values": true,
	"create": true, "drop": true, "alter": true, "truncate": true, "notify": true, "with": true, "prepare": true, "execute": true,
}

// Looks reports whether a text begins like a statement. It is quick, and asked of
// every string of a program.
func Looks(text string) bool {
	for {
		text = strings.TrimLeft(text, " \t\r\n(;")
		if !strings.HasPrefix(text, "--") {
			break
		}
		if _, text, _ = strings.Cut(text, "\n"); text == "" {
			return false
		}
	}
	n := 0
	for n < len(text) && n < 12 && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	if n < 2 {
		return false
	}
	word := strings.ToLower(text[:n])
	if n == len(text) {
		return word == "begin" || word == "commit" || word == "rollback"
	}
	return verbs[word] && (text[n] <= ' ' || text[n] == '(' || text[n] == ';' || text[n] == '*')
}

// Parse reads a statement. It returns nil if the text is none.
func Parse(text string) *Statement {
	if !Looks(text) {
		return nil
	}
	r := reader{toks: tokens(text), s: &Statement{Text: text}}
	r.skipPreface()
	r.verb()
	r.whole()
	return r.s
}

// ParseAll reads the statements of a text, which semicolons divide.
func ParseAll(text string) (list []*Statement) {
	for _, part := range Split(text) {
		if s := Parse(part.Text); s != nil {
			list = append(list, s)
		}
	}
	return list
}

// Has reports whether a function is called.
func (s *Statement) Has(function string) bool {
	for _, c := range s.Calls {
		if c == function {
			return true
		}
	}
	return false
}

// Set is the value that a column is set to.
func (s *Statement) Set(match func(column string) bool) (Pair, bool) {
	return find(s.Sets, match)
}

// Test is the comparison of a column in the condition of the statement.
func (s *Statement) Test(match func(column string) bool) (Pair, bool) {
	return find(s.Where, match)
}

// Compared is the comparison of a column by its order, or by whatever there is, in the
// condition of the statement.
func (s *Statement) Compared(match func(column string) bool) (Pair, bool) {
	for _, p := range s.Where {
		if match(p.Column) && strings.ContainsAny(p.Op, "<>") && p.Op != "<>" {
			return p, true
		}
	}
	return s.Test(match)
}

func find(list []Pair, match func(string) bool) (Pair, bool) {
	for _, p := range list {
		if match(p.Column) {
			return p, true
		}
	}
	return Pair{}, false
}

// Writes reports whether the statement changes rows.
func (s *Statement) Writes() bool {
	switch s.Verb {
	case "insert", "update", "delete", "merge", "replace", "upsert":
		return true
	}
	return false
}
