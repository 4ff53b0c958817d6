package query

import (
	"cmp"
	"slices"
	"strings"
)

type reader struct {
	toks []token
	i    int
	s    *Statement
}

func (r *reader) peek() token {
	if r.i < len(r.toks) {
		return r.toks[r.i]
	}
	return token{depth: -1}
}

func (r *reader) accept(words ...string) bool {
	for k, w := range words {
		if r.i+k >= len(r.toks) || r.toks[r.i+k].text != w {
			return false
		}
	}
	r.i += len(words)
	return true
}

// skipPreface steps over WITH x AS (...), and PREPARE x AS.
func (r *reader) skipPreface() {
	for r.accept("(") || r.accept(";") {
	}
	switch r.peek().text {
	case "prepare":
		for r.i < len(r.toks) && !r.accept("as") {
			r.i++
		}
	case "explain":
		r.i++
	}
	if r.peek().text != "with" {
		return
	}
	base := r.peek().depth
	for r.i++; r.i < len(r.toks); r.i++ {
		if t := r.peek(); t.depth == base && verbs[t.text] {
			return
		}
	}
}

func (r *reader) verb() {
	r.s.Verb = r.peek().text
	r.i++
	switch r.s.Verb {
	case "insert", "replace", "upsert":
		r.insert()
	case "update":
		r.accept("only")
		r.accept("low_priority")
		r.s.Table = r.name()
		r.untilSet()
	case "delete", "merge":
		r.accept("from")
		r.accept("into")
		r.s.Table = r.name()
	case "select", "perform":
		r.columns()
	case "lock", "truncate":
		r.accept("table")
		r.accept("tables")
		r.s.Table = r.name()
	case "call", "exec", "execute":
		r.s.Calls = append(r.s.Calls, strings.ToLower(r.name()))
	case "start":
		r.s.Verb = "begin"
	}
}

// name reads a.b."c" and returns the last part.
func (r *reader) name() string {
	r.accept("[")
	name := r.peek().raw
	r.i++
	r.accept("]")
	for r.accept(".") {
		r.accept("[")
		name = r.peek().raw
		r.i++
		r.accept("]")
	}
	return name
}

func (r *reader) insert() {
	if r.accept("ignore") || r.accept("or", "ignore") {
		r.s.Conflict = "nothing"
	}
	if r.accept("or", "replace") || r.s.Verb != "insert" {
		r.s.Conflict = "update"
	}
	r.accept("into")
	r.s.Table = r.name()
	if r.accept("as") {
		r.i++
	} else if t := r.peek(); t.text != "(" && t.text != "values" && t.text != "select" && t.text != "set" && t.text != "default" {
		r.i++
	}
	if !r.accept("(") {
		r.accept("set")
		r.sets(false)
		return
	}
	var columns []string
	for r.i < len(r.toks) && r.peek().text != ")" {
		if t := r.peek(); t.raw != "" {
			columns = append(columns, t.raw)
		}
		r.i++
	}
	r.accept(")")
	for r.i < len(r.toks) && r.peek().text != "values" && r.peek().text != "select" {
		r.i++
	}
	inner := r.peek().depth
	if r.accept("values") {
		r.accept("(")
		inner++
	} else {
		r.i++
	}
	for _, c := range columns {
		r.s.Sets = append(r.s.Sets, Pair{Column: c, Op: "=", Value: r.value(inner, ",")})
		r.accept(",")
	}
}

// value reads up to one of the words on this level.
func (r *reader) value(depth int, ends ...string) string {
	var b strings.Builder
	for r.i < len(r.toks) {
		t := r.peek()
		if t.depth < depth || t.depth == depth && contains(ends, t.text) && !t.str {
			break
		}
		if b.Len() > 0 && t.text != "(" && t.text != ")" && t.text != "." && t.text != "," {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		r.i++
	}
	return b.String()
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// untilSet steps to the assignments of an UPDATE.
func (r *reader) untilSet() {
	for r.i < len(r.toks) && !r.accept("set") {
		r.i++
	}
	r.sets(false)
}

var clauses = []string{"where", "from", "returning", "on", "order", "limit", "output", ";", "values", "select", "when"}

// sets reads a = x, b = y.
func (r *reader) sets(conflict bool) {
	depth := r.peek().depth
	for r.i < len(r.toks) && !contains(clauses, r.peek().text) {
		column := r.name()
		if !r.accept("=") && !r.accept(":=") {
			break
		}
		r.s.Sets = append(r.s.Sets, Pair{Column: column, Op: "=", Value: r.value(depth, append(clauses, ",")...), Conflict: conflict})
		if !r.accept(",") {
			break
		}
	}
}

func (r *reader) columns() {
	depth := r.peek().depth
	for r.i < len(r.toks) {
		switch t := r.peek(); {
		case t.depth < depth || t.depth == depth && t.text == "from":
			if r.accept("from") && r.peek().text != "(" {
				r.s.Table = r.name()
			}
			return
		case t.depth == depth && t.text == "into":
			r.i++
			r.into()
			continue
		case t.depth == depth && strings.HasPrefix(t.text, "@") && r.i+1 < len(r.toks) && r.toks[r.i+1].text == "=":
			r.s.Into = append(r.s.Into, t.text) // SELECT @who = owner
			r.i++
		case t.depth == depth && !t.str && t.text != "" && isWord(t.text[0]):
			r.s.Columns = append(r.s.Columns, t.text)
		}
		r.i++
	}
}

func (r *reader) into() {
	r.accept("strict")
	for r.i < len(r.toks) && r.peek().text != "from" {
		if t := r.peek(); t.text != "," {
			r.s.Into = append(r.s.Into, t.text)
		}
		r.i++
		if r.peek().text != "," {
			return
		}
	}
}

// whole looks for what may stand anywhere: conditions, calls, clauses.
func (r *reader) whole() {
	inWhere, conflict := false, false
	for i, t := range r.toks {
		if t.str {
			continue
		}
		next := ""
		if i+1 < len(r.toks) {
			next = r.toks[i+1].text
		}
		switch t.text {
		case "where", "having":
			inWhere = true
		case "conflict", "duplicate":
			conflict, inWhere = true, false
			r.conflict(i)
		case "returning", "output":
			inWhere = false
			r.returning(i + 1)
		case "order", "limit", "group":
			inWhere = false
		case "for":
			if next == "update" || next == "no" || next == "share" {
				r.s.ForUpdate, inWhere = true, false
			}
		case "skip":
			r.s.SkipLocked = r.s.SkipLocked || next == "locked"
		case "(":
			r.call(i)
		case "=", "<", ">", "<=", ">=", "<>", "!=", "is", "in", "between", "like":
			if inWhere {
				r.compare(i, conflict)
			}
		}
	}
}

func (r *reader) call(i int) {
	if i == 0 || r.toks[i-1].str || r.toks[i-1].text == "" || !isWord(r.toks[i-1].text[0]) {
		return
	}
	if name := r.toks[i-1].text; !contains([]string{"values", "in", "and", "or", "where", "as", "on", "set", "exists", "not", "from", "into"}, name) {
		r.s.Calls = append(r.s.Calls, name)
	}
}

// compare notes the comparison at token i, with its column on the left.
func (r *reader) compare(i int, conflict bool) {
	left, right := r.side(i, -1), r.side(i, 1)
	if left == "" || right == "" {
		return
	}
	op := r.toks[i].text
	r.s.Where = append(r.s.Where, Pair{left, op, right, conflict})
	if flipped, ok := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}[op]; ok {
		r.s.Where = append(r.s.Where, Pair{right, flipped, left, conflict})
	}
}

var ends = []string{"and", "or", "where", "returning", "for", "order", "limit", "group", "not", "on", "set", "then", "when", ";", ","}

// side is the text on one side of a comparison, without its schema and alias if it
// is a column.
func (r *reader) side(i, step int) string {
	depth := r.toks[i].depth
	var parts, raws []string
	for k := i + step; k >= 0 && k < len(r.toks) && len(parts) < 40; k += step {
		t := r.toks[k]
		if t.depth < depth || t.depth == depth && contains(ends, t.text) && !t.str {
			break
		}
		parts, raws = append(parts, t.text), append(raws, cmp.Or(t.raw, t.text))
	}
	if step < 0 {
		slices.Reverse(parts)
		slices.Reverse(raws)
	}
	if n := len(parts); n >= 3 && parts[n-2] == "." && n <= 5 || n == 1 {
		return raws[n-1]
	}
	return strings.Join(parts, " ")
}

func (r *reader) conflict(i int) {
	r.s.Conflict = "update"
	for k := i; k < len(r.toks) && k < i+30; k++ {
		if r.toks[k].text == "do" || r.toks[k].text == "key" {
			if k+1 < len(r.toks) && r.toks[k+1].text == "nothing" {
				r.s.Conflict = "nothing"
				return
			}
			r.i = k + 1
			r.accept("update")
			r.accept("set")
			r.sets(true)
			return
		}
	}
}

func (r *reader) returning(i int) {
	for ; i < len(r.toks) && !contains(clauses, r.toks[i].text); i++ {
		if t := r.toks[i]; !t.str && t.text != "" && isWord(t.text[0]) {
			r.s.Returning = append(r.s.Returning, t.text)
		}
	}
}
