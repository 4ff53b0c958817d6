package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// locksRow reports whether a function locks rows of a database as it reads them, or a function
// does that puts its query together.
func (f *Function) locksRow() bool {
	return slices.ContainsFunc(f.Sites, func(s *Site) bool {
		if f.readsLocked(s.Call) {
			return true
		}
		g := f.Unit.callee(f, s.Call)
		return g != nil && g != f && len(g.Body) <= most && slices.ContainsFunc(g.Sites, func(inner *Site) bool { return g.readsLocked(inner.Call) })
	})
}

// rowLocks are the methods of builders and mappers of objects that lock what they read.
var rowLocks = wordSet("with_for_update select_for_update for_update get_for_update for_no_key_update with_lock lock! setLock setLockMode lockForUpdate forUpdate forNoKeyUpdate forUpdateSkipLocked")

// lockedBy are methods that are told how to lock: For("UPDATE SKIP LOCKED"), for('update').
var lockedBy = wordSet("For for lock Suffix for_update")

// readsLocked reports whether a call says that the rows which its chain reads are locked.
func (f *Function) readsLocked(e *ir.Expr) bool {
	name := e.Method()
	if rowLocks[name] || strings.HasSuffix(name, "ForUpdate") || e.Named("lock") != nil || e.Named("for_update").Is("true") {
		return true
	}
	for _, a := range e.Args {
		text, _ := a.Literal()
		text = strings.ToUpper(text)
		switch {
		case a.Kind == ir.Map && (a.Named("lock") != nil || a.Named("lockMode") != nil), strings.Contains(a.Path(), "PESSIMISTIC"):
			return true
		case f.File.Language == ir.Go && isClause(f.pointed(a).Expr, "Locking"): // of gorm
			return true
		case lockedBy[name] && strings.Contains(text, "UPDATE"), strings.HasPrefix(text, "FOR UPDATE"):
			return true
		}
	}
	return f.File.Language == ir.Ruby && name == "lock" && (len(e.Args) == 0 || e.Arg(0).Is("true") || e.Receiver() != nil && wheres[e.Receiver().Method()])
}

// isClause reports whether a literal is a clause of gorm: clause.Locking{Strength: "UPDATE"}.
func isClause(e *ir.Expr, name string) bool {
	return e.Kind == ir.Map && e.X != nil && strings.HasSuffix(e.X.Type, "clause."+name)
}
