package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// through are functions that hand on the text they are given.
var through = wordSet("text NewScript register_script DefaultRedisScript RedisScript of freeze strip Rebind BindNamed Named In mogrify dedent trim join sql Sprintf sprintf format raw literal_column SQL createNativeQuery prepare prepareStatement trimIndent stripIndent replace lstrip rstrip squish script defineScript Script unsafe")

// fold is the text of a value, with ir.Hole for what is not known. It reports
// whether the value is a text at all.
func (f *Function) fold(e *ir.Expr) (string, bool) { return f.foldWithin(e, 24) }

func (f *Function) foldWithin(e *ir.Expr, depth int) (string, bool) {
	if e == nil || depth == 0 {
		return "", false
	}
	if t, known := f.Unit.folded[e]; known {
		return t.text, t.ok
	}
	f.Unit.folded[e] = folded{} // a text that is made of itself ends here
	text, ok := f.foldFresh(e, depth)
	f.Unit.folded[e] = folded{text, ok}
	return text, ok
}

type folded struct {
	text string
	ok   bool
}

func (f *Function) foldFresh(e *ir.Expr, depth int) (string, bool) {
	v := f.resolve(e)
	switch v.Kind {
	case ir.String:
		return v.In.foldHoles(v.Expr, depth-1), true
	case ir.Binary:
		return v.In.foldConcat(v.Expr, depth-1)
	case ir.Call, ir.New:
		return v.In.foldCall(v.Expr, depth-1)
	case ir.Name: // query, args, err := sqlx.In("...", ids)
		if d, ok := v.In.lookup(v.Name, v.Pos); ok && d.index == 0 && d.x != nil && d.x.Kind == ir.Call && through[d.x.Method()] {
			return d.in.foldWithin(d.x, depth-1)
		}
	case ir.Member:
		if f.File.Language == ir.Ruby && through[v.Name] {
			return v.In.foldWithin(v.X, depth-1)
		}
	}
	return "", false
}

func (f *Function) foldHoles(e *ir.Expr, depth int) string {
	if len(e.Args) == 0 {
		return e.Name
	}
	var b strings.Builder
	i := 0
	for _, r := range e.Name {
		if r != ir.Hole || i >= len(e.Args) {
			b.WriteRune(r)
			continue
		}
		if text, ok := f.foldWithin(e.Args[i], depth); ok && b.Len()+len(text) < maxText {
			b.WriteString(text)
		} else {
			b.WriteRune(ir.Hole)
		}
		i++
	}
	return b.String()
}

// maxText bounds what is put together of a program's strings.
const maxText = 1 << 16

func (f *Function) foldConcat(e *ir.Expr, depth int) (string, bool) {
	if e.Name == "%" {
		return f.foldWithin(e.X, depth)
	}
	if e.Name != "+" && e.Name != "." && e.Name != ".." && e.Name != "||" && e.Name != "<<" {
		return "", false
	}
	left, okL := f.foldWithin(e.X, depth)
	right, okR := f.foldWithin(e.Args[0], depth)
	if !okL && !okR || len(left)+len(right) > maxText {
		return "", false
	}
	if !okL {
		left = string(ir.Hole)
	}
	if !okR {
		right = string(ir.Hole)
	}
	return left + right, true
}

// foldCall folds the text that a call hands on, or joins.
func (f *Function) foldCall(e *ir.Expr, depth int) (string, bool) {
	if !through[e.Method()] {
		return "", false
	}
	if text, ok := f.foldWithin(e.Receiver(), depth); ok && e.Method() != "join" {
		return text, true
	}
	for i, a := range e.Args {
		if list := f.resolve(a); list.Kind == ir.List {
			return list.In.foldList(list.Expr, depth)
		}
		if text, ok := f.foldWithin(a, depth); ok && (i == 0 || e.Method() != "join") {
			return formatHoles(text), true
		}
	}
	if list := f.resolve(e.Receiver()); list.Expr != nil && list.Kind == ir.List {
		return list.In.foldList(list.Expr, depth)
	}
	return "", false
}

func (f *Function) foldList(e *ir.Expr, depth int) (string, bool) {
	var parts []string
	for _, a := range e.Args {
		text, ok := f.foldWithin(a, depth)
		if !ok {
			return "", false
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n"), len(parts) > 0
}

// formatHoles makes holes of the verbs of a format.
func formatHoles(text string) string {
	for _, verb := range []string{"%s", "%d", "%v", "%q"} {
		text = strings.ReplaceAll(text, verb, string(ir.Hole))
	}
	return text
}

// Key is the text by which two keys are compared: constants are put in, variables
// stand by their names.
func (f *Function) Key(e *ir.Expr) string { return f.keyWithin(e, 12) }

// maxKey bounds the text of a key.
const maxKey = 1 << 10

func (f *Function) keyWithin(e *ir.Expr, depth int) string {
	if e == nil || depth == 0 {
		return ""
	}
	key, known := f.Unit.keys[e]
	if !known {
		f.Unit.keys[e] = ""
		if key = f.keyFresh(e, depth); len(key) > maxKey {
			key = key[:maxKey]
		}
		f.Unit.keys[e] = key
	}
	return key
}

func (f *Function) keyFresh(e *ir.Expr, depth int) string {
	v := f.resolveKey(e)
	e, f = v.Expr, v.In
	switch e.Kind {
	case ir.String:
		return f.keyOfString(e, depth-1)
	case ir.Binary:
		if e.Name == "+" || e.Name == "." || e.Name == ".." || e.Name == "%" {
			return f.keyWithin(e.X, depth-1) + f.keyWithin(e.Args[0], depth-1)
		}
	case ir.List:
		if len(e.Args) == 1 {
			return f.keyWithin(e.Args[0], depth-1)
		}
	case ir.Name:
		return "{" + strings.TrimPrefix(e.Name, "$") + "}"
	case ir.Member:
		if f.File.Language == ir.Ruby && through[e.Name] {
			return f.keyWithin(e.X, depth-1)
		}
		return "{" + strings.TrimPrefix(e.Path(), "$") + "}"
	case ir.Number, ir.Const:
		return e.Name
	case ir.Call:
		return f.keyOfCall(e, depth-1)
	}
	return "{" + e.Path() + "}"
}

// resolveKey follows a name to a text or an expression of one, never to a call that
// may return something else each time.
func (f *Function) resolveKey(e *ir.Expr) Value {
	v := Value{e, f}
	for range 8 {
		next, ok := v.In.step(v.Expr)
		if !ok {
			break
		}
		switch next.Kind {
		case ir.String, ir.Binary, ir.Name, ir.Member, ir.List, ir.Number, ir.Await:
		case ir.Call:
			if !through[next.Method()] && !isKeyMaker(next.Method()) {
				return v
			}
		default:
			return v
		}
		v = next
	}
	return v
}

func isKeyMaker(name string) bool { return strings.Contains(strings.ToLower(name), "key") }

func (f *Function) keyOfString(e *ir.Expr, depth int) string {
	var b strings.Builder
	i := 0
	for _, r := range e.Name {
		if r == ir.Hole && i < len(e.Args) {
			b.WriteString(f.keyWithin(e.Args[i], depth))
			i++
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// verbs takes out what a format has in place of its arguments.
var verbs = strings.NewReplacer("%s", "", "%d", "", "%v", "", "{}", "")

func (f *Function) keyOfCall(e *ir.Expr, depth int) string {
	if through[e.Method()] {
		text := ""
		if e.Receiver() != nil && e.Receiver().Kind == ir.String {
			text = f.keyWithin(e.Receiver(), depth)
		}
		for _, a := range e.Args {
			text += f.keyWithin(a, depth)
		}
		return verbs.Replace(text)
	}
	if g, x := f.returnedBy(e); x != nil {
		return g.keyWithin(x, depth)
	}
	text := e.X.Path() + "("
	for _, a := range e.Args {
		text += f.keyWithin(a, depth) + ","
	}
	return "{" + text + ")}"
}

// returnedBy is what a function of the unit returns that does nothing else, as one
// that makes keys does.
func (f *Function) returnedBy(e *ir.Expr) (*Function, *ir.Expr) {
	g := f.Unit.callee(f, e)
	if g == nil || g == f || len(g.Body) != 1 {
		return nil, nil
	}
	s := g.Body[0]
	if s.Does == ir.Return || g.Short && s.Does == ir.Eval {
		return g, s.X
	}
	return nil, nil
}

// sameKey reports whether two keys are the same one. Across functions a key is
// often called differently by a little: key, this.key, g.Key.
func sameKey(a, b string) bool {
	if a == b {
		return a != ""
	}
	a, b = bareKey(a), bareKey(b)
	return a != "" && a == b
}

// bareKey is the last word of a key that is only a variable, in lower case; a
// pattern with its variables taken out otherwise.
func bareKey(k string) string {
	if strings.Count(k, "{") == 1 && strings.HasPrefix(k, "{") && strings.HasSuffix(k, "}") {
		return "{" + strings.ToLower(strings.ReplaceAll(lastWord(k[1:len(k)-1]), "_", ""))
	}
	var b strings.Builder
	depth := 0
	for _, r := range k {
		switch r {
		case '{':
			if depth++; depth == 1 {
				b.WriteByte('*')
			}
		case '}':
			depth--
		default:
			if depth <= 0 {
				b.WriteRune(r)
			}
		}
	}
	if strings.Trim(b.String(), "*: ") == "" {
		return ""
	}
	return b.String()
}

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
