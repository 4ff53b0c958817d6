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
var rowLocks = wordSet("with_for_update select_for_update lockForUpdate forUpdate ForUpdate for_update get_for_update with_lock lock! setLock setLockMode forNoKeyUpdate forUpdateSkipLocked")

// readsLocked reports whether a call says that the rows which are read are locked.
func (f *Function) readsLocked(e *ir.Expr) bool {
	name := e.Method()
	if rowLocks[name] || e.Named("lock") != nil || e.Named("for_update").Is("true") {
		return true
	}
	for _, a := range e.Args {
		if a.Kind == ir.Map && (a.Named("lock") != nil || a.Named("lockMode") != nil) || strings.Contains(a.Path(), "PESSIMISTIC") || name == "Clauses" && strings.HasSuffix(typeName(a), "Locking") {
			return true
		}
		text, ok := a.Literal()
		if ok && lockedBy[name] && strings.Contains(strings.ToUpper(text), "UPDATE") {
			return true
		}
	}
	return f.File.Language == ir.Ruby && name == "lock" && (len(e.Args) == 0 || e.Arg(0).Is("true"))
}

// lockedBy are methods that are told how to lock: For("UPDATE SKIP LOCKED"), for('update').
var lockedBy = wordSet("For for lock Suffix for_update")

// typeName is the type that a literal names.
func typeName(e *ir.Expr) string {
	if e.Kind == ir.Map && e.X != nil {
		return e.X.Name
	}
	return ""
}
