package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/ringfence-go/ringfence/review/ir"
)

// value is what a statement is worth as a condition.
func (l *lowering) value(s *syntax.Stmt) *ir.Expr {
	x := l.plainValue(s)
	if s.Negated {
		return not(x)
	}
	return x
}

func (l *lowering) plainValue(s *syntax.Stmt) *ir.Expr {
	e := &ir.Expr{Kind: ir.Bad, Pos: at(s.Pos()), End: at(s.End())}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			return l.commandCall(s, c.Args)
		}
		if len(c.Assigns) == 1 && c.Assigns[0].Value != nil {
			return l.word(c.Assigns[0].Value)
		}
	case *syntax.BinaryCmd:
		e.Kind, e.Name, e.X, e.Args = ir.Binary, c.Op.String(), l.value(c.X), []*ir.Expr{l.value(c.Y)}
		if c.Op == syntax.Pipe {
			e.Kind, e.Args = ir.List, []*ir.Expr{e.X, e.Args[0]}
			e.X = nil
		}
	case *syntax.TestClause:
		return l.test(c.X)
	case *syntax.Subshell:
		e.Kind = ir.List
		for _, inner := range c.Stmts {
			e.Args = append(e.Args, l.value(inner))
		}
	}
	return e
}

func (l *lowering) test(x syntax.TestExpr) *ir.Expr {
	e := &ir.Expr{Kind: ir.Bad, Pos: at(x.Pos()), End: at(x.End())}
	switch x := x.(type) {
	case *syntax.Word:
		return l.word(x)
	case *syntax.ParenTest:
		return l.test(x.X)
	case *syntax.UnaryTest:
		e.Kind, e.Name, e.X = ir.Unary, x.Op.String(), l.test(x.X)
	case *syntax.BinaryTest:
		e.Kind, e.Name, e.X, e.Args = ir.Binary, x.Op.String(), l.test(x.X), []*ir.Expr{l.test(x.Y)}
	}
	return e
}

// call makes statements of a simple command: its assignments, and what it runs.
func (l *lowering) call(s *syntax.Stmt, c *syntax.CallExpr) []*ir.Stmt {
	list := l.assigns(c.Assigns)
	if len(c.Args) == 0 {
		return list
	}
	e := l.commandCall(s, c.Args)
	out := &ir.Stmt{Does: ir.Eval, Pos: at(c.Args[0].Pos()), X: e}
	switch e.Method() {
	case "exit":
		out.Does = ir.Raise
	case "return":
		out.Does, out.X = ir.Return, e.Arg(0)
	case "break", "continue":
		out.Does = ir.Leave
	case "trap":
		l.trap(out, e)
	}
	return append(list, out)
}

// trap makes a deferred call of a command that runs at the end.
func (l *lowering) trap(s *ir.Stmt, e *ir.Expr) {
	text, ok := e.Arg(0).Literal()
	if !ok {
		if e.Arg(0) == nil || e.Arg(0).Kind != ir.String {
			return
		}
		text = e.Arg(0).Name
	}
	inner := parse("", []byte(text), l.words)
	body := inner.Top().Body
	if len(body) == 0 || body[0].X == nil {
		return
	}
	f := &ir.Func{Outer: l.fn, File: l.file, Pos: s.Pos, End: e.End, Body: body}
	ir.EachStmt(body, func(b *ir.Stmt) { b.Pos, b.End = e.Pos, e.End })
	ir.EachExpr(body, func(x *ir.Expr) bool { x.Pos, x.End = e.Pos, e.End; return true })
	l.file.Funcs = append(l.file.Funcs, f)
	s.Does = ir.Defer
	s.X = &ir.Expr{Kind: ir.Call, Pos: e.Pos, End: e.End, X: &ir.Expr{Kind: ir.Lambda, Pos: e.Pos, End: e.End, Func: f}}
}

func (l *lowering) assigns(list []*syntax.Assign) (out []*ir.Stmt) {
	for _, a := range list {
		if a.Name != nil && a.Array != nil && len(a.Array.Elems) > 0 && a.Array.Elems[0].Value != nil && clients[base(a.Array.Elems[0].Value.Lit())] != "" {
			l.words[a.Name.Value] = nil
			for _, x := range a.Array.Elems {
				l.words[a.Name.Value] = append(l.words[a.Name.Value], x.Value)
			}
		}
		if a.Name == nil || a.Value == nil {
			continue
		}
		to := &ir.Expr{Kind: ir.Name, Name: a.Name.Value, Pos: at(a.Pos()), End: at(a.Name.End())}
		l.remember(a)
		out = append(out, &ir.Stmt{Does: ir.Let, Pos: to.Pos, End: at(a.End()), To: []*ir.Expr{to}, X: l.word(a.Value)})
	}
	return out
}

// remember keeps a variable that holds a command with its options.
func (l *lowering) remember(a *syntax.Assign) {
	text := strings.Trim(string(l.src[a.Value.Pos().Offset():min(len(l.src), int(a.Value.End().Offset()))]), `"'`)
	name, _, _ := strings.Cut(text, " ")
	if clients[base(name)] == "" {
		return
	}
	for w, err := range syntax.NewParser().WordsSeq(strings.NewReader(text)) {
		if err != nil {
			return
		}
		l.words[a.Name.Value] = append(l.words[a.Name.Value], w)
	}
}

// clients are the programs that talk to a store, and the options of theirs that
// take a value.
var clients = map[string]string{
	"redis-cli": "hpsuanitdDb", "valkey-cli": "hpsuanitdDb", "keydb-cli": "hpsuanitd",
	"psql": "hpUdvFRTPo", "mysql": "hPuD", "mariadb": "hPuD", "etcdctl": "", "consul": "", "sqlite3": "", "docker": "", "kubectl": "",
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// commandCall makes a call of a command. One that talks to a store becomes a
// method of its client: redis-cli -h cache SET k v is redis-cli.set(k, v).
func (l *lowering) commandCall(s *syntax.Stmt, words []*syntax.Word) *ir.Expr {
	words = l.expand(words)
	pos, end := at(s.Pos()), at(s.End())
	name := base(words[0].Lit())
	if v := variable(words[0]); v == "@" || v == "*" {
		name = v // what the function was called with is the command
	}
	e := &ir.Expr{Kind: ir.Call, Pos: pos, End: end, X: &ir.Expr{Kind: ir.Name, Name: name, Pos: pos, End: end}}
	for _, w := range words[1:] {
		e.Args = append(e.Args, l.word(w))
	}
	if name == "[" || name == "test" {
		return brackets(e)
	}
	if takes, ok := clients[name]; ok {
		l.client(e, s, takes)
	}
	return e
}

// expand puts what a variable or a function of the script stands for in the place of the
// first word, and leaves out a program that only runs another one.
func (l *lowering) expand(words []*syntax.Word) []*syntax.Word {
	name := variable(words[0])
	if name == "" {
		name = words[0].Lit() + "()"
	}
	if l.words[name] != nil {
		words = append(append([]*syntax.Word{}, l.words[name]...), words[1:]...)
	}
	if !runners[words[0].Lit()] {
		return words
	}
	for i, w := range words {
		if c := base(w.Lit()); strings.HasSuffix(c, "-cli") && clients[c] != "" {
			return words[i:]
		}
	}
	return words
}

// runners are programs that run another one.
var runners = map[string]bool{"timeout": true, "sudo": true, "command": true, "exec": true, "env": true, "nice": true, "docker": true, "docker-compose": true, "kubectl": true, "podman": true, "ssh": true}

// stands notes that a function does nothing but call a client with all of its arguments.
func (l *lowering) stands(c *syntax.FuncDecl) {
	block, ok := c.Body.Cmd.(*syntax.Block)
	if !ok || len(block.Stmts) != 1 {
		return
	}
	call, ok := block.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return
	}
	words := l.expand(call.Args)
	if last := len(words) - 1; clients[base(words[0].Lit())] != "" && variable(words[last]) == "@" {
		l.words[c.Name.Value+"()"] = words[:last]
	}
}

func variable(w *syntax.Word) string {
	if len(w.Parts) != 1 {
		return ""
	}
	if p, ok := w.Parts[0].(*syntax.ParamExp); ok && p.Param != nil {
		return p.Param.Value
	}
	if q, ok := w.Parts[0].(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		if p, ok := q.Parts[0].(*syntax.ParamExp); ok && p.Param != nil {
			return p.Param.Value
		}
	}
	return ""
}

// brackets makes a comparison of [ a = b ].
func brackets(e *ir.Expr) *ir.Expr {
	args := e.Args
	if n := len(args); n > 0 && args[n-1].Name == "]" {
		args = args[:n-1]
	}
	if len(args) > 0 && args[0].Name == "!" {
		return not(brackets(&ir.Expr{Pos: e.Pos, End: e.End, Args: args[1:]}))
	}
	switch len(args) {
	case 2:
		return &ir.Expr{Kind: ir.Unary, Name: args[0].Name, Pos: e.Pos, End: e.End, X: args[1]}
	case 3:
		return &ir.Expr{Kind: ir.Binary, Name: args[1].Name, Pos: e.Pos, End: e.End, X: args[0], Args: args[2:]}
	}
	return &ir.Expr{Kind: ir.List, Pos: e.Pos, End: e.End, Args: args}
}

// client drops the options in front of what a client is told to do.
func (l *lowering) client(e *ir.Expr, s *syntax.Stmt, takes string) {
	client := e.X.Name
	args := e.Args
	for len(args) > 0 {
		opt, ok := args[0].Literal()
		switch {
		case ok && (opt == "-c" || opt == "-e" || opt == "-tAc" || opt == "-Atc" || opt == "-qtAc" || opt == "-Ne" || opt == "-Nse" || opt == "-Atqc" || opt == "--command") && client != "redis-cli" && len(args) > 1:
			l.method(e, "query", args[1:])
			return
		case ok && strings.HasPrefix(opt, "-"):
			if len(opt) == 2 && strings.Contains(takes, opt[1:]) && len(args) > 1 {
				args = args[1:]
			}
			args = args[1:]
		case client == "psql" || client == "mysql" || client == "mariadb":
			args = args[1:]
		default:
			l.method(e, strings.ToLower(opt), args[1:])
			return
		}
	}
	for _, r := range s.Redirs {
		if r.Hdoc != nil {
			l.method(e, "query", []*ir.Expr{l.word(r.Hdoc)})
		}
	}
}

func (l *lowering) method(e *ir.Expr, name string, args []*ir.Expr) {
	e.X = &ir.Expr{Kind: ir.Member, Name: name, Pos: e.X.Pos, End: e.X.Pos + ir.Pos(len(name)), X: e.X}
	e.Args = args
}

// word makes a string of a word, with what is substituted in it as holes.
func (l *lowering) word(w *syntax.Word) *ir.Expr {
	e := &ir.Expr{Kind: ir.String, Pos: at(w.Pos()), End: at(w.End())}
	l.parts(e, w.Parts)
	if len(e.Args) == 1 && e.Name == string(ir.Hole) {
		return e.Args[0]
	}
	return e
}

func (l *lowering) parts(e *ir.Expr, parts []syntax.WordPart) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			e.Name += p.Value
		case *syntax.SglQuoted:
			e.Name += p.Value
		case *syntax.DblQuoted:
			l.parts(e, p.Parts)
		case *syntax.ParamExp:
			name := ""
			if p.Param != nil {
				name = p.Param.Value
			}
			l.hole(e, &ir.Expr{Kind: ir.Name, Name: name, Pos: at(p.Pos()), End: at(p.End())})
		case *syntax.CmdSubst:
			l.hole(e, l.substituted(p))
		default:
			l.hole(e, &ir.Expr{Kind: ir.Bad, Pos: at(p.Pos()), End: at(p.End())})
		}
	}
}

func (l *lowering) hole(e, x *ir.Expr) {
	e.Name += string(ir.Hole)
	e.Args = append(e.Args, x)
}

func (l *lowering) substituted(p *syntax.CmdSubst) *ir.Expr {
	if n := len(p.Stmts); n > 0 && l.deeper(at(p.Pos())) {
		defer func() { l.depth-- }()
		return l.value(p.Stmts[n-1])
	}
	return &ir.Expr{Kind: ir.Bad, Pos: at(p.Pos()), End: at(p.End())}
}
