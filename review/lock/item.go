package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// itemVerbs are the requests of DynamoDB.
var itemVerbs = map[string]string{
	"PutItem": "upsert", "UpdateItem": "update", "DeleteItem": "delete", "PutCommand": "upsert", "UpdateCommand": "update", "DeleteCommand": "delete",
	"PutItemCommand": "upsert", "UpdateItemCommand": "update", "DeleteItemCommand": "delete",
}

// itemRequest finds the input of a request of DynamoDB: client.PutItem(ctx, &input) in
// Go, client.send(new PutCommand(input)) in JavaScript.
func (f *Function) itemRequest(e *ir.Expr) (verb string, input Value) {
	switch {
	case f.File.Language == ir.Go && len(e.Args) > 1:
		verb, input = itemVerbs[e.Method()], f.resolve(e.Args[1])
	case f.File.Language == ir.JavaScript && e.Method() == "send" && len(e.Args) == 1:
		command := f.resolve(e.Args[0])
		verb = itemVerbs[command.Method()]
		if verb != "" {
			input = command.In.resolve(command.Arg(0))
		}
	}
	if verb != "" && input.Kind == ir.Unary {
		input = input.In.resolve(input.X)
	}
	return verb, input
}

// itemStatement reads a request of DynamoDB whose input is one literal.
func (f *Function) itemStatement(e *ir.Expr) *Query {
	verb, input := f.itemRequest(e)
	if verb == "" || input.Kind != ir.Map {
		return nil
	}
	q := &Query{Statement: &query.Statement{Verb: verb, Table: "item"}, Builder: true, Item: true, Conn: e.Receiver()}
	for i, k := range input.Keys {
		text := input.In.texts(input.Args[i])
		switch k {
		case "TableName":
			if q.Table = strings.TrimSpace(text); q.Table == "" {
				name := input.In.resolve(input.Args[i])
				if name.Kind == ir.Call && len(name.Args) == 1 { // aws.String(t.Name)
					name = name.In.resolve(name.Args[0])
				}
				q.Table = lastWord(name.Path())
			}
		case "ConditionExpression", "UpdateExpression":
			input.In.expression(q, k, text, input.Named("ExpressionAttributeNames"))
		case "Item", "Key":
			input.In.object(q, input.In.resolve(input.Args[i]), k == "Item")
		}
	}
	return q
}

// expression reads an expression of DynamoDB: what it asks for, what it sets, and every
// word in it. What names such as #o stand for is put in.
func (f *Function) expression(q *Query, kind, text string, names *ir.Expr) {
	n := f.resolve(names)
	for i, a := range n.Args {
		if column, ok := n.In.fold(a); ok && strings.HasPrefix(n.Key(i), "#") {
			text = strings.ReplaceAll(text, n.Key(i), column)
		}
	}
	if kind == "UpdateExpression" {
		if s := f.Unit.statement("UPDATE t " + text); s != nil {
			q.Sets = append(q.Sets, s.Sets...)
		}
	} else {
		q.Guarded = true
		if s := f.Unit.statement("SELECT 1 FROM t WHERE " + text); s != nil {
			q.Where = append(q.Where, s.Where...)
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z') }) {
		q.Where = append(q.Where, query.Pair{Column: w, Op: "="})
	}
}
