package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// zkNode is a node of ZooKeeper that lives as long as the session that made it.
var zkNode = &Library{Name: "a node of ZooKeeper", Session: true}

// nodeOp reads what a call does with a node or an object that only one can make: the
// ephemeral node of ZooKeeper, the object of S3 that is put if there is none.
func (f *Function) nodeOp(s *Site) *Op {
	if op := f.ephemeral(s); op != nil {
		return op
	}
	if op := f.nodeRead(s); op != nil {
		return op
	}
	if op := f.bucketOp(s); op != nil {
		return op
	}
	if op := f.keptKey(s); op != nil {
		return op
	}
	key, method, absent := f.objectRequest(s.Call)
	if key == nil {
		return nil
	}
	op := &Op{Site: s, Family: Object, Key: f.Key(key), KeyAt: key, Gives: f.gives(0)}
	switch {
	case method == "put" && absent:
		op.Do = Acquire
	case method == "delete":
		op.Do = Release
	case method == "get" || method == "head":
		op.Do = Read
	default:
		return nil
	}
	return op
}

// keptKey reads what a call does with a key of Consul, without a session.
func (f *Function) keptKey(s *Site) *Op {
	e := s.Call
	if f.File.Language != ir.Go || len(e.Args) == 0 || !imports(f.File, "consul") || !f.keepsKeys(e.Receiver()) {
		return nil
	}
	op := &Op{Site: s, Family: Object, Gives: f.gives(value)}
	key := e.Args[0]
	switch e.Method() {
	case "Get":
		op.Do = Read
	case "Delete":
		op.Do = Release
	case "DeleteCAS":
		op.Do = GiveUp
	case "Put":
		op.Do = Put
		pair := f.resolve(key)
		if pair.Kind == ir.Unary {
			pair = pair.In.resolve(pair.X)
		}
		key, op.Value = pair.Named("Key"), pair.Named("Value")
	default:
		return nil
	}
	op.KeyAt = key
	if op.Key = f.Key(key); op.Key == "" {
		return nil
	}
	return op
}

// bucketOp reads what a call does with a key of a bucket of NATS, which only one can create.
func (f *Function) bucketOp(s *Site) *Op {
	e := s.Call
	if !strings.HasSuffix(f.typeOf(e.Receiver()), "KeyValue") && !(imports(f.File, "nats") && hasWord(lastWord(e.Receiver().Path()), bucketWords)) {
		return nil
	}
	args := f.plainArgs(e)
	op := &Op{Site: s, Family: Object, Key: f.Key(argAt(args, 0)), KeyAt: argAt(args, 0), Gives: f.gives(0)}
	switch normal(e.Method()) {
	case "create":
		op.Do = Acquire
	case "delete", "purge":
		op.Do = Release
		if len(args) > 1 { // of the revision that it asks for
			op.Do = GiveUp
		}
	case "get":
		op.Do = Read
	}
	if op.Do == 0 || op.Key == "" {
		return nil
	}
	return op
}

var bucketWords = wordSet("kv bucket keyvalue")

// ephemeral reads the creation of a node that ends with its session, where it is seen
// that somebody else has made it, or it is named like a lock.
func (f *Function) ephemeral(s *Site) *Op {
	e := s.Call
	path := e.Arg(0)
	if path == nil || e.Method() != "create" && e.Method() != "Create" && e.Method() != "forPath" && e.Method() != "createEphemeral" {
		return nil
	}
	mode := e.Named("ephemeral").Is("true") && !e.Named("sequence").Is("true")
	e.Each(func(x *ir.Expr) bool {
		last := lastWord(x.Path())
		mode = mode || (x.Kind == ir.Member || x.Kind == ir.Name) && (last == "EPHEMERAL" || last == "FlagEphemeral")
		return x.Kind != ir.Lambda
	})
	key := f.Key(path)
	if !mode || !f.refused(s, &Query{Statement: noStatement}) && !hasWord(key, lockWords) && !hasWord(f.Name, lockWords) {
		return nil
	}
	return f.keyed(s, zkNode, Acquire, path, f.gives(0))
}

var noStatement = &query.Statement{}

// objectMethods are the requests of clients of S3.
var objectMethods = map[string]string{
	"put_object": "put", "putobject": "put", "putobjectcommand": "put", "delete_object": "delete", "deleteobject": "delete", "deleteobjectcommand": "delete",
	"get_object": "get", "getobject": "get", "getobjectcommand": "get", "head_object": "head", "headobject": "head", "headobjectcommand": "head",
}

// objectRequest is the key of the object that a call puts, deletes or reads, and whether it
// only does if there is none; nil if it does neither.
func (f *Function) objectRequest(e *ir.Expr) (key *ir.Expr, method string, absent bool) {
	method = objectMethods[strings.ToLower(e.Method())]
	input := Value{e, f}
	if e.Method() == "send" && len(e.Args) == 1 {
		command := f.resolve(e.Args[0])
		if method = objectMethods[strings.ToLower(command.Method())]; method != "" {
			input = command.In.resolve(command.Arg(0))
		}
	} else if method != "" && len(e.Keys) == 0 {
		for _, a := range e.Args {
			v := f.resolve(a)
			if v.Kind == ir.Unary {
				v = v.In.resolve(v.X)
			}
			if v.Kind == ir.Map {
				input = v
			}
		}
	}
	if method == "" || input.Expr == nil {
		return nil, "", false
	}
	if none := input.Named("IfNoneMatch"); none != nil {
		text, _ := input.In.fold(none)
		for _, a := range none.Args { // aws.String("*")
			inner, _ := input.In.fold(a)
			text += inner
		}
		absent = strings.Contains(text, "*")
	}
	key = input.Named("Key")
	if key != nil && key.Kind == ir.Call && len(key.Args) == 1 {
		key = key.Args[0]
	}
	return key, method, absent
}
