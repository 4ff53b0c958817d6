package golang

import (
	"go/ast"
	"go/token"

	"github.com/ringfence-go/ringfence/review/ir"
)

func (l *lowering) block(b *ast.BlockStmt) (list []*ir.Stmt) {
	return l.stmts(b.List)
}

func (l *lowering) stmts(in []ast.Stmt) (list []*ir.Stmt) {
	if l.depth++; l.depth > maxDepth {
		l.depth--
		if len(in) > 0 {
			l.tooDeep(l.pos(in[0].Pos()))
		}
		return nil
	}
	defer func() { l.depth-- }()
	for _, s := range in {
		list = append(list, l.stmt(s)...)
	}
	return list
}

func (l *lowering) stmt(s ast.Stmt) []*ir.Stmt {
	if s == nil {
		return nil
	}
	out := &ir.Stmt{Pos: l.pos(s.Pos()), End: l.pos(s.End())}
	switch s := s.(type) {
	case *ast.ExprStmt:
		out.X = l.expr(s.X)
		if leaves(out.X) {
			out.Does = ir.Raise
		}
	case *ast.AssignStmt:
		return l.assign(s, out)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			return l.genDecl(d)
		}
		return nil
	case *ast.IfStmt:
		out.Does, out.X = ir.If, l.expr(s.Cond)
		before := l.stmt(s.Init)
		if s.Init != nil {
			out.Pos = out.X.Pos // the init statement comes before it
		}
		out.Body, out.Else = l.block(s.Body), l.stmt(s.Else)
		return append(before, out)
	case *ast.ForStmt:
		before := l.stmt(s.Init)
		out.Does, out.Body = ir.Loop, append(l.block(s.Body), l.stmt(s.Post)...)
		if s.Cond != nil {
			out.X = l.expr(s.Cond)
		}
		return append(before, out)
	case *ast.RangeStmt:
		out.Does, out.X, out.Body = ir.Loop, l.expr(s.X), l.block(s.Body)
		if s.Value != nil {
			out.To = []*ir.Expr{l.expr(s.Value)}
		}
	case *ast.SwitchStmt:
		return append(l.stmt(s.Init), l.cases(s.Tag, s.Body, out)...)
	case *ast.TypeSwitchStmt:
		return append(l.stmt(s.Init), l.cases(nil, s.Body, out)...)
	case *ast.SelectStmt:
		return l.selects(s, out)
	case *ast.ReturnStmt:
		out.Does, out.X = ir.Return, l.results(s)
	case *ast.DeferStmt:
		out.Does, out.X = ir.Defer, l.expr(s.Call)
	case *ast.GoStmt:
		out.Does, out.X = ir.Spawn, l.expr(s.Call)
	case *ast.BranchStmt:
		out.Does = ir.Leave
	case *ast.BlockStmt:
		out.Does, out.Body = ir.Group, l.block(s)
	case *ast.LabeledStmt:
		return l.stmt(s.Stmt)
	case *ast.SendStmt:
		out.X = l.expr(s.Value)
	case *ast.IncDecStmt:
		x := l.expr(s.X)
		out.X = &ir.Expr{Kind: ir.Unary, Name: s.Tok.String(), Pos: x.Pos, End: out.End, X: x}
	default:
		return nil
	}
	return []*ir.Stmt{out}
}

// leaves reports whether a call never returns.
func leaves(e *ir.Expr) bool {
	switch e.Method() {
	case "panic":
		return e.Receiver() == nil
	case "Exit":
		return e.X.Path() == "os.Exit"
	case "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "FailNow", "Goexit":
		return true
	}
	return false
}

func (l *lowering) assign(s *ast.AssignStmt, out *ir.Stmt) (list []*ir.Stmt) {
	var to []*ir.Expr
	for _, x := range s.Lhs {
		to = append(to, l.expr(x))
	}
	if len(s.Rhs) == len(s.Lhs) {
		for i, x := range s.Rhs {
			right := l.expr(x)
			if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
				right = &ir.Expr{Kind: ir.Binary, Name: s.Tok.String()[:1], Pos: to[i].Pos, End: right.End, X: to[i], Args: []*ir.Expr{right}}
			}
			if right.Kind == ir.Lambda && to[i].Kind == ir.Name {
				right.Func.Name = to[i].Name
			}
			list = append(list, &ir.Stmt{Does: ir.Let, Pos: out.Pos, End: out.End, To: to[i : i+1], X: right})
		}
		return list
	}
	out.Does, out.To, out.X = ir.Let, to, l.expr(s.Rhs[0])
	return []*ir.Stmt{out}
}

func (l *lowering) results(s *ast.ReturnStmt) *ir.Expr {
	switch len(s.Results) {
	case 0:
		return nil
	case 1:
		return l.expr(s.Results[0])
	}
	e := &ir.Expr{Kind: ir.List, Pos: l.pos(s.Results[0].Pos()), End: l.pos(s.End())}
	for _, r := range s.Results {
		e.Args = append(e.Args, l.expr(r))
	}
	return e
}

// cases makes a chain of branches of a switch.
func (l *lowering) cases(tag ast.Expr, body *ast.BlockStmt, first *ir.Stmt) []*ir.Stmt {
	first.Does = ir.Group
	list := &first.Body
	for _, c := range body.List {
		clause, ok := c.(*ast.CaseClause)
		if !ok {
			continue
		}
		next := &ir.Stmt{Does: ir.If, Pos: l.pos(clause.Pos()), End: l.pos(clause.End()), X: l.caseTest(tag, clause)}
		next.Body = l.stmts(clause.Body)
		*list = append(*list, next)
		list = &next.Else
	}
	return []*ir.Stmt{first}
}

func (l *lowering) caseTest(tag ast.Expr, clause *ast.CaseClause) *ir.Expr {
	pos, end := l.pos(clause.Pos()), l.pos(clause.Colon)
	if len(clause.List) == 0 {
		return &ir.Expr{Kind: ir.Const, Name: "true", Pos: pos, End: end}
	}
	test := l.expr(clause.List[0])
	if tag != nil {
		test = &ir.Expr{Kind: ir.Binary, Name: "==", Pos: pos, End: end, X: l.expr(tag), Args: []*ir.Expr{test}}
	}
	return test
}

func (l *lowering) selects(s *ast.SelectStmt, first *ir.Stmt) []*ir.Stmt {
	first.Does = ir.Group
	list := &first.Body
	for _, c := range s.Body.List {
		clause, ok := c.(*ast.CommClause)
		if !ok {
			continue
		}
		next := &ir.Stmt{Does: ir.If, Pos: l.pos(clause.Pos()), End: l.pos(clause.End())}
		next.X = &ir.Expr{Kind: ir.Bad, Pos: next.Pos, End: next.Pos}
		if comm := l.stmt(clause.Comm); len(comm) == 1 && comm[0].X != nil {
			next.X = comm[0].X
		}
		next.Body = l.stmts(clause.Body)
		*list = append(*list, next)
		list = &next.Else
	}
	return []*ir.Stmt{first}
}
