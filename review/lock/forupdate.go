package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// rowLockers are methods of builders and mappers that lock rows as they are read.
var rowLockers = wordSet("with_for_update select_for_update for_update lockForUpdate forUpdate ForUpdate forNoKeyUpdate for_no_key_update with_lock lock! setLock setLockMode")

// locksRow reports whether a function locks rows of a database as it reads them.
func (f *Function) locksRow() bool {
	for _, s := range f.Sites {
		if f.readsLocked(s.Call) {
			return true
		}
	}
	return false
}

// readsLocked reports whether a call says that the rows which its chain reads are locked.
func (f *Function) readsLocked(e *ir.Expr) bool {
	name := e.Method()
	if rowLockers[name] || e.Named("lock") != nil || strings.HasSuffix(name, "ForUpdate") {
		return true
	}
	for _, a := range e.Args {
		text, _ := a.Literal()
		switch {
		case a.Kind == ir.Map && a.Named("lock") != nil, strings.Contains(a.Path(), "PESSIMISTIC"):
			return true
		case f.File.Language == ir.Go && isClause(f.pointed(a).Expr, "Locking"): // of gorm
			return true
		case strings.EqualFold(name, "for") && strings.HasPrefix(strings.ToUpper(text), "UPDATE"): // of bun, of drizzle
			return true
		case strings.HasPrefix(strings.ToUpper(text), "FOR UPDATE"):
			return true
		}
	}
	return name == "lock" && f.File.Language == ir.Ruby && e.Receiver() != nil && wheres[e.Receiver().Method()]
}

// isClause reports whether a literal is a clause of gorm: clause.Locking{Strength: "UPDATE"}.
func isClause(e *ir.Expr, name string) bool {
	return e.Kind == ir.Map && e.X != nil && strings.HasSuffix(e.X.Type, "clause."+name)
}
