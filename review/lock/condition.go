package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

var wheres = wordSet("where Where Not Or and orWhere andWhere and_where filter filter_by whereIn find find_by eq lt lte gt gte update update_one updateOne updateMany findOneAndUpdate find_one_and_update delete deleteMany deleteOne delete_one destroy findUnique findFirst match is neq replace_one replaceOne find_or_create_by update_item put_item UpdateItem PutItem updateItem putItem where_not_exists put_object PutObject putObject")

// conditions collects the columns that a chain tests and sets: up to the call that says
// what is done, and behind it.
func (f *Function) conditions(q *Query, e *ir.Expr) {
	for x := e; x != nil && x.Kind == ir.Call; x = x.Receiver() {
		if name := x.Method(); x != e && (name == "set" || name == "values") {
			f.assigned(q, x)
			continue
		}
		f.condition(q, x, x == e)
	}
	for x, n := f.Unit.above[e], 0; x != nil && n < 12; x, n = f.Unit.above[x], n+1 {
		switch name := x.Method(); {
		case name == "set" || name == "values" || name == "Set" || name == "Values":
			f.assigned(q, x)
		case name == "setNull" && len(x.Args) == 1:
			q.Sets = append(q.Sets, query.Pair{Column: lastWord(x.Args[0].Path()), Op: "=", Value: "null"})
		case wheres[name] || strings.HasSuffix(name, "hereNull"):
			f.condition(q, x, false)
		}
	}
}

// assigned reads set({ column: value }), set(COLUMN, value).
func (f *Function) assigned(q *Query, e *ir.Expr) {
	if v := f.resolve(e.Arg(0)); v.Kind == ir.Map {
		v.In.object(q, v, true)
		return
	}
	for i, k := range e.Keys {
		if k != "" {
			f.argument(q, k, e.Args[i], false)
		}
	}
	if len(e.Args) == 2 && e.Key(0) == "" {
		column := lastWord(e.Args[0].Path())
		if text, ok := f.literal(e.Args[0]); ok {
			column = text
		}
		q.Sets = append(q.Sets, query.Pair{Column: column, Op: "=", Value: f.Key(e.Args[1])})
	}
}

// condition collects the columns of one call of a chain; last is set for the one that says
// what is done.
func (f *Function) condition(q *Query, x *ir.Expr, last bool) {
	if a := x.Arg(0); a != nil && strings.HasSuffix(x.Method(), "hereNull") { // of knex, of Laravel
		if column, ok := f.literal(a); ok {
			q.Where = append(q.Where, query.Pair{Column: strings.ToLower(column), Op: "is"})
		}
		return
	}
	where := wheres[x.Method()] || strings.Contains(x.Method(), "By")
	maps := 0
	for i, a := range x.Args {
		v := f.pointed(a) // db.Create(&row)
		if v.Kind == ir.List && x.Key(i) == "" && last && len(v.Args) > 0 && v.Args[0].Kind == ir.Map && v.Args[0].Named("$set") != nil {
			v.Expr = v.Args[0] // a pipeline of one stage
		}
		if v.Kind == ir.Map && x.Key(i) == "" {
			maps++
			sets := last && f.setsAt(x, maps) && q.Verb != "select" && q.Verb != "delete" && !(where && !last)
			f.object(q, v, sets)
			continue
		}
		f.operand(q, x, i, where, last)
	}
	if _, columns, ok := strings.Cut(x.Method(), "By"); ok { // deleteByNameAndOwner
		for _, w := range words(columns) {
			q.Where = append(q.Where, query.Pair{Column: w, Op: "="})
		}
	}
}

// operand reads one argument of a call of a chain that is no object.
func (f *Function) operand(q *Query, x *ir.Expr, i int, where, last bool) {
	a := x.Args[i]
	v := f.resolve(a)
	switch {
	case x.Key(i) == "ConditionExpression" && v.Kind != ir.String:
		q.Guarded = true
		v.In.compared(q, v.Expr)
	case x.Key(i) == "ConditionExpression" || x.Key(i) == "UpdateExpression":
		f.expression(q, x.Key(i), f.texts(a), x.Named("ExpressionAttributeNames"))
	case x.Key(i) != "":
		f.argument(q, x.Key(i), v.Expr, where && !last || q.Verb == "select" || q.Verb == "delete")
	case v.Kind == ir.String && (where || strings.Contains(v.Name, "?")):
		q.Where = append(q.Where, f.fragment(v.Name, x.Arg(i+1))...)
	case !where:
	case anyQ(v.Expr):
		v.Each(func(x *ir.Expr) bool {
			for j, k := range x.Keys {
				f.argument(q, k, x.Args[j], true)
			}
			return true
		})
	case v.Kind == ir.Lambda || v.Kind == ir.Call:
		v.In.compared(q, v.Expr)
	case v.Kind == ir.Binary:
		v.In.equation(q, v.Expr)
	}
}

// joins put conditions together.
var joins = wordSet("& | && || and or")

// equation reads a condition that is written as an expression: Lease.name == name, and what
// is joined of such ones: (Lease.name == name) & (Lease.holder == me).
func (f *Function) equation(q *Query, e *ir.Expr) {
	switch {
	case e == nil:
	case e.Kind != ir.Binary:
		f.compared(q, e)
	case joins[e.Name]:
		f.equation(q, e.X)
		f.equation(q, e.Args[0])
	default:
		if column := columnOf(e.X); column != "" {
			q.Where = append(q.Where, query.Pair{Column: strings.ToLower(column), Op: comparisonOf(e), Value: f.Key(e.Args[0])})
		}
	}
}

// comparisonOf is how an expression compares, as a statement says it.
func comparisonOf(e *ir.Expr) string {
	switch {
	case e.Args[0].Is("nil") && (e.Name == "==" || e.Name == "=~" || e.Name == ">>"):
		return "is"
	case e.Name == "==" || e.Name == "=~":
		return "="
	}
	return e.Name
}

// operators are functions and methods that builders have for comparisons.
var operators = map[string]string{
	"eq": "=", "equal": "=", "equals": "=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "lessThan": "<", "greaterThan": ">", "le": "<=", "ge": ">=",
	"isNull": "is", "is_null": "is", "isnull": "is", "is_": "is", "lessOrEqual": "<=", "greaterOrEqual": ">=",
}

// compared reads a condition that is put together of calls or stands in a block:
// or(isNull(pumps.operator), lt(pumps.freeAt, now)), PUMP.FREE_AT.lt(now), { closes < now }.
func (f *Function) compared(q *Query, e *ir.Expr) {
	look := func(x *ir.Expr) bool {
		op, left := "", (*ir.Expr)(nil)
		switch {
		case x.Kind == ir.Call && operators[x.Method()] != "" && x.Receiver() != nil && len(x.Args) < 2 && columnOf(x.Receiver()) != "":
			op, left = operators[x.Method()], x.Receiver()
		case x.Kind == ir.Call && operators[x.Method()] != "" && len(x.Args) > 0:
			op, left = operators[x.Method()], x.Args[0]
		case x.Kind == ir.Binary && (isOrder(x.Name) || x.Name == "=~" || x.Name == "==" && f.File.Language == ir.Python):
			op, left = comparisonOf(x), x.X
		}
		if x.Kind == ir.Call && x.Method() == "not_exists" && x.Receiver() != nil { // Attr("job").not_exists()
			q.Where = append(q.Where, query.Pair{Column: "attribute_not_exists", Op: "="}, query.Pair{Column: columnOf(x.Receiver()), Op: "="})
		}
		if column := columnOf(left); op != "" && column != "" {
			q.Where = append(q.Where, query.Pair{Column: column, Op: op})
		}
		return true
	}
	if e.Kind == ir.Lambda {
		ir.EachExpr(e.Func.Body, look)
		return
	}
	e.Each(look)
}

// columnOf is what an expression of a builder calls a column: Ferry.docks, Attr("docks"),
// Sequel.expr(:docks); "" if it is none.
func columnOf(e *ir.Expr) string {
	if e == nil {
		return ""
	}
	if e.Kind == ir.Call && len(e.Args) == 1 || e.Kind == ir.Index && len(e.Args) == 1 {
		if text, ok := e.Args[0].Literal(); ok {
			return text
		}
	}
	return lastWord(e.Path())
}

// pipelined reads a condition of an aggregation: { $lt: ['$until', '$$NOW'] }.
func (f *Function) pipelined(q *Query, e *ir.Expr) {
	e.Each(func(x *ir.Expr) bool {
		for i, k := range x.Keys {
			op := orders[k]
			if k == "$eq" {
				op = "="
			}
			if list := x.Args[i]; op != "" && list.Kind == ir.List && len(list.Args) == 2 {
				if column, ok := list.Args[0].Literal(); ok && strings.HasPrefix(column, "$") {
					value := f.texts(list.Args[1])
					if list.Args[1].Kind == ir.Map {
						value += "-"
					}
					q.Where = append(q.Where, query.Pair{Column: column[1:], Op: op, Value: value})
				}
			}
		}
		return true
	})
}

// anyQ reports whether a condition is put together of objects, as Django does it:
// Q(until__lt=now) | Q(holder="").
func anyQ(e *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		found = found || x.Method() == "Q" && len(x.Keys) > 0
		return !found
	})
	return found
}

// setsAt reports whether the n-th object that a call is given is what it sets: the
// filter comes first, except where the filter is in the options that come last.
func (f *Function) setsAt(e *ir.Expr, n int) bool {
	maps, options := 0, false
	for _, a := range e.Args {
		if v := f.pointed(a); v.Kind == ir.Map {
			maps++
			options = options || maps == 2 && v.Named("where") != nil
		}
	}
	if maps == 1 || options || len(e.Args) > 1 && e.Args[0].Kind == ir.String { // update('table', data, where)
		return n == 1
	}
	return n == 2
}

// pointed is what a value is, or what it points at.
func (f *Function) pointed(e *ir.Expr) Value {
	v := f.resolve(e)
	if v.Kind == ir.Unary && v.Name == "&" {
		v = v.In.resolve(v.X)
	}
	return v
}

// fragment reads the text of a condition: a column, with an operator after it
// perhaps, or a piece of SQL.
func (f *Function) fragment(text string, next *ir.Expr) []query.Pair {
	if !strings.ContainsAny(text, " =<>") {
		op, ok := next.Literal()
		if !ok || !isOrder(op) {
			op = "="
		}
		return []query.Pair{{Column: strings.ToLower(text), Op: op}}
	}
	s := f.Unit.statement("SELECT 1 FROM t WHERE " + text)
	if s == nil || len(s.Where) == 0 {
		return []query.Pair{{Column: strings.ToLower(text), Op: "="}}
	}
	return s.Where
}

// orders are the names that mappers of objects have for comparisons.
var orders = map[string]string{
	"lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "$lt": "<", "$lte": "<=", "$gt": ">", "$gte": ">=",
	"LessThan": "<", "LessThanOrEqual": "<=", "MoreThan": ">", "MoreThanOrEqual": ">=", "Op.lt": "<", "Op.lte": "<=", "Op.gt": ">", "Op.gte": ">=",
}

// orderOf is how a condition compares its column: token__lte=3, { token: { lte: 3 } },
// { token: LessThan(3) }.
func orderOf(suffix string, v *ir.Expr) string {
	if op := orders[suffix]; op != "" {
		return op
	}
	if op := orders[v.Method()]; op != "" {
		return op
	}
	if v.Kind == ir.Map {
		for i := range v.Args {
			if op := orders[v.Key(i)]; op != "" {
				return op
			}
		}
	}
	return "="
}

var conditionKeys = wordSet("where filter condition conditionexpression ifmatch ifnonematch if-match key")

func (f *Function) argument(q *Query, key string, v *ir.Expr, where bool) {
	lower := strings.ToLower(key)
	name, suffix, _ := strings.Cut(key, "__") // Django: expires_at__lt
	if conditionKeys[lower] || where {
		op := orderOf(suffix, v)
		if v.Is("nil") || suffix == "isnull" && v.Is("true") {
			op = "is"
		}
		q.Where = append(q.Where, query.Pair{Column: name, Op: op})
		if text, ok := f.fold(v); ok && conditionKeys[lower] {
			q.Guarded = q.Guarded || lower != "key" && lower != "where"
			for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z') }) {
				q.Where = append(q.Where, query.Pair{Column: w, Op: "="})
			}
		}
		if lower == "ifmatch" || lower == "ifnonematch" {
			q.Guarded = true
		}
		return
	}
	if inner := f.resolve(v); inner.Kind == ir.Map && nested[lower] {
		f.object(q, inner, true)
		return
	}
	value := f.Key(v)
	if text, ok := v.Literal(); ok && text == "" {
		value = "''" // nobody
	}
	q.Sets = append(q.Sets, query.Pair{Column: name, Op: "=", Value: value})
}

// nested are arguments that hold what is set.
var nested = wordSet("defaults data update create values set item attributes updates expressionattributevalues")

// object reads { where: {...}, data: {...} }, a filter, or a document.
func (f *Function) object(q *Query, v Value, sets bool) {
	for i, a := range v.Args {
		k := v.Key(i)
		inner := v.In.resolve(a)
		switch {
		case inner.Kind == ir.Map && (strings.EqualFold(k, "where") || k == "$and" || k == "$or"):
			v.In.object(q, inner, false)
		case k == "$expr":
			inner.In.pipelined(q, inner.Expr)
		case inner.Kind == ir.List && (k == "$and" || k == "$or" || k == "OR" || k == "AND"):
			for _, part := range inner.Args {
				if one := inner.In.resolve(part); one.Kind == ir.Map {
					one.In.object(q, one, false)
				}
			}
		case inner.Kind == ir.Map && (k == "data" || k == "update" || k == "create" || strings.HasPrefix(k, "$")):
			v.In.object(q, inner, true)
		case k == "":
		case k == "ConditionExpression" || k == "UpdateExpression":
			v.In.expression(q, k, v.In.texts(a), v.Named("ExpressionAttributeNames"))
		default:
			v.In.argument(q, k, a, !sets)
		}
	}
}
