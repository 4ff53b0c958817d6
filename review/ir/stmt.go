package ir

// Does tells statements apart.
type Does uint8

// The kinds of statements. The comment says which fields of Stmt each one uses.
const (
	Eval   Does = iota // X
	Let                // To... = X
	If                 // If X then Body else Else
	Loop               // Body, for every X or while X
	Try                // Body, Catches, Final
	With               // Body under X, bound to To
	Return             // X, or nothing
	Raise              // X: raise, throw, panic, exit
	Defer              // X, when the function ends
	Leave              // break, continue, next, redo
	Spawn              // X, beside this function
	Group              // Body
)

// A Stmt is a statement.
type Stmt struct {
	Does     Does
	Pos, End Pos
	X        *Expr
	To       []*Expr
	Body     []*Stmt
	Else     []*Stmt
	Final    []*Stmt
	Catches  []Catch
}

// A Catch is one handler of a Try.
type Catch struct {
	Pos  Pos
	Type string // what it catches, as it is written; "" for everything
	Name string // what the error is called in Body
	Body []*Stmt
}

// Blocks calls f with each list of statements inside s.
func (s *Stmt) Blocks(f func([]*Stmt)) {
	f(s.Body)
	f(s.Else)
	for _, c := range s.Catches {
		f(c.Body)
	}
	f(s.Final)
}

// EachStmt calls f for every statement, outermost first, without going into the
// bodies of lambdas and functions.
func EachStmt(list []*Stmt, f func(*Stmt)) {
	for _, s := range list {
		f(s)
		s.Blocks(func(b []*Stmt) { EachStmt(b, f) })
	}
}

// EachExpr calls f for every expression of the statements, as Expr.Each does.
func EachExpr(list []*Stmt, f func(*Expr) bool) {
	EachStmt(list, func(s *Stmt) {
		s.X.Each(f)
		for _, to := range s.To {
			to.Each(f)
		}
	})
}
