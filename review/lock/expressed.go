package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// expressed are functions that begin a statement which is put together of calls.
var expressed = map[string]string{"update": "update", "insert": "insert", "delete": "delete", "select": "select"}

// expressedStatement reads session.execute(update(Shelf).where(...).values(...)).
func (f *Function) expressedStatement(e *ir.Expr) *Query {
	if f.File.Language != ir.Python || !runs[e.Method()] && !strings.HasPrefix(e.Method(), "scalar") || e.Receiver() == nil || e.Arg(0) == nil {
		return nil
	}
	v := f.resolve(e.Arg(0))
	root := v.Expr
	for root.Kind == ir.Call && root.Receiver() != nil && root.Receiver().Kind == ir.Call {
		root = root.Receiver()
	}
	if root.Kind != ir.Call || expressed[root.Method()] == "" || !isUpper(f.qualify(root.X.Path())) && !strings.Contains(f.qualify(root.X.Path()), "sqlalchemy") {
		return nil
	}
	q := &Query{Statement: &query.Statement{Verb: expressed[root.Method()]}, Builder: true, Conn: e.Receiver()}
	q.Table = lastWord(root.Arg(0).Path())
	if q.Table == "" || v.Expr == root && q.Verb != "select" {
		return nil
	}
	v.In.conditions(q, v.Expr)
	q.conflict(v.Expr, nil)
	for x := v.Expr; x.Kind == ir.Call; x = x.Receiver() {
		q.ForUpdate = q.ForUpdate || x.Method() == "with_for_update"
		if x.Receiver() == nil {
			break
		}
	}
	return q
}
